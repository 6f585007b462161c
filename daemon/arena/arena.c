// SPDX-License-Identifier: MIT
// Runs an arena: its deadlines, the order of a tick, and the published status.
#define _GNU_SOURCE
#include "arena_internal.h"

#include "connectionless.h"
#include "log.h"
#include "message.h"
#include "monotonic.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <sys/random.h>

static_assert((int)SNAPSHOT_PACE_MAX == RAIM_MAX_SNAPSHOT_INTERVAL, "the match can follow");

enum {
    CATCH_UP_TICKS = 4, // run at most per wakeup; ticks that are due beyond it are skipped
    PUBLISHES_PER_S = 10,
    LATE_SHARE = 4,    // a tick is late after a quarter of its period
    MEASURE_TICKS = 4, // ticks between two measurements of a client's round trip
};

uint16_t arena_port(const struct arena *arena)
{
    return arena->opened.port;
}

int arena_socket(const struct arena *arena)
{
    return transport_socket(arena->worker.transport);
}

uint32_t arena_ticks(const struct arena *arena)
{
    return atomic_load_explicit(&arena->shared.ticks, memory_order_relaxed);
}

struct mailbox *arena_mailbox(struct arena *arena)
{
    return &arena->shared.mailbox;
}

uint32_t arena_playing(const struct arena *arena)
{
    return atomic_load_explicit(&arena->shared.players, memory_order_relaxed);
}

uint64_t arena_ticked_ms(const struct arena *arena)
{
    return atomic_load_explicit(&arena->shared.ticked_ms, memory_order_relaxed);
}

const struct arena_status *arena_status(struct arena *arena)
{
    return triple_buffer_front(&arena->shared.status);
}

struct rejection_log *arena_rejection_log(struct arena *arena)
{
    return &arena->main.rejections;
}

bool *arena_sheds(struct arena *arena)
{
    return &arena->main.sheds;
}

struct overload *arena_overload(struct arena *arena)
{
    return &arena->main.overload;
}

enum checkpoint_guilt arena_guilt(const struct arena *arena)
{
    return arena_checkpoint_guilt(&arena->worker.checkpoint);
}

void arena_excuse(struct arena *arena)
{
    arena_checkpoint_excuse(&arena->worker.checkpoint);
}

void arena_restore(struct arena *arena)
{
    arena_checkpoint_start(&arena->worker.checkpoint, arena->worker.match);
    if (arena->worker.reservations != NULL)
        arena_take_reservations(arena);
}

void arena_post_checkpoint(struct arena *arena)
{
    if (arena->main.store != NULL)
        arena_checkpoint_post(&arena->worker.checkpoint, arena->main.store);
}

void arena_start(struct arena *arena, uint64_t offset_ns)
{
    arena->worker.deadline_ns = monotonic_ns() + offset_ns;
    arena->worker.has_news = arena->worker.queue != NULL; // its first tick makes an arena ready
}

uint64_t arena_due_ns(const struct arena *arena)
{
    const uint64_t share_ns = arena->opened.tick_ns / ARENA_SLEEP_SHARE;
    const uint64_t deadline_ns = arena->worker.deadline_ns;
    return arena->worker.is_asleep ? (deadline_ns / share_ns + 1) * share_ns : deadline_ns;
}

bool arena_is_asleep(const struct arena *arena)
{
    return arena->worker.is_asleep;
}

void arena_mark_readable(struct arena *arena)
{
    arena->worker.is_readable = true;
}

static struct arena_spot spot_of(raim_vec2 position)
{
    return (struct arena_spot){(int16_t)lround(position.x), (int16_t)lround(position.y)};
}

static void publish_bullets(const struct raim_world *world, struct arena_status *status)
{
    const raim_bullet *bullets = raim_world_bullets_const(world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->max_bullets && count < ARENA_SHOWN_BULLETS; i++)
        if (bullets[i].owner != RAIM_NOBODY)
            status->bullets[count++] = spot_of(
                raim_bullet_position(&world->rules, &bullets[i], world->tick, world->tick_hz));
    status->bullet_count = count;
}

