// SPDX-License-Identifier: MIT
// Walks a datagram's commands, removes those that ENet must not see, and closes the gaps.
#include "peer_guard.h"

#include "address_budget.h"

#include <assert.h>
#include <string.h>

static_assert(PEER_GUARD_WINDOW == 64, "the bits of a set");

// Offsets in a command: its sequence number, and an acknowledgement's echoed time.
enum { SEQUENCE = 2, ACK_TIME = 6, BITS = 64 };

enum verdict { KEEP, DROP, CUT }; // CUT drops this command and all after it

struct filter {
    struct peer_guard *guard;
    struct peer_guard_view view;
    struct peer_guard_report *report;
    uint64_t *rejected; // by reason
    uint8_t *data;
    int64_t now_ms;
    uint32_t unmatched;
};

void peer_guard_init(struct peer_guard *guard)
{
    memset(guard, 0, sizeof *guard);
    round_trip_init(&guard->round_trip);
}

bool peer_guard_admit(struct peer_guard *guard, uint64_t tick)
{
    if (guard->tick != tick) {
        const uint64_t ticks = tick - guard->tick;
        guard->datagrams =
            address_budget_repay(guard->datagrams, ticks, PEER_GUARD_DATAGRAMS_PER_TICK);
        guard->commands =
            address_budget_repay(guard->commands, ticks, PEER_GUARD_COMMANDS_PER_TICK);
        guard->reliable =
            address_budget_repay(guard->reliable, ticks, PEER_GUARD_RELIABLE_PER_TICK);
        guard->tick = tick;
    }
    // A peer without commands left has its datagrams dropped unparsed.
    if (guard->datagrams >= PEER_GUARD_DATAGRAMS || guard->commands >= PEER_GUARD_COMMANDS)
        return false;
    guard->datagrams++;
    return true;
}

static enum verdict reject(struct filter *filter, enum datagram_verdict reason)
{
    filter->rejected[reason]++;
    return DROP;
}

// Whether ENet may hold another message. Beyond its limit ENet would stop in the middle of the
// datagram and leave the commands after it unacknowledged.
static bool take_bytes(struct filter *filter, size_t size)
{
    struct peer_guard_view *view = &filter->view;
    if (view->waiting_bytes >= view->max_waiting_bytes)
        return false;
    view->waiting_bytes += size;
    return true;
}

static enum verdict judge_reliable(struct filter *filter, const struct datagram_command *command)
{
    struct peer_guard_channel *channel = &filter->view.channel[command->channel];
    const uint16_t ahead = (uint16_t)(command->sequence - channel->received);
    // ENet acknowledges a delivered command again without walking a list.
    if (ahead == 0 || ahead > UINT16_MAX / 2)
        return KEEP;
    if (ahead > PEER_GUARD_WINDOW)
        return reject(filter, DATAGRAM_AHEAD);
    const uint64_t bit = UINT64_C(1) << (ahead - 1);
    if ((channel->waiting & bit) != 0) {
        struct peer_guard_report *report = filter->report;
        report->repeat[report->repeats++] =
            (struct peer_guard_repeat){command->channel, command->sequence};
        return reject(filter, DATAGRAM_REPEATED);
    }
    if (!take_bytes(filter, command->message_size))
        return reject(filter, DATAGRAM_BUDGET);
    channel->waiting |= bit;
    while ((channel->waiting & 1) != 0) {
        channel->waiting >>= 1;
        channel->received++;
    }
    return KEEP;
}

