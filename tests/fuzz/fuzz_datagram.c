// SPDX-License-Identifier: MIT
// Fuzzes datagram_check: ENet parses every accepted datagram to the last byte without a fragment,
// and the verdict of a rejected one follows from its header.
#include "fuzz.h"

#include "datagram.h"
#include "wire_limits.h"

#include <arpa/inet.h>
#include <stdbool.h>

#include <enet/enet.h>

// The bytes of the message that a command says it carries.
static size_t claimed_message(const ENetProtocol *command)
{
    switch (command->header.command & ENET_PROTOCOL_COMMAND_MASK) {
    case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
        return ntohs(command->sendReliable.dataLength);
    case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
        return ntohs(command->sendUnreliable.dataLength);
    case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
        return ntohs(command->sendUnsequenced.dataLength);
    default:
        return 0;
    }
}

// Walks as enet_protocol_handle_incoming_commands does, and insists on what it only hopes for.
static void walk(const uint8_t *data, size_t size)
{
    const bool has_time = (data[0] & 0x80) != 0;
    const bool is_stranger = (data[0] & 0x0F) == 0x0F && data[1] == 0xFF;
    size_t at = has_time ? sizeof(ENetProtocolHeader) : 2;
    assert(at < size);
    for (int commands = 0; at < size; commands++) {
        ENetProtocol command;
        const unsigned number = data[at] & ENET_PROTOCOL_COMMAND_MASK;
        assert(number > ENET_PROTOCOL_COMMAND_NONE && number < ENET_PROTOCOL_COMMAND_COUNT);
        assert(number != ENET_PROTOCOL_COMMAND_SEND_FRAGMENT);
        assert(number != ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT);
        assert((number == ENET_PROTOCOL_COMMAND_CONNECT) <= is_stranger);
        assert(!is_stranger || commands == 0);
        const size_t fixed = enet_protocol_command_size(data[at]);
        assert(fixed > 0 && fixed <= size - at);
        memcpy(&command, data + at, fixed);
        assert(has_time || (command.header.command & ENET_PROTOCOL_COMMAND_FLAG_ACKNOWLEDGE) == 0);
        at += fixed;
        assert(claimed_message(&command) <= size - at);
        at += claimed_message(&command);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const enum datagram_verdict verdict = datagram_check(data, size);
    assert(datagram_verdict_name(verdict) != NULL);
    const bool has_header = size >= 2 && size <= RAIM_MAX_DATAGRAM_BYTES;
    const bool connectionless = has_header && data[0] == 0xFF && data[1] == 0xFF;
    const bool compressed = has_header && !connectionless && (data[0] & 0x40) != 0;
    assert((verdict == DATAGRAM_OVERSIZE) == (size > RAIM_MAX_DATAGRAM_BYTES));
    assert((verdict == DATAGRAM_CONNECTIONLESS) == connectionless);
    assert((verdict == DATAGRAM_COMPRESSED) == compressed);
    if (verdict == DATAGRAM_OK)
        walk(data, size);
    return 0;
}