// Copies the durations of the ticks since this buffer was last written.
static void publish_tick_us(const struct arena *arena, struct arena_status *status)
{
    const uint32_t count = arena->worker.tick_us_count;
    const uint32_t fresh = count - status->tick_us_written;
    for (uint32_t i = fresh < ARENA_TICK_WINDOW ? fresh : ARENA_TICK_WINDOW; i > 0; i--)
        status->tick_us[(count - i) % ARENA_TICK_WINDOW] =
            arena->worker.tick_us[(count - i) % ARENA_TICK_WINDOW];
    status->tick_us_written = count;
    if (status->tick_us_count < ARENA_TICK_WINDOW)
        status->tick_us_count = count < ARENA_TICK_WINDOW ? count : ARENA_TICK_WINDOW;
}

// Counts the round trips of the connected players, once a second.
static void count_pings(struct arena *arena, const struct arena_status *status)
{
    if (arena->worker.published++ % PUBLISHES_PER_S != 0)
        return;
    for (uint32_t i = 0; i < status->player_count; i++)
        if (!status->players[i].match.bot && !status->players[i].match.away)
            histogram_count_by(&arena->worker.pings, histogram_ping_bounds_ns,
                               status->players[i].ping_ms * (NS_PER_S / 1000));
}

static void publish(struct arena *arena)
{
    struct arena_status *status = triple_buffer_back(&arena->shared.status);
    const struct raim_world *world = raim_match_world(arena->worker.match);
    status->tick = raim_match_tick(arena->worker.match);
    status->late_ticks = arena->worker.late_ticks;
    status->skipped_ticks = arena->worker.skipped_ticks;
    status->snapshot_interval = arena->worker.pace.interval;
    status->durations = arena->worker.durations;
    status->latenesses = arena->worker.latenesses;
    status->round = raim_match_round(arena->worker.match);
    status->has_vote = raim_match_running_vote(arena->worker.match, &status->vote);
    status->counts = raim_match_counts(arena->worker.match);
    status->transport = *transport_stats(arena->worker.transport);
    masters_count_listing(&arena->worker.masters, (int64_t)monotonic_ms());
    status->masters = arena->worker.masters.report;
    status->rejected_checkpoints = arena->worker.checkpoint.rejected;
    status->lost_matches = arena->worker.checkpoint.lost;
    status->is_unsaved =
        arena->worker.checkpoint.file != NULL && !arena->worker.checkpoint.is_bound;
    if (arena->worker.recording.stream != NULL)
        status->recordings = recorder_stream_counts(arena->worker.recording.stream);
    status->recordings.is_running = arena->worker.recording.running != NULL;
    publish_tick_us(arena, status);
    if (status->profile.count != arena->worker.profile.count)
        status->profile = arena->worker.profile;
    status->player_count =
        raim_match_players(arena->worker.match, arena->worker.rows, arena->opened.status_rows);
    for (uint32_t i = 0; i < status->player_count; i++) {
        const struct raim_match_player *row = &arena->worker.rows[i];
        const bool here = !row->bot && !row->away;
        const raim_player *player = &raim_world_players_const(world)[raim_player_slot(row->id)];
        status->players[i] = (struct arena_player){
            .match = *row,
            .spot = spot_of(player->position),
            .aim = player->aim,
            .alive = player->state == RAIM_PLAYER_ALIVE,
            .shielded = player->shield_ticks > 0,
            .ping_ms = here ? transport_ping_ms(arena->worker.transport, row->client) : 0,
            .address = here ? transport_source(arena->worker.transport, row->client).ip
                            : (struct ip_address){0},
        };
    }
    count_pings(arena, status);
    status->pings = arena->worker.pings;
    status->pauses = arena->worker.pauses;
    status->bullet_count = 0;
    if (status->player_count > 0)
        publish_bullets(world, status);
    triple_buffer_publish(&arena->shared.status);
}

