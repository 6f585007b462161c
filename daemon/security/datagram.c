// SPDX-License-Identifier: MIT
// Walks the commands of a datagram in ENet 1.3's wire layout and bounds-checks every length.
#include "datagram.h"

#include "wire_limits.h"

#include <assert.h>
#include <string.h>

// All integers are big-endian. A datagram is 16 bits of flags, session and peer id, 16 bits of
// sent time where flagged, and then commands that begin with a number and its flags, a channel and
// a 16-bit sequence number. Commands that carry a message end with its length, then the message.
enum {
    HEADER_SIZE = 2,
    SENT_TIME_SIZE = 2,
    HEADER_SENT_TIME = 0x8000,
    HEADER_COMPRESSED = 0x4000,
    HEADER_PEER = 0x0FFF,
    NO_PEER = 0x0FFF, // before the server has given the client its peer id
    COMMAND_HEADER_SIZE = 4,
    COMMAND_CHANNEL = 1, // offsets in any command
    COMMAND_SEQUENCE = 2,
    COMMAND_ARGUMENT = 4,  // in a CONNECT the peer that its sender has for the connection
    UNRELIABLE_LENGTH = 6, // offset in an unreliable message's command
    UNRELIABLE_CHANNEL = 1,
    MESSAGE_CHANNELS = 2,
    CONNECT_BANDWIDTHS = 20,
    CONNECT_MTU = 8, // offsets in the command
    CONNECT_ID = 40,
    CONNECT_DATA = 44,
    CONNECT_SIZE = 48,
    HEADER_SESSION_SHIFT = 12,
    HEADER_SESSION = 3,
    COMMAND_NUMBER = 0x0F,
    RELIABLE = 0x80,
    UNSEQUENCED = 0x40,
};

// Commands that are always rejected.
enum { SEND_FRAGMENT = 8, SEND_UNRELIABLE_FRAGMENT = 12 };

// How a client encodes a command. Clients never send a command without a row.
struct command {
    size_t size;      // up to and including the message's length
    uint8_t flags[2]; // the two valid sets of flags
    bool has_message;
    bool is_control; // on ENet's control channel only
};

static const struct command commands[COMMAND_NUMBER + 1] = {
    [WIRE_ACKNOWLEDGE] = {8, {0, 0}, false, false},
    [WIRE_CONNECT] = {CONNECT_SIZE, {RELIABLE, RELIABLE}, false, true},
    [WIRE_DISCONNECT] = {8, {RELIABLE, UNSEQUENCED}, false, true},
    [WIRE_PING] = {4, {RELIABLE, RELIABLE}, false, true},
    [WIRE_SEND_RELIABLE] = {6, {RELIABLE, RELIABLE}, true, false},
    [WIRE_SEND_UNRELIABLE] = {8, {0, 0}, true, false},
    [WIRE_SEND_UNSEQUENCED] = {8, {UNSEQUENCED, UNSEQUENCED}, true, false},
    [WIRE_BANDWIDTH_LIMIT] = {12, {RELIABLE, RELIABLE}, false, true},
    [WIRE_THROTTLE_CONFIGURE] = {16, {RELIABLE, RELIABLE}, false, true},
};

static unsigned read_16(const uint8_t *data)
{
    return (unsigned)data[0] << 8 | data[1];
}

static void write_16(unsigned value, uint8_t *data)
{
    data[0] = (uint8_t)(value >> 8);
    data[1] = (uint8_t)value;
}

static uint32_t read_32(const uint8_t *data)
{
    return (uint32_t)read_16(data) << 16 | read_16(data + 2);
}

static void write_32(uint32_t value, uint8_t *data)
{
    for (int i = 0; i < 4; i++)
        data[i] = (uint8_t)(value >> 8 * (3 - i));
}

static bool is_channel(const struct command *command, unsigned number, uint8_t channel)
{
    if (number == WIRE_ACKNOWLEDGE)
        return channel < MESSAGE_CHANNELS || channel == WIRE_CONTROL;
    return command->is_control ? channel == WIRE_CONTROL : channel < MESSAGE_CHANNELS;
}

// The bytes of the command at the front of `data`, with its message; 0 if it is truncated or not
// encoded as a client encodes it.
static size_t command_size(const uint8_t *data, size_t size, bool has_sent_time)
{
    const struct command *command = &commands[data[0] & COMMAND_NUMBER];
    const unsigned flags = data[0] & ~(unsigned)COMMAND_NUMBER;
    if (command->size == 0 || command->size > size)
        return 0;
    if (flags != command->flags[0] && flags != command->flags[1])
        return 0;
    if (!is_channel(command, data[0] & COMMAND_NUMBER, data[COMMAND_CHANNEL]))
        return 0;
    // ENet stops parsing at a reliable command in a datagram without a sent time to echo.
    if ((flags & RELIABLE) != 0 && !has_sent_time)
        return 0;
    if (!command->has_message)
        return command->size;
    const size_t message_size = read_16(data + command->size - 2);
    if (message_size == 0 || message_size > size - command->size)
        return 0;
    return command->size + message_size;
}