static enum verdict judge_unreliable(struct filter *filter, const struct datagram_command *command)
{
    struct peer_guard_channel *channel = &filter->view.channel[command->channel];
    uint16_t ahead = (uint16_t)(command->sequence - channel->received);
    // The message was sent before a reliable message that has already arrived. ENet would drop it,
    // and if that reliable message was forged, it would drop all that follow. So the message gets
    // the newer reliable sequence number.
    if (ahead > UINT16_MAX / 2) {
        uint8_t *sequence = filter->data + command->at + SEQUENCE;
        sequence[0] = (uint8_t)(channel->received >> 8);
        sequence[1] = (uint8_t)channel->received;
        ahead = 0;
    }
    if (ahead > PEER_GUARD_WINDOW)
        return reject(filter, DATAGRAM_AHEAD);
    if (ahead > 0) {
        const uint64_t bit = UINT64_C(1) << command->argument % BITS;
        if (channel->held >= PEER_GUARD_HELD)
            return reject(filter, DATAGRAM_AHEAD);
        if ((channel->held_set & bit) != 0)
            return reject(filter, DATAGRAM_REPEATED);
        channel->held++;
        channel->held_set |= bit;
    }
    return take_bytes(filter, command->message_size) ? KEEP : reject(filter, DATAGRAM_BUDGET);
}

// Clamps the echoed time to the true one, and to one of PEER_GUARD_SAMPLE_MS ago. ENet trusts the
// peer's echo and derives the resend timeout from it. It ignores an acknowledgement whose echo is
// later than its service began, so the echo is measured by ENet's clock, which differs from ours.
static void correct_echo(struct filter *filter, const struct datagram_command *command,
                         uint32_t elapsed_ms)
{
    uint8_t *echo = filter->data + command->at + ACK_TIME;
    const uint16_t echoed = (uint16_t)(echo[0] << 8 | echo[1]);
    const uint32_t most_ms = elapsed_ms < PEER_GUARD_SAMPLE_MS ? elapsed_ms : PEER_GUARD_SAMPLE_MS;
    if ((uint16_t)(filter->view.service_ms - echoed) <= most_ms)
        return;
    const uint16_t sent = (uint16_t)(filter->view.service_ms - most_ms);
    echo[0] = (uint8_t)(sent >> 8);
    echo[1] = (uint8_t)sent;
}

static enum verdict judge_acknowledgement(struct filter *filter,
                                          const struct datagram_command *command)
{
    uint32_t elapsed_ms;
    const enum round_trip_channel channel = command->channel == WIRE_CONTROL
                                                ? ROUND_TRIP_CONTROL
                                                : (enum round_trip_channel)command->channel;
    if (round_trip_acknowledge(&filter->guard->round_trip, channel, command->argument,
                               filter->now_ms, &elapsed_ms)) {
        correct_echo(filter, command, elapsed_ms);
        filter->view.is_connected = filter->view.is_connected || filter->view.is_connecting;
        return KEEP;
    }
    if (++filter->unmatched <= PEER_GUARD_ACKS)
        return DROP;
    reject(filter, DATAGRAM_ACKS);
    return CUT;
}

static enum verdict judge_disconnect(struct filter *filter)
{
    struct peer_guard *guard = filter->guard;
    if (filter->view.trusts_disconnect ||
        filter->now_ms - guard->active_ms >= PEER_GUARD_SILENCE_MS)
        return KEEP;
    if (guard->disconnect_ms == 0)
        guard->disconnect_ms = filter->now_ms;
    return reject(filter, DATAGRAM_DISCONNECT);
}

static bool take_command(struct peer_guard *guard, const struct datagram_command *command)
{
    const bool is_reliable = command->is_reliable && command->number != WIRE_DISCONNECT;
    if (guard->commands >= PEER_GUARD_COMMANDS ||
        (is_reliable && guard->reliable >= PEER_GUARD_RELIABLE))
        return false;
    guard->commands++;
    guard->reliable += is_reliable;
    return true;
}

static void note_activity(struct peer_guard *guard, int64_t now_ms)
{
    guard->active_ms = now_ms;
    guard->disconnect_ms = 0;
}

bool peer_guard_take_message(struct peer_guard *guard, int64_t now_ms)
{
    if (guard->commands >= PEER_GUARD_COMMANDS)
        return false;
    guard->commands++;
    note_activity(guard, now_ms);
    return true;
}