// Disconnects a new client if there is no random token for its session.
static void take_connection(struct arena *arena, uint32_t peer)
{
    uint8_t token[RAIM_TOKEN_BYTES];
    if (getrandom(token, sizeof token, 0) != sizeof token) {
        transport_disconnect(arena->worker.transport, peer, 0);
        return;
    }
    raim_match_connect(arena->worker.match, peer, token);
    raim_match_limit_messages(arena->worker.match, peer,
                              transport_message_bytes(arena->worker.transport, peer));
    arena_votes_note_origin(arena, peer);
    arena_commands_receive(&arena->worker.commands, arena->worker.match, arena->worker.transport,
                           peer);
}

static void answer_query(struct arena *arena, const struct transport_event *event)
{
    const struct a2s_cache_subject subject = {
        .config = arena->worker.config,
        .port = arena_port(arena),
        .match = arena->worker.match,
        .rows = arena->worker.rows,
        .row_count = arena->opened.status_rows,
    };
    const struct a2s_cached_reply *reply =
        a2s_cache_get(&arena->worker.a2s_cache, &subject, event->query,
                      (int64_t)(monotonic_ns() / (NS_PER_S / 1000)));
    transport_reply(arena->worker.transport, event->from, reply->bytes, reply->size);
}

// Passes the round-trip times that the transport measures on to the match, of some clients in each
// tick: the minimum of a second changes seldom.
static void measure_clients(struct arena *arena)
{
    const uint32_t turn = arena_ticks(arena) % MEASURE_TICKS;
    for (uint32_t peer = turn; peer < transport_capacity(arena->worker.transport);
         peer += MEASURE_TICKS)
        if (transport_is_connected(arena->worker.transport, peer))
            raim_match_set_rtt(arena->worker.match, peer,
                               transport_rtt_ms(arena->worker.transport, peer),
                               transport_jitter_ms(arena->worker.transport, peer));
}

static void take_messages(struct arena *arena)
{
    struct transport_event event;
    raim_match_prefetch(arena->worker.match);
    transport_receive(arena->worker.transport);
    while (transport_poll(arena->worker.transport, &event)) {
        switch (event.kind) {
        case TRANSPORT_CONNECTED:
            take_connection(arena, event.peer);
            if (event.channels < 2)
                raim_match_reject(arena->worker.match, event.peer, RAIM_REASON_CHANNELS);
            break;
        case TRANSPORT_DISCONNECTED:
            raim_match_disconnect(arena->worker.match, event.peer);
            break;
        case TRANSPORT_MESSAGE:
            raim_match_receive(arena->worker.match, event.peer, event.reliable, event.data,
                               event.size);
            if (event.reliable && raim_match_is_admitted(arena->worker.match, event.peer))
                transport_admit(arena->worker.transport, event.peer);
            break;
        case TRANSPORT_QUERY:
            if (event.query == QUERY_GETINFO)
                arena_masters_answer(arena, event.from, event.data, event.size);
            else
                answer_query(arena, &event);
            break;
        case TRANSPORT_NONE:
            break;
        }
    }
}

static void send_messages(struct arena *arena)
{
    struct raim_outgoing outgoing;
    while (raim_match_outgoing(arena->worker.match, &outgoing)) {
        tick_timer_enter(&arena->worker.timer, TICK_STAGE_SEND);
        if (outgoing.size > 0)
            transport_send(arena->worker.transport, outgoing.client, outgoing.reliable,
                           outgoing.data, outgoing.size);
        if (outgoing.close)
            transport_disconnect(arena->worker.transport, outgoing.client, outgoing.reason);
        tick_timer_enter(&arena->worker.timer, TICK_STAGE_ENCODE);
    }
}

// Counts the players before a drain is answered: once the answer is read, the count includes every
// client that was admitted before the drain.
static void note_playing(struct arena *arena)
{
    const uint32_t players = raim_match_playing(arena->worker.match);
    const uint32_t before = atomic_load_explicit(&arena->shared.players, memory_order_relaxed);
    if (players == before)
        return;
    atomic_store_explicit(&arena->shared.players, players, memory_order_relaxed);
    if (players == 0)
        arena->worker.has_news = true;
}