static enum datagram_verdict check_commands(const uint8_t *data, size_t size, bool has_sent_time,
                                            bool has_peer)
{
    size_t at = 0;
    int count = 0;
    while (size - at >= COMMAND_HEADER_SIZE) {
        const unsigned number = data[at] & COMMAND_NUMBER;
        if (number == SEND_FRAGMENT || number == SEND_UNRELIABLE_FRAGMENT)
            return DATAGRAM_FRAGMENT;
        const size_t taken = command_size(data + at, size - at, has_sent_time);
        if (taken == 0)
            return DATAGRAM_MALFORMED;
        if (has_peer && number == WIRE_CONNECT)
            return DATAGRAM_MALFORMED;
        // ENet would run commands after a CONNECT as the new peer's. A client that gives up before
        // the server has answered sends a DISCONNECT without a peer id.
        if (!has_peer && ((number != WIRE_CONNECT && number != WIRE_DISCONNECT) || taken != size))
            return DATAGRAM_MALFORMED;
        if (++count > DATAGRAM_MAX_COMMANDS)
            return DATAGRAM_COMMANDS;
        at += taken;
    }
    return at > 0 && at == size ? DATAGRAM_OK : DATAGRAM_MALFORMED;
}

enum datagram_verdict datagram_check(const uint8_t *data, size_t size)
{
    if (size > RAIM_MAX_DATAGRAM_BYTES)
        return DATAGRAM_OVERSIZE;
    if (size < HEADER_SIZE)
        return DATAGRAM_MALFORMED;
    const unsigned header = read_16(data);
    if (header == 0xFFFF)
        return DATAGRAM_CONNECTIONLESS;
    if ((header & HEADER_COMPRESSED) != 0)
        return DATAGRAM_COMPRESSED;
    const bool has_sent_time = (header & HEADER_SENT_TIME) != 0;
    const size_t header_size = HEADER_SIZE + (has_sent_time ? SENT_TIME_SIZE : 0);
    if (size < header_size)
        return DATAGRAM_MALFORMED;
    return check_commands(data + header_size, size - header_size, has_sent_time,
                          (header & HEADER_PEER) != NO_PEER);
}

bool datagram_is_connect(const uint8_t *data, size_t size, struct datagram_connect *connect)
{
    // A CONNECT is reliable, hence it follows a header with a sent time, and is alone.
    const uint8_t *command = data + HEADER_SIZE + SENT_TIME_SIZE;
    if (size != HEADER_SIZE + SENT_TIME_SIZE + CONNECT_SIZE ||
        (data[0] & HEADER_SENT_TIME >> 8) == 0 || (*command & COMMAND_NUMBER) != WIRE_CONNECT)
        return false;
    memcpy(&connect->id, command + CONNECT_ID, sizeof connect->id);
    connect->cookie = read_32(command + CONNECT_DATA);
    return true;
}

void datagram_limit_mtu(uint8_t *connect, uint32_t least, uint32_t most)
{
    uint8_t *bytes = connect + HEADER_SIZE + SENT_TIME_SIZE + CONNECT_MTU;
    const uint32_t mtu = read_32(bytes);
    write_32(mtu < least ? least : mtu > most ? most : mtu, bytes);
}

void datagram_unlimit_connect(uint8_t *connect)
{
    memset(connect + HEADER_SIZE + SENT_TIME_SIZE + CONNECT_BANDWIDTHS, 0, 2 * sizeof(uint32_t));
}

void datagram_unlimit(uint8_t *command)
{
    // No bandwidth limit; ENet's default interval, full acceleration and no deceleration.
    static const uint32_t bandwidths[2], throttle[3] = {5000, 32, 0};
    const bool is_throttle = (*command & COMMAND_NUMBER) == WIRE_THROTTLE_CONFIGURE;
    const uint32_t *values = is_throttle ? throttle : bandwidths;
    for (size_t i = 0; i < (is_throttle ? 3 : 2); i++)
        write_32(values[i], command + COMMAND_HEADER_SIZE + i * sizeof values[i]);
}

struct datagram_sender datagram_sender(const uint8_t *data)
{
    const unsigned header = read_16(data);
    return (struct datagram_sender){
        .peer = header & HEADER_PEER,
        .session = header >> HEADER_SESSION_SHIFT & HEADER_SESSION,
    };
}

void datagram_set_peer(uint8_t *data, uint16_t peer)
{
    write_16((read_16(data) & ~(unsigned)HEADER_PEER) | peer, data);
}

uint16_t datagram_rename_connect(uint8_t *connect, uint16_t peer)
{
    uint8_t *name = connect + HEADER_SIZE + SENT_TIME_SIZE + COMMAND_ARGUMENT;
    const uint16_t before = read_16(name) & HEADER_PEER;
    write_16(peer, name);
    return before;
}

static bool is_timed(const uint8_t *data)
{
    return (data[0] & HEADER_SENT_TIME >> 8) != 0;
}

uint16_t datagram_sent_time(const uint8_t *data)
{
    return is_timed(data) ? (uint16_t)read_16(data + HEADER_SIZE) : 0;
}

