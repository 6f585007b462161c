// SPDX-License-Identifier: MIT
// Validation of valid and invalid datagrams, compared with ENet's own command sizes.
#include "chance.h"
#include "datagram.h"
#include "test.h"
#include "wire_limits.h"

#include <arpa/inet.h>

#include <enet/enet.h>

// Checks an exact copy, so that AddressSanitizer detects reads beyond the datagram.
static enum datagram_verdict check(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size);
    if (size > 0)
        memcpy(exact, data, size);
    const enum datagram_verdict verdict = datagram_check(exact, size);
    free(exact);
    return verdict;
}

// A datagram under construction.
struct draft {
    size_t size;
    uint8_t data[70000];
};

static struct draft draft;

static void begin(unsigned header, bool with_sent_time)
{
    const uint8_t bytes[4] = {(uint8_t)(header >> 8), (uint8_t)header, 0x12, 0x34};
    draft.size = with_sent_time ? 4 : 2;
    memcpy(draft.data, bytes, draft.size);
}

// ENet's own table, which it reads only for numbers that exist.
static size_t fixed_size(unsigned byte)
{
    const unsigned number = byte & ENET_PROTOCOL_COMMAND_MASK;
    return number < ENET_PROTOCOL_COMMAND_COUNT ? enet_protocol_command_size((enet_uint8)byte) : 0;
}

// ENet's own commands have a channel of their own.
static bool is_control(unsigned number)
{
    return number == ENET_PROTOCOL_COMMAND_CONNECT || number == ENET_PROTOCOL_COMMAND_DISCONNECT ||
           number == ENET_PROTOCOL_COMMAND_PING ||
           number == ENET_PROTOCOL_COMMAND_BANDWIDTH_LIMIT ||
           number == ENET_PROTOCOL_COMMAND_THROTTLE_CONFIGURE;
}

// Appends a command of ENet's size, with the length of its message where it has one.
static void command(unsigned byte, size_t message_size)
{
    const size_t size = fixed_size(byte) > 0 ? fixed_size(byte) : sizeof(ENetProtocolPing);
    uint8_t *at = draft.data + draft.size;
    memset(at, 0, size + message_size);
    at[0] = (uint8_t)byte;
    const unsigned number = byte & ENET_PROTOCOL_COMMAND_MASK;
    at[1] = is_control(number) ? 0xFF : 0;
    if (number == ENET_PROTOCOL_COMMAND_SEND_RELIABLE ||
        number == ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE ||
        number == ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED) {
        at[size - 2] = (uint8_t)(message_size >> 8);
        at[size - 1] = (uint8_t)message_size;
    }
    draft.size += size + message_size;
}

static enum datagram_verdict alone(unsigned header, bool with_sent_time, unsigned byte,
                                   size_t message_size)
{
    begin(header, with_sent_time);
    command(byte, message_size);
    return check(draft.data, draft.size);
}