// Decides whether the next tick may leave out the socket: while there is no client, and nothing is
// to be sent.
static void update_sleep(struct arena *arena)
{
    arena->worker.is_asleep =
        raim_match_is_dormant(arena->worker.match) && transport_is_quiet(arena->worker.transport);
}

// Hands the lines of admins to the main thread. One that finds no room is lost, and its sender may
// repeat it.
static void report_lines(struct arena *arena)
{
    struct raim_match_line line;
    while (arena->worker.queue != NULL && raim_match_next_line(arena->worker.match, &line)) {
        struct arena_event item = {
            .kind = ARENA_EVENT_LINE,
            .player = line.player,
            .epoch = line.epoch,
            .is_encrypted = transport_is_secure(arena->worker.transport, line.client),
            .admin_level = line.level,
        };
        memcpy(item.name, line.name, sizeof item.name);
        memcpy(item.other_name, line.admin, sizeof item.other_name);
        memcpy(item.text, line.text, sizeof item.text);
        event_queue_post(arena->worker.queue, &item);
        arena->worker.has_news = true;
    }
}

static void run_commands(struct arena *arena)
{
    arena_commands_run(&arena->worker.commands, &arena->shared.mailbox, arena->worker.match,
                       arena->worker.transport);
}

// Publishes the status ten times a second, and before the commands of this tick are answered.
static void publish_due(struct arena *arena)
{
    const bool has_answers = arena->worker.commands.executed > 0;
    if (arena->worker.publish_in == 0 || has_answers)
        publish(arena);
    if (arena->worker.publish_in == 0)
        arena->worker.publish_in = arena->worker.config->match.tick_hz / PUBLISHES_PER_S;
    arena->worker.publish_in--;
    arena_commands_answer(&arena->worker.commands, &arena->shared.mailbox);
    arena->worker.has_news |= has_answers;
}

static void run_tick(struct arena *arena, uint64_t begin_ns)
{
    const bool skips_socket = arena->worker.is_asleep && !arena->worker.is_readable;
    const uint64_t due_ns = arena_due_ns(arena);
    const uint64_t late_ns = begin_ns > due_ns ? begin_ns - due_ns : 0;
    if (late_ns > arena->opened.tick_ns / LATE_SHARE)
        arena->worker.late_ticks++;
    histogram_count(&arena->worker.latenesses, late_ns);
    const bool is_measured =
        !skips_socket && raim_match_tick(arena->worker.match) % TICK_PROFILE_EVERY == 0;
    tick_timer_begin(&arena->worker.timer, is_measured, begin_ns);
    if (arena->worker.commands.bans == NULL) // they hold for the first datagram, too
        run_commands(arena);
    if (skips_socket) {
        transport_skip_receive(arena->worker.transport);
    } else {
        measure_clients(arena);
        take_messages(arena);
    }
    arena->worker.is_readable = false;
    tick_timer_enter(&arena->worker.timer, TICK_STAGE_STEP);
    note_playing(arena);
    arena_votes_watch(arena);
    run_commands(arena);
    arena_take_offers(arena);
    raim_match_observe(arena->worker.match, is_measured ? &arena->worker.observer : NULL);
    raim_match_set_snapshot_interval(arena->worker.match, arena->worker.pace.interval);
    raim_match_step(arena->worker.match);
    tick_timer_enter(&arena->worker.timer, TICK_STAGE_STEP);
    report_lines(arena);
    if (arena->worker.queue != NULL && event_queue_run(arena->worker.queue, arena->worker.match))
        arena->worker.has_news = true;
    arena_votes_run(arena);
    arena_rounds_run(arena);
    if (arena_checkpoint_run(&arena->worker.checkpoint, arena->worker.match,
                             arena->worker.transport))
        arena->worker.has_news = true;
    tick_timer_enter(&arena->worker.timer, TICK_STAGE_ENCODE);
    send_messages(arena);
    tick_timer_enter(&arena->worker.timer, TICK_STAGE_STEP);
    arena_recording_run(&arena->worker.recording, arena->worker.match, arena->worker.config);
    tick_timer_enter(&arena->worker.timer, TICK_STAGE_SEND);
    const bool announces = arena->worker.publish_in == 0 && arena_masters_run(arena);
    if (!skips_socket || announces)
        transport_flush(arena->worker.transport);
    tick_timer_end(&arena->worker.timer, &arena->worker.profile);
    if (!skips_socket || !raim_match_is_dormant(arena->worker.match))
        update_sleep(arena);
    publish_due(arena);
    atomic_fetch_add_explicit(&arena->shared.ticks, 1, memory_order_relaxed);
    const uint64_t end_ns = monotonic_ns();
    histogram_count(&arena->worker.durations, end_ns - begin_ns);
    if (skips_socket)
        snapshot_pace_init(&arena->worker.pace, arena->worker.config->match.tick_hz);
    else
        snapshot_pace_update(&arena->worker.pace, end_ns > due_ns ? end_ns - due_ns : 0,
                             arena->opened.tick_ns);
    arena->worker.tick_us[arena->worker.tick_us_count++ % ARENA_TICK_WINDOW] =
        (uint32_t)((end_ns - begin_ns) / 1000);
    atomic_store_explicit(&arena->shared.ticked_ms, end_ns / 1000000, memory_order_relaxed);
    if (arena->worker.has_news)
        wakeup_signal(arena->opened.wakeup);
    arena->worker.has_news = false;
}