bool datagram_read_message(const uint8_t *data, size_t size, struct datagram_message *message)
{
    const uint8_t *command = data + HEADER_SIZE;
    if (size <= DATAGRAM_MESSAGE_HEADER || size > RAIM_MAX_DATAGRAM_BYTES ||
        command[0] != WIRE_SEND_UNRELIABLE || command[COMMAND_CHANNEL] != UNRELIABLE_CHANNEL ||
        read_16(command + UNRELIABLE_LENGTH) != size - DATAGRAM_MESSAGE_HEADER)
        return false;
    const unsigned header = read_16(data);
    if ((header & (HEADER_SENT_TIME | HEADER_COMPRESSED)) != 0 || (header & HEADER_PEER) == NO_PEER)
        return false;
    *message = (struct datagram_message){
        .reliable = (uint16_t)read_16(command + COMMAND_SEQUENCE),
        .unreliable = (uint16_t)read_16(command + COMMAND_ARGUMENT),
        .data = data + DATAGRAM_MESSAGE_HEADER,
        .size = size - DATAGRAM_MESSAGE_HEADER,
    };
    return true;
}

void datagram_write_message(struct datagram_sender sender, const struct datagram_message *message,
                            uint8_t header[DATAGRAM_MESSAGE_HEADER])
{
    uint8_t *command = header + HEADER_SIZE;
    write_16((unsigned)sender.session << HEADER_SESSION_SHIFT | sender.peer, header);
    command[0] = WIRE_SEND_UNRELIABLE;
    command[COMMAND_CHANNEL] = UNRELIABLE_CHANNEL;
    write_16(message->reliable, command + COMMAND_SEQUENCE);
    write_16(message->unreliable, command + COMMAND_ARGUMENT);
    write_16((unsigned)message->size, command + UNRELIABLE_LENGTH);
}

static bool read_command(const uint8_t *data, size_t size, size_t at,
                         struct datagram_command *command)
{
    if (at >= size)
        return false;
    const uint8_t *bytes = data + at;
    const struct command *kind = &commands[bytes[0] & COMMAND_NUMBER];
    *command = (struct datagram_command){
        .at = at,
        .size = kind->size,
        .number = bytes[0] & COMMAND_NUMBER,
        .is_reliable = (bytes[0] & RELIABLE) != 0,
        .channel = bytes[COMMAND_CHANNEL],
        .sequence = (uint16_t)read_16(bytes + COMMAND_SEQUENCE),
        .argument =
            kind->size > COMMAND_HEADER_SIZE ? (uint16_t)read_16(bytes + COMMAND_ARGUMENT) : 0,
    };
    if (kind->has_message) {
        command->message_size = read_16(bytes + kind->size - 2);
        command->size += command->message_size;
    }
    return true;
}

bool datagram_first(const uint8_t *data, size_t size, struct datagram_command *command)
{
    return read_command(data, size, HEADER_SIZE + (is_timed(data) ? SENT_TIME_SIZE : 0), command);
}

bool datagram_next(const uint8_t *data, size_t size, struct datagram_command *command)
{
    return read_command(data, size, command->at + command->size, command);
}

const char *datagram_verdict_name(enum datagram_verdict verdict)
{
    static const char *const names[DATAGRAM_VERDICTS] = {
        [DATAGRAM_OK] = "ok",
        [DATAGRAM_OVERSIZE] = "oversize",
        [DATAGRAM_CONNECTIONLESS] = "connectionless",
        [DATAGRAM_MALFORMED] = "malformed",
        [DATAGRAM_FRAGMENT] = "fragment",
        [DATAGRAM_COMPRESSED] = "compressed",
        [DATAGRAM_COMMANDS] = "commands",
        [DATAGRAM_CONNECT_REQUESTS] = "connect_requests",
        [DATAGRAM_COOKIE] = "cookie",
        [DATAGRAM_CONNECT_RATE] = "connect_rate",
        [DATAGRAM_CONNECTIONS] = "connections",
        [DATAGRAM_INPUTS] = "inputs",
        [DATAGRAM_UNENCRYPTED] = "unencrypted",
        [DATAGRAM_FORGED] = "forged",
        [DATAGRAM_REPLAYED] = "replayed",
        [DATAGRAM_HANDSHAKES] = "handshakes",
        [DATAGRAM_SESSIONS] = "sessions",
        [DATAGRAM_BUDGET] = "budget",
        [DATAGRAM_AHEAD] = "ahead",
        [DATAGRAM_REPEATED] = "repeated",
        [DATAGRAM_ACKS] = "acknowledgements",
        [DATAGRAM_DISCONNECT] = "disconnect",
        [DATAGRAM_GATEWAY_KEY] = "gateway_key",
        [DATAGRAM_GATEWAY_SOCKET] = "gateway_socket",
        [DATAGRAM_GATEWAY_TIME] = "gateway_time",
        [DATAGRAM_OVERTIME] = "overtime",
        [DATAGRAM_BANNED] = "banned",
        [DATAGRAM_ACCESS] = "access",
        [DATAGRAM_PASSWORD] = "password",
    };
    assert((unsigned)verdict < DATAGRAM_VERDICTS);
    return names[verdict];
}