static enum verdict judge(struct filter *filter, const struct datagram_command *command)
{
    // Acknowledgements that match are bounded by what the server has sent; others have a limit of
    // their own.
    if (command->number == WIRE_ACKNOWLEDGE)
        return judge_acknowledgement(filter, command);
    if (!take_command(filter->guard, command)) {
        reject(filter, DATAGRAM_BUDGET);
        return CUT;
    }
    if (command->number == WIRE_DISCONNECT)
        return judge_disconnect(filter);
    // ENet would stop here. The peer resends this command and the missing acknowledgement.
    if (!filter->view.is_connected)
        return CUT;
    // Until its first message a peer counts as silent, whatever pings it sends.
    if (command->message_size > 0 ||
        (command->number == WIRE_PING && filter->guard->active_ms != 0))
        note_activity(filter->guard, filter->now_ms);
    if (command->message_size > 0 && command->channel >= filter->view.channels)
        return CUT;
    switch (command->number) {
    case WIRE_SEND_RELIABLE:
        return judge_reliable(filter, command);
    case WIRE_SEND_UNRELIABLE:
        return judge_unreliable(filter, command);
    case WIRE_SEND_UNSEQUENCED:
        return take_bytes(filter, command->message_size) ? KEEP : reject(filter, DATAGRAM_BUDGET);
    case WIRE_BANDWIDTH_LIMIT:
    case WIRE_THROTTLE_CONFIGURE:
        datagram_unlimit(filter->data + command->at);
        return KEEP;
    case WIRE_ACKNOWLEDGE:
    case WIRE_CONNECT:
    case WIRE_DISCONNECT:
    case WIRE_PING:
        break;
    }
    return KEEP;
}

void peer_guard_filter(struct peer_guard *guard, const struct peer_guard_view *view, uint8_t *data,
                       size_t size, int64_t now_ms, uint64_t rejected[DATAGRAM_VERDICTS],
                       struct peer_guard_report *report)
{
    struct filter filter = {.guard = guard,
                            .view = *view,
                            .report = report,
                            .rejected = rejected,
                            .data = data,
                            .now_ms = now_ms};
    struct datagram_command command;
    report->size = report->repeats = 0;
    size_t kept = 0;
    bool more = datagram_first(data, size, &command);
    for (; more; more = datagram_next(data, size, &command)) {
        if (kept == 0)
            kept = report->size = command.at;
        const enum verdict verdict = judge(&filter, &command);
        if (verdict == CUT)
            break;
        if (verdict == DROP)
            continue;
        if (kept != command.at)
            memmove(data + kept, data + command.at, command.size);
        kept += command.size;
    }
    report->size = kept > report->size ? kept : 0;
}

int64_t peer_guard_deadline_ms(const struct peer_guard *guard)
{
    const int64_t disconnect_ms =
        guard->disconnect_ms != 0 ? guard->disconnect_ms + PEER_GUARD_DISCONNECT_MS : INT64_MAX;
    return guard->reset_ms != 0 && guard->reset_ms < disconnect_ms ? guard->reset_ms
                                                                   : disconnect_ms;
}

enum { PART_MS = ROUND_TRIP_WINDOW_MS / ROUND_TRIP_BUCKETS, SENT_AGAIN = 1 };

static_assert(ROUND_TRIP_WINDOW_MS % ROUND_TRIP_BUCKETS == 0, "all parts have one length");
static_assert((ROUND_TRIP_MESSAGES & (ROUND_TRIP_MESSAGES - 1)) == 0 &&
                  (ROUND_TRIP_COMMANDS & (ROUND_TRIP_COMMANDS - 1)) == 0,
              "sequence numbers wrap at a multiple");

void round_trip_init(struct round_trip *round_trip)
{
    memset(round_trip, 0, sizeof *round_trip);
    for (int i = 0; i <= ROUND_TRIP_BUCKETS; i++)
        round_trip->min_ms[i] = ROUND_TRIP_UNKNOWN;
}