TEST(commands_have_the_flags_that_a_client_sets)
{
    static const struct {
        unsigned header, bytes[2]; // 0: no second command
        size_t message;
        enum datagram_verdict verdict;
    } rows[] = {
        {0x8FFF, {0x82}, 0, DATAGRAM_OK}, // connect
        {0x0FFF, {0x44}, 0, DATAGRAM_OK}, // gave up connecting
        {0x9003, {0x84}, 0, DATAGRAM_OK}, // disconnect
        {0x1003, {0x44}, 0, DATAGRAM_OK}, // disconnect now
        {0x1003, {0x01}, 0, DATAGRAM_OK}, // acknowledge
        {0x9003, {0x85}, 0, DATAGRAM_OK}, // ping
        {0x9003, {0x86}, 1, DATAGRAM_OK},
        {0x1003, {0x07}, 40, DATAGRAM_OK},
        {0x1003, {0x49}, 40, DATAGRAM_OK},
        {0x9003, {0x8A}, 0, DATAGRAM_OK}, // bandwidth limit
        {0x9003, {0x8B}, 0, DATAGRAM_OK}, // throttle configure
        {0x9003, {0x06}, 4, DATAGRAM_MALFORMED},
        {0x9003, {0x87}, 4, DATAGRAM_MALFORMED},
        {0x9003, {0xC4}, 0, DATAGRAM_MALFORMED},
        {0x9003, {0x95}, 0, DATAGRAM_MALFORMED},
        {0x1003, {0x85}, 0, DATAGRAM_MALFORMED}, // no time to echo
        {0x9003, {0x80}, 0, DATAGRAM_MALFORMED},
        {0x9003, {0x83}, 0, DATAGRAM_MALFORMED}, // a server's command
        {0x9003, {0x8D}, 0, DATAGRAM_MALFORMED},
        {0x8003, {0x82}, 0, DATAGRAM_MALFORMED}, // a connect of somebody who is in
        {0x8FFF, {0x85}, 0, DATAGRAM_MALFORMED},
        {0x8FFF, {0x82, 0x86}, 10, DATAGRAM_MALFORMED}, // a connect stands alone
        {0x0FFF, {0x44, 0x44}, 0, DATAGRAM_MALFORMED},
        {0x9003, {0x88}, 100, DATAGRAM_FRAGMENT},
        {0x1003, {0x0C}, 100, DATAGRAM_FRAGMENT},
        {0x9003, {0x85, 0x88}, 10, DATAGRAM_FRAGMENT},
        {0xC003, {0x85}, 0, DATAGRAM_COMPRESSED},
        {0x4FFF, {0x44}, 0, DATAGRAM_COMPRESSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(rows[i].header, (rows[i].header & 0x8000) != 0);
        command(rows[i].bytes[0], rows[i].bytes[1] == 0 ? rows[i].message : 0);
        if (rows[i].bytes[1] != 0)
            command(rows[i].bytes[1], rows[i].message);
        const enum datagram_verdict verdict = check(draft.data, draft.size);
        if (verdict != rows[i].verdict)
            fail_msg("row %zu: %s", i, datagram_verdict_name(verdict));
    }
    static const uint8_t query[] = "\xFF\xFF\xFF\xFFTSource Engine Query";
    assert_int_equal(check(query, sizeof query), DATAGRAM_CONNECTIONLESS);
    assert_int_equal(check(query, 2), DATAGRAM_CONNECTIONLESS);
    assert_int_equal(check(query, 1), DATAGRAM_MALFORMED);
}

TEST(commands_have_the_channels_of_a_client)
{
    for (unsigned channel = 0; channel <= 0xFF; channel++) {
        static const uint8_t control[] = {0x84, 0x85, 0x8A, 0x8B}, messages[] = {0x86, 0x07, 0x49};
        for (size_t i = 0; i < sizeof control; i++) {
            alone(0x9003, true, control[i], 0);
            draft.data[5] = (uint8_t)channel;
            assert_int_equal(check(draft.data, draft.size),
                             channel == 0xFF ? DATAGRAM_OK : DATAGRAM_MALFORMED);
        }
        for (size_t i = 0; i < sizeof messages; i++) {
            alone(0x9003, true, messages[i], 8);
            draft.data[5] = (uint8_t)channel;
            assert_int_equal(check(draft.data, draft.size),
                             channel < 2 ? DATAGRAM_OK : DATAGRAM_MALFORMED);
        }
        alone(0x9003, true, 0x01, 0);
        draft.data[5] = (uint8_t)channel;
        assert_int_equal(check(draft.data, draft.size),
                         channel < 2 || channel == 0xFF ? DATAGRAM_OK : DATAGRAM_MALFORMED);
    }
}

TEST(commands_can_be_read_one_by_one)
{
    struct datagram_command read;
    begin(0xB003, true);
    command(0x01, 0);
    command(0x86, 300);
    command(0x85, 0);
    draft.data[4 + 3] = 7; // sequence number that the acknowledgement has, and the one it is about
    draft.data[4 + 5] = 9;
    assert_int_equal(check(draft.data, draft.size), DATAGRAM_OK);
    assert_int_equal(datagram_sender(draft.data).peer, 3);
    assert_int_equal(datagram_sender(draft.data).session, 3);
    assert_int_equal(datagram_sent_time(draft.data), 0x1234);
    assert_true(datagram_first(draft.data, draft.size, &read));
    assert_int_equal(read.number, WIRE_ACKNOWLEDGE);
    assert_int_equal(read.at, 4);
    assert_int_equal(read.size, 8);
    assert_int_equal(read.sequence, 7);
    assert_int_equal(read.argument, 9);
    assert_true(datagram_next(draft.data, draft.size, &read));
    assert_int_equal(read.number, WIRE_SEND_RELIABLE);
    assert_int_equal(read.size, 306);
    assert_int_equal(read.message_size, 300);
    assert_true(datagram_next(draft.data, draft.size, &read));
    assert_int_equal(read.number, WIRE_PING);
    assert_int_equal(read.channel, WIRE_CONTROL);
    assert_false(datagram_next(draft.data, draft.size, &read));
}

TEST(limits_that_a_client_sets_can_be_taken_back)
{
    ENetProtocolThrottleConfigure throttle;
    ENetProtocolBandwidthLimit bandwidth;
    ENetProtocolConnect connect, wanted;
    alone(0x9003, true, 0x8B, 0);
    memset(draft.data + 8, 0xAA, 12);
    datagram_unlimit(draft.data + 4);
    memcpy(&throttle, draft.data + 4, sizeof throttle);
    assert_int_equal(ENET_NET_TO_HOST_32(throttle.packetThrottleInterval), 5000);
    assert_int_equal(ENET_NET_TO_HOST_32(throttle.packetThrottleAcceleration), 32);
    assert_int_equal(throttle.packetThrottleDeceleration, 0);
    alone(0x9003, true, 0x8A, 0);
    memset(draft.data + 8, 0xAA, 8);
    datagram_unlimit(draft.data + 4);
    memcpy(&bandwidth, draft.data + 4, sizeof bandwidth);
    assert_int_equal(bandwidth.incomingBandwidth, 0);
    assert_int_equal(bandwidth.outgoingBandwidth, 0);
    alone(0x8FFF, true, 0x82, 0);
    memset(draft.data + 8, 0xAA, sizeof connect - 4);
    memcpy(&wanted, draft.data + 4, sizeof wanted);
    wanted.incomingBandwidth = wanted.outgoingBandwidth = 0;
    datagram_unlimit_connect(draft.data);
    memcpy(&connect, draft.data + 4, sizeof connect);
    assert_memory_equal(&connect, &wanted, sizeof wanted);
}

TEST(commands_share_a_datagram)
{
    begin(0x8000, true);
    command(0x01, 0);
    command(0x85, 0);
    command(0x86, 300);
    command(0x07, 500);
    assert_int_equal(check(draft.data, draft.size), DATAGRAM_OK);
    // Each prefix ends inside a command or a header, unless it ends between two commands.
    int whole = 0;
    for (size_t size = 0; size < draft.size; size++)
        whole += check(draft.data, size) == DATAGRAM_OK;
    assert_int_equal(whole, 3);
    draft.data[draft.size] = 0;
    assert_int_equal(check(draft.data, draft.size + 1), DATAGRAM_MALFORMED);
}

TEST(commands_are_no_more_than_enet_puts_into_a_datagram)
{
    for (int count = 1; count <= 290; count++) {
        begin(0x9003, true);
        for (int i = 0; i < count; i++)
            command(0x85, 0);
        assert_int_equal(check(draft.data, draft.size),
                         count <= ENET_PROTOCOL_MAXIMUM_PACKET_COMMANDS ? DATAGRAM_OK
                                                                        : DATAGRAM_COMMANDS);
    }
}

TEST(a_connect_carries_its_cookie_and_gets_our_mtu)
{
    struct datagram_connect connect = {0};
    ENetProtocolConnect sent;
    assert_int_equal(alone(0x8FFF, true, 0x82, 0), DATAGRAM_OK);
    memcpy(&sent, draft.data + 4, sizeof sent);
    sent.data = ENET_HOST_TO_NET_32(0x12345678);
    sent.connectID = 0xCAFE;
    memcpy(draft.data + 4, &sent, sizeof sent);
    assert_true(datagram_is_connect(draft.data, draft.size, &connect));
    assert_int_equal(connect.cookie, 0x12345678);
    assert_int_equal(connect.id, 0xCAFE);
    static const uint32_t mtus[][2] = {{0, 1100},    {1099, 1100}, {1100, 1100},
                                       {1150, 1150}, {1200, 1200}, {UINT32_MAX, 1200}};
    for (size_t i = 0; i < sizeof mtus / sizeof mtus[0]; i++) {
        sent.mtu = ENET_HOST_TO_NET_32(mtus[i][0]);
        memcpy(draft.data + 4, &sent, sizeof sent);
        datagram_limit_mtu(draft.data, 1100, 1200);
        sent.mtu = ENET_HOST_TO_NET_32(mtus[i][1]);
        assert_memory_equal(draft.data + 4, &sent, sizeof sent);
    }
    alone(0x9003, true, 0x86, 42);
    assert_int_equal(draft.size, 52);
    assert_false(datagram_is_connect(draft.data, draft.size, &connect));
}

TEST(size_is_bounded_by_the_mtu)
{
    const size_t headers = 2 + sizeof(ENetProtocolSendUnreliable);
    assert_int_equal(alone(0, false, 0x07, RAIM_MAX_DATAGRAM_BYTES - headers), DATAGRAM_OK);
    assert_int_equal(alone(0, false, 0x07, RAIM_MAX_DATAGRAM_BYTES - headers + 1),
                     DATAGRAM_OVERSIZE);
    assert_int_equal(check(draft.data, 4097), DATAGRAM_OVERSIZE);
    assert_int_equal(check(draft.data, 65507), DATAGRAM_OVERSIZE);
    assert_int_equal(datagram_check(NULL, 0), DATAGRAM_MALFORMED);
}

TEST(lengths_that_lie_are_rejected)
{
    for (int lie = -3; lie <= 3; lie++) {
        alone(0x9003, true, 0x86, 10);
        draft.data[4 + 5] = (uint8_t)(10 + lie);
        assert_int_equal(check(draft.data, draft.size),
                         lie == 0 ? DATAGRAM_OK : DATAGRAM_MALFORMED);
    }
    alone(0x9003, true, 0x86, 10);
    draft.data[4 + 4] = 0xFF;
    assert_int_equal(check(draft.data, draft.size), DATAGRAM_MALFORMED);
    // ENet bounds what it holds by message bytes, so it would hold any number of empty messages.
    assert_int_equal(alone(0x1003, false, 0x07, 0), DATAGRAM_MALFORMED);
}

// Parses an accepted datagram as ENet does: it reaches the end and meets no fragment.
static bool enet_reads_all_of(const uint8_t *data, size_t size)
{
    size_t at = (data[0] & 0x80) != 0 ? sizeof(ENetProtocolHeader) : 2;
    while (at < size) {
        ENetProtocol parsed;
        const size_t left = size - at;
        const size_t fixed = fixed_size(data[at]);
        if (fixed == 0 || fixed > left)
            return false;
        memcpy(&parsed, data + at, fixed);
        at += fixed;
        switch (parsed.header.command & ENET_PROTOCOL_COMMAND_MASK) {
        case ENET_PROTOCOL_COMMAND_SEND_FRAGMENT:
        case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT:
            return false;
        case ENET_PROTOCOL_COMMAND_SEND_RELIABLE:
            at += ntohs(parsed.sendReliable.dataLength);
            break;
        case ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE:
            at += ntohs(parsed.sendUnreliable.dataLength);
            break;
        case ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED:
            at += ntohs(parsed.sendUnsequenced.dataLength);
            break;
        default:
            break;
        }
    }
    return at == size;
}

// Valid commands with a few random bytes, so that many are nearly valid.
static void random_draft(void)
{
    static const uint8_t bytes[] = {0x01, 0x82, 0x84, 0x44, 0x85, 0x86, 0x07,
                                    0x49, 0x8A, 0x8B, 0x88, 0x0C, 0x83};
    const bool with_sent_time = chance_int(0, 3) > 0;
    begin((with_sent_time ? 0x8000U : 0) | (unsigned)chance_int(0, 0x1FFF), with_sent_time);
    for (int count = chance_int(0, 6); count > 0; count--) {
        const uint8_t byte = bytes[chance_int(0, sizeof bytes - 1)];
        const int number = byte & ENET_PROTOCOL_COMMAND_MASK;
        const bool carries = number >= 6 && number != 10 && number != 11;
        command(byte, carries ? (size_t)chance_int(1, 60) : 0);
    }
    for (int wrong = chance_int(-3, 3); wrong > 0; wrong--)
        draft.data[chance_int(0, (int)draft.size - 1)] = (uint8_t)chance_int(0, 255);
    if (chance_int(0, 9) == 0)
        draft.size = (size_t)chance_int(0, (int)draft.size);
}

TEST(enet_reads_accepted_datagrams_to_the_end)
{
    int verdicts[DATAGRAM_VERDICTS] = {0};
    for (int i = 0; i < 200000; i++) {
        if (chance_int(0, 9) == 0) {
            draft.size = (size_t)chance_int(0, 1300);
            for (size_t at = 0; at < draft.size; at++)
                draft.data[at] = (uint8_t)chance_int(0, 255);
        } else {
            random_draft();
        }
        const enum datagram_verdict verdict = check(draft.data, draft.size);
        verdicts[verdict]++;
        if (verdict == DATAGRAM_OK)
            assert_true(enet_reads_all_of(draft.data, draft.size));
    }
    assert_true(verdicts[DATAGRAM_OK] > 5000);
    assert_true(verdicts[DATAGRAM_MALFORMED] > 5000);
    assert_true(verdicts[DATAGRAM_FRAGMENT] > 5000);
    assert_true(verdicts[DATAGRAM_COMPRESSED] > 500);
    assert_true(verdicts[DATAGRAM_OVERSIZE] > 500);
}

TEST(every_verdict_has_its_own_name)
{
    for (int a = 0; a < DATAGRAM_VERDICTS; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(datagram_verdict_name((enum datagram_verdict)a),
                                    datagram_verdict_name((enum datagram_verdict)b));
}