// Runs instead of a tick while the arena leaves. Returns false when every connection is closed or
// the time is up.
static bool wait_for_answers(struct arena *arena)
{
    if (arena_is_empty(arena) || monotonic_ns() >= arena->worker.leave_ns)
        return false;
    arena_start(arena, arena->opened.tick_ns);
    return true;
}

bool arena_run(struct arena *arena)
{
    if (arena->worker.leave_ns != 0)
        return wait_for_answers(arena);
    uint64_t begin_ns = monotonic_ns();
    for (int i = 0; i < CATCH_UP_TICKS && begin_ns >= arena->worker.deadline_ns; i++) {
        arena_checkpoint_set_in_tick(&arena->worker.checkpoint, true);
        run_tick(arena, begin_ns);
        arena_checkpoint_set_in_tick(&arena->worker.checkpoint, false);
        arena->worker.deadline_ns += arena->opened.tick_ns;
        begin_ns = monotonic_ns();
    }
    if (begin_ns >= arena->worker.deadline_ns) {
        const uint64_t skipped = (begin_ns - arena->worker.deadline_ns) / arena->opened.tick_ns + 1;
        arena->worker.skipped_ticks += skipped;
        arena->worker.deadline_ns += skipped * arena->opened.tick_ns;
    }
    return true;
}

void arena_say_goodbye(struct arena *arena)
{
    if (arena->worker.leave_ns != 0)
        return; // done already
    arena_rounds_cut(arena, ROUND_END_SHUTDOWN);
    arena_recording_end(&arena->worker.recording, arena->worker.match);
    arena_checkpoint_end(&arena->worker.checkpoint, arena->worker.match, arena->worker.transport,
                         atomic_load(&arena->shared.keeps_checkpoint));
    send_messages(arena);
    arena_masters_end(arena);
    transport_flush(arena->worker.transport);
    arena->worker.is_asleep = false;
}

void arena_keep_checkpoint(struct arena *arena)
{
    atomic_store(&arena->shared.keeps_checkpoint, true);
}

bool arena_is_empty(struct arena *arena)
{
    take_messages(arena);
    transport_flush(arena->worker.transport);
    return transport_peers(arena->worker.transport) == 0;
}

void arena_leave(struct arena *arena, uint32_t timeout_ms)
{
    arena_say_goodbye(arena);
    arena->worker.leave_ns = monotonic_ns() + (uint64_t)timeout_ms * (NS_PER_S / 1000);
}

void arena_release(struct arena *arena)
{
    const struct wakeup *wakeup = arena->opened.wakeup;
    atomic_store_explicit(&arena->shared.is_released, true, memory_order_release);
    wakeup_signal(wakeup); // not the arena's: the main thread may have freed it already
}

bool arena_is_released(const struct arena *arena)
{
    return atomic_load_explicit(&arena->shared.is_released, memory_order_acquire);
}