static uint16_t entries_of(enum round_trip_channel channel)
{
    return channel == ROUND_TRIP_RELIABLE ? ROUND_TRIP_MESSAGES : ROUND_TRIP_COMMANDS;
}

static const uint32_t *entry_of(const struct round_trip *round_trip,
                                enum round_trip_channel channel, uint16_t sequence)
{
    switch (channel) {
    case ROUND_TRIP_RELIABLE:
        return &round_trip->reliable[sequence % ROUND_TRIP_MESSAGES];
    case ROUND_TRIP_UNRELIABLE:
        return &round_trip->unreliable[sequence % ROUND_TRIP_COMMANDS];
    case ROUND_TRIP_CONTROL:
        break;
    }
    return &round_trip->control[sequence % ROUND_TRIP_COMMANDS];
}

// Whether the command of this sequence number was sent and not yet acknowledged.
static bool is_waiting(const struct round_trip *round_trip, enum round_trip_channel channel,
                       uint16_t sequence)
{
    const uint16_t age = (uint16_t)(round_trip->newest[channel] - sequence);
    return age < entries_of(channel) && *entry_of(round_trip, channel, sequence) != 0;
}

void round_trip_send(struct round_trip *round_trip, enum round_trip_channel channel,
                     uint16_t sequence, int64_t now_ms)
{
    uint32_t *entry = (uint32_t *)entry_of(round_trip, channel, sequence);
    if (is_waiting(round_trip, channel, sequence)) {
        *entry |= SENT_AGAIN;
        return;
    }
    const uint16_t ahead = (uint16_t)(sequence - round_trip->newest[channel]);
    if (!round_trip->has_sent[channel] || ahead <= UINT16_MAX / 2)
        round_trip->newest[channel] = sequence;
    round_trip->has_sent[channel] = true;
    // 0 means "no command", so one millisecond in 2^31 is stored as the next one.
    *entry = (uint32_t)now_ms << 1;
    if (*entry == 0)
        *entry = 2;
}

bool round_trip_has_room(const struct round_trip *round_trip, enum round_trip_channel channel,
                         uint16_t sequence)
{
    return *entry_of(round_trip, channel, sequence) == 0;
}

static void add_sample(struct round_trip *round_trip, uint32_t sample_ms, int64_t now_ms)
{
    const int64_t part = now_ms / PART_MS;
    const int i = (int)(part % (ROUND_TRIP_BUCKETS + 1));
    if (round_trip->part[i] != part)
        round_trip->min_ms[i] = ROUND_TRIP_UNKNOWN;
    round_trip->part[i] = part;
    if (sample_ms < round_trip->min_ms[i])
        round_trip->min_ms[i] = sample_ms;
}

bool round_trip_acknowledge(struct round_trip *round_trip, enum round_trip_channel channel,
                            uint16_t sequence, int64_t now_ms, uint32_t *elapsed_ms)
{
    if (!is_waiting(round_trip, channel, sequence))
        return false;
    uint32_t *entry = (uint32_t *)entry_of(round_trip, channel, sequence);
    *elapsed_ms = ((uint32_t)now_ms << 1) - (*entry & ~(uint32_t)SENT_AGAIN);
    *elapsed_ms >>= 1;
    if ((*entry & SENT_AGAIN) == 0)
        add_sample(round_trip, *elapsed_ms > 0 ? *elapsed_ms : 1, now_ms);
    *entry = 0;
    return true;
}

uint32_t round_trip_min_ms(const struct round_trip *round_trip, int64_t now_ms)
{
    const int64_t newest = now_ms / PART_MS;
    uint32_t min_ms = ROUND_TRIP_UNKNOWN;
    for (int i = 0; i <= ROUND_TRIP_BUCKETS; i++)
        if (newest - round_trip->part[i] <= ROUND_TRIP_BUCKETS && round_trip->min_ms[i] < min_ms)
            min_ms = round_trip->min_ms[i];
    return min_ms;
}
