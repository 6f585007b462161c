// SPDX-License-Identifier: MIT
// Reads the server's messages and writes the client's.
#include "client_internal.h"

#include "chat.h"
#include "utf8.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)RAIM_CLIENT_PLAY == RAIM_PHASE_PLAY &&
                  (int)RAIM_CLIENT_BREAK == RAIM_PHASE_BREAK &&
                  (int)RAIM_CLIENT_PAUSED == RAIM_PHASE_PAUSED,
              "phases are those of the wire");

// The loss is measured over about so many packets: both counts are halved beyond it, so that older
// packets count less and less.
enum { LOSS_PACKETS = 600 };

// Size of the def of the library's first version.
enum { MIN_DEF_BYTES = offsetof(struct raim_client_def, require_encryption) + sizeof(bool) };

const char *raim_version(void)
{
    return RAIM_VERSION;
}

void raim_client_init_def(struct raim_client_def *def, size_t struct_size)
{
    const struct raim_client_def known = {
        .struct_size = struct_size,
        .name = "player",
        .connect_timeout_s = 10,
    };
    memset(def, 0, struct_size);
    memcpy(def, &known, struct_size < sizeof known ? struct_size : sizeof known);
}

bool raim_client_read_def(const struct raim_client_def *from, struct raim_client_def *def)
{
    if (from->struct_size < MIN_DEF_BYTES)
        return false;
    raim_client_init_def(def, sizeof *def);
    memcpy(def, from, from->struct_size < sizeof *def ? from->struct_size : sizeof *def);
    return true;
}

struct raim_client *raim_client_create(const struct raim_client_def *from)
{
    struct raim_client_def known;
    const struct raim_client_def *def = &known;
    if (!raim_client_read_def(from, &known))
        return NULL;
    assert(def->access_size <= RAIM_ACCESS_BYTES);
    struct raim_client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return NULL;
    client->hello = (struct raim_hello){
        .version = RAIM_PROTOCOL_VERSION,
        .capabilities = RAIM_CAPABILITY_PINGS | RAIM_CAPABILITY_VOTES | RAIM_CAPABILITY_ADMIN,
        .watch = def->watch,
        .target = def->watch ? def->target : RAIM_NOBODY,
        .access_size = def->access_size,
    };
    if (def->access_size > 0)
        memcpy(client->hello.access, def->access, def->access_size);
    strncpy(client->hello.name, def->name, sizeof client->hello.name - 1); // the rest stays 0
    raim_session_init(&client->session, def->connect_timeout_s);
    return client;
}

void raim_client_destroy(struct raim_client *client)
{
    if (client == NULL)
        return;
    raim_interpolation_destroy(&client->interpolation);
    raim_map_destroy(client->old_map);
    raim_replica_destroy(&client->replica);
    raim_client_roster_destroy(&client->roster);
    free(client);
}

// --- Connections ---

bool raim_client_wants_connection(struct raim_client *client, uint64_t now_us)
{
    return raim_session_wants_connection(&client->session, now_us);
}

size_t raim_client_write_hello(struct raim_client *client, uint64_t now_us, uint8_t *bytes,
                               size_t capacity)
{
    const struct raim_session *session = &client->session;
    client->hello_us = now_us;
    client->hello.resume = session->state == RAIM_CLIENT_RESUMING && session->has_token;
    memcpy(client->hello.token, session->token, sizeof client->hello.token);
    return raim_hello_write(&client->hello, bytes, capacity);
}

size_t raim_client_write_goodbye(struct raim_client *client, uint8_t *bytes, size_t capacity)
{
    struct raim_client_goodbye client_goodbye = {.reason = RAIM_REASON_LEFT};
    if (client->session.has_token)
        memcpy(client_goodbye.token, client->session.token, sizeof client_goodbye.token);
    raim_session_end(&client->session, RAIM_REASON_LEFT);
    return raim_client_goodbye_write(&client_goodbye, bytes, capacity);
}

void raim_client_disconnected(struct raim_client *client, uint64_t now_us, uint32_t reason)
{
    raim_session_lose(&client->session, now_us, reason);
}

const uint8_t *raim_client_token(const struct raim_client *client)
{
    const bool is_over = client->session.state == RAIM_CLIENT_ENDED;
    return client->session.has_token && !is_over ? client->session.token : NULL;
}

void raim_client_count_loss(struct raim_client *client, uint32_t arrived, uint32_t sent)
{
    client->packets_arrived += arrived;
    client->packets_sent += sent;
    while (client->packets_sent > LOSS_PACKETS) {
        client->packets_arrived /= 2;
        client->packets_sent /= 2;
    }
}

// --- Messages ---

static bool is_in(const struct raim_client *client)
{
    return client->session.state == RAIM_CLIENT_ENTERING ||
           client->session.state == RAIM_CLIENT_PLAYING;
}

// Ends a client whose arena cannot be played.
static bool give_up(struct raim_client *client)
{
    raim_session_end(&client->session, RAIM_REASON_MALFORMED);
    return false;
}

static raim_vec2 middle_of(raim_box box)
{
    return raim_vec2_scale(raim_vec2_add(box.min, box.max), 0.5);
}

// Keeps a map that the application may be drawing until it interpolates again.
static void keep_shown_map(struct raim_client *client)
{
    if (client->replica.map == NULL || client->replica.map != client->shown_map)
        return;
    client->old_map = client->replica.map;
    client->replica.map = NULL;
}

// Replaces everything that belongs to an arena by what the welcome describes. A player that resumes
// keeps its point of view until the first snapshot.
static bool enter(struct raim_client *client, uint64_t round_trip_us, bool is_own_again)
{
    const struct raim_welcome *welcome = &client->welcome;
    const struct raim_prediction_record record = client->prediction.record;
    const raim_vec2 last_eye = client->interpolation.eye;
    raim_interpolation_destroy(&client->interpolation);
    client->interpolation = (struct raim_interpolation){0};
    keep_shown_map(client);
    raim_replica_destroy(&client->replica);
    if (!raim_replica_create(&client->replica, welcome) ||
        !raim_client_roster_enter(&client->roster, welcome))
        return false;
    const raim_vec2 eye = is_own_again ? last_eye : middle_of(client->replica.map_def.border);
    raim_clock_init(&client->clock, welcome->tick_hz, round_trip_us);
    raim_prediction_init(&client->prediction, (raim_player_id)welcome->player, NULL,
                         &client->replica.rules, welcome->tick_hz);
    client->prediction.record = record;
    client->votes = (struct raim_client_votes){0};
    client->roster_left = welcome->roster_count;
    client->acked_events = (uint16_t)welcome->event_sequence;
    client->sent_count = 0;
    client->input_pace = (struct raim_input_pace){0};
    client->stats.entries++;
    return raim_interpolation_create(&client->interpolation, welcome->tick_hz, welcome->max_players,
                                     eye);
}

static uint64_t known_round_trip_us(const struct raim_client *client)
{
    return (uint64_t)(client->clock.round_trip * 1e6 / client->clock.tick_hz);
}

// A hostile server's texts must not hide or turn around what stands beside them.
static void strip_texts(struct raim_welcome *welcome)
{
    raim_utf8_strip(welcome->arena);
    raim_utf8_strip(welcome->map_name);
    raim_utf8_strip(welcome->motd);
    raim_utf8_strip(welcome->phase.next_map);
}

static bool receive_welcome(struct raim_client *client, uint64_t now_us, raim_reader *reader)
{
    struct raim_welcome welcome;
    const bool is_back = client->session.state == RAIM_CLIENT_RESUMING, is_anew = is_in(client);
    if (!raim_welcome_read(reader, &welcome))
        return false;
    // A new arena does not turn a player into a spectator, nor a spectator into a player.
    if (is_anew && (welcome.player == RAIM_NOBODY) != raim_client_is_spectator(client))
        return false;
    const bool is_own_again = is_back && welcome.player == client->welcome.player;
    const uint64_t round_trip_us =
        is_anew ? known_round_trip_us(client) : now_us - client->hello_us;
    client->welcome = welcome;
    strip_texts(&client->welcome);
    client->stats.resumes += is_back;
    client->stats.rounds += is_anew && welcome.phase.round != client->roster.phase.round;
    if (!enter(client, round_trip_us, is_own_again))
        return give_up(client);
    // Input starts at once. Until the first snapshot it reports that there is none.
    if (is_anew && !raim_client_is_spectator(client))
        raim_clock_receive(&client->clock, now_us, welcome.tick, 0);
    raim_session_welcome(&client->session, now_us,
                         raim_client_is_spectator(client) ? NULL : welcome.token, welcome.grace_s);
    return true;
}

static void play_when_complete(struct raim_client *client)
{
    const struct raim_map *map = raim_replica_map(&client->replica);
    if (client->session.state != RAIM_CLIENT_ENTERING || client->roster_left > 0 || map == NULL)
        return;
    client->session.state = RAIM_CLIENT_PLAYING;
    client->prediction.moment.map = map;
}

static bool receive_obstacles(struct raim_client *client, raim_reader *reader)
{
    if (client->session.state != RAIM_CLIENT_ENTERING ||
        !raim_replica_add_obstacles(&client->replica, client->received.obstacles, reader))
        return false;
    if (raim_replica_is_complete(&client->replica) && raim_replica_map(&client->replica) == NULL)
        return give_up(client);
    play_when_complete(client);
    return true;
}

static bool receive_roster(struct raim_client *client, raim_reader *reader)
{
    struct raim_roster_entry *entries = client->received.entries;
    uint32_t count;
    if (client->session.state != RAIM_CLIENT_ENTERING ||
        !raim_roster_read(reader, entries, RAIM_CLIENT_MAX_ROSTER_MESSAGE, &count) ||
        count > client->roster_left ||
        !raim_client_roster_add_entries(&client->roster, entries, count))
        return false;
    client->roster_left -= count;
    play_when_complete(client);
    return true;
}

// The local player's state in the newest snapshot.
static struct raim_prediction_state received_state(const struct raim_client *client)
{
    const struct raim_wire_frame *frame =
        raim_replica_frame(&client->replica, client->replica.newest_tick);
    const uint32_t slot = raim_client_own_slot(client);
    if (!frame->self.alive || frame->self.slot != slot || !raim_set_has(frame->seen_players, slot))
        return (struct raim_prediction_state){.position = client->interpolation.eye,
                                              .shots = frame->self.shots};
    const raim_wire_player *seen = &frame->players[slot];
    return (struct raim_prediction_state){
        .position = raim_replica_units(seen->x, seen->y),
        .cooldown_ticks = frame->self.timer,
        .shots = frame->self.shots,
        .life = (uint8_t)seen->life,
        .alive = true,
        .shielded = seen->shield != 0,
        .held = !frame->self.steers,
    };
}

static bool receive_snapshot(struct raim_client *client, uint64_t now_us, raim_reader *reader,
                             size_t size)
{
    // A snapshot, on the unreliable channel, may overtake the welcome.
    if (!is_in(client))
        return true;
    struct raim_replica_change change;
    if (!raim_replica_add_snapshot(&client->replica, reader, &change))
        return false;
    struct raim_client_stats *stats = &client->stats;
    stats->other_epoch += change.is_other_epoch;
    if (!change.is_newest)
        return true;
    stats->snapshots++;
    stats->shots += change.shots;
    stats->hits += change.hits;
    stats->largest_snapshot = size > stats->largest_snapshot ? size : stats->largest_snapshot;
    client->session.listens = true;
    raim_interpolation_receive(&client->interpolation, &client->replica, now_us);
    raim_replica_release(&client->replica, raim_interpolation_tick(&client->interpolation,
                                                                   client->replica.newest_tick));
    const uint32_t tick = client->replica.newest_tick;
    if (raim_client_is_spectator(client)) {
        raim_clock_receive_tick(&client->clock, now_us, tick);
        return true;
    }
    const struct raim_prediction_state state = received_state(client);
    raim_clock_receive(&client->clock, now_us, tick, raim_replica_self(&client->replica).margin);
    raim_prediction_reconcile(&client->prediction, tick, &state);
    return true;
}

// Events, and the snapshot that follows them. Events that arrive before the roster is complete come
// again.
static bool receive_events(struct raim_client *client, uint64_t now_us, raim_reader *reader,
                           size_t size)
{
    struct raim_events_message *message = &client->received.events;
    if (!is_in(client))
        return true;
    const bool takes = client->session.state == RAIM_CLIENT_PLAYING;
    if (!raim_events_read(reader, message))
        return false;
    if (message->epoch != client->welcome.epoch) {
        client->stats.other_epoch++;
        return true;
    }
    if (takes && !raim_client_roster_accepts_events(&client->roster, message))
        return false;
    // A malformed snapshot rejects the events, too.
    if (reader->offset < 8 * reader->size && (raim_message_read(reader) != RAIM_MESSAGE_SNAPSHOT ||
                                              !receive_snapshot(client, now_us, reader, size)))
        return false;
    if (takes)
        raim_client_roster_add_events(&client->roster, message, &client->stats);
    return true;
}

static bool receive_goodbye(struct raim_client *client, uint64_t now_us, raim_reader *reader)
{
    struct raim_goodbye goodbye;
    if (!raim_goodbye_read(reader, &goodbye))
        return false;
    // The goodbye of the old connection, whose session this client has resumed in a new one.
    if (client->session.state == RAIM_CLIENT_RESUMING && goodbye.reason == RAIM_REASON_RESUMED)
        return true;
    if (goodbye.reason == RAIM_REASON_RESTART)
        raim_session_lose(&client->session, now_us, goodbye.reason);
    else
        raim_session_end(&client->session, goodbye.reason);
    raim_utf8_strip(goodbye.text);
    if (client->session.state == RAIM_CLIENT_ENDED)
        memcpy(client->end.text, goodbye.text, sizeof client->end.text);
    return true;
}

static bool receive_chat_rejected(struct raim_client *client, raim_reader *reader)
{
    struct raim_chat_rejected rejected;
    if (!raim_chat_rejected_read(reader, &rejected))
        return false;
    if (is_in(client))
        raim_client_roster_add_chat_rejection(&client->roster, rejected.chat_rejection);
    return true;
}

static bool receive_notice(struct raim_client *client, raim_reader *reader)
{
    struct raim_notice notice;
    if (!raim_notice_read(reader, &notice))
        return false;
    if (is_in(client) && !notice.challenge)
        raim_client_roster_add_line(&client->roster, RAIM_CLIENT_NOTICE, notice.text);
    else if (is_in(client))
        strcpy(client->challenge, notice.text);
    return true;
}

static bool receive_pings(struct raim_client *client, raim_reader *reader)
{
    struct raim_pings pings;
    if (!raim_pings_read(reader, &pings))
        return false;
    if (!is_in(client))
        return true;
    const bool is_other_epoch = pings.epoch != client->welcome.epoch;
    client->stats.other_epoch += is_other_epoch;
    return is_other_epoch || raim_client_roster_set_pings(&client->roster, &pings);
}

bool raim_client_receive(struct raim_client *client, uint64_t now_us, const uint8_t *data,
                         size_t size)
{
    if (client->session.state == RAIM_CLIENT_ENDED)
        return true;
    raim_reader reader = raim_reader_make(data, size);
    bool good = false;
    const uint32_t kind = raim_message_read(&reader);
    switch (kind) {
    case RAIM_MESSAGE_WELCOME:
        good = receive_welcome(client, now_us, &reader);
        break;
    case RAIM_MESSAGE_OBSTACLES:
        good = receive_obstacles(client, &reader);
        break;
    case RAIM_MESSAGE_ROSTER:
        good = receive_roster(client, &reader);
        break;
    case RAIM_MESSAGE_EVENTS:
        good = receive_events(client, now_us, &reader, size);
        break;
    case RAIM_MESSAGE_SNAPSHOT:
        good = receive_snapshot(client, now_us, &reader, size);
        break;
    case RAIM_MESSAGE_GOODBYE:
        good = receive_goodbye(client, now_us, &reader);
        break;
    case RAIM_MESSAGE_CHAT_REJECTED:
        good = receive_chat_rejected(client, &reader);
        break;
    case RAIM_MESSAGE_PINGS:
        good = receive_pings(client, &reader);
        break;
    case RAIM_MESSAGE_VOTE:
        good = raim_client_receive_vote(client, now_us, &reader);
        break;
    case RAIM_MESSAGE_NOTICE:
        good = receive_notice(client, &reader);
        break;
    default:
        good = kind >= RAIM_MESSAGE_KINDS; // a kind that only later servers know
        break;
    }
    if (is_in(client))
        client->session.received_us = now_us;
    client->stats.decode_errors += !good;
    return good;
}

// --- Inputs ---

// A spectator's first snapshot, which starts its clock, may come long after the first events.
static bool waits_for_snapshots(const struct raim_client *client)
{
    return raim_client_is_spectator(client) && !client->replica.any;
}

static bool has_new_events(const struct raim_client *client)
{
    return client->acked_events != (uint16_t)client->roster.next_sequence;
}

bool raim_client_is_input_due(const struct raim_client *client, uint64_t now_us)
{
    if (client->session.state != RAIM_CLIENT_PLAYING)
        return false;
    return waits_for_snapshots(client) ? has_new_events(client)
                                       : raim_clock_is_input_due(&client->clock, now_us);
}

uint64_t raim_client_until_input_us(const struct raim_client *client, uint64_t now_us)
{
    if (raim_client_is_input_due(client, now_us))
        return 0;
    if (client->session.state != RAIM_CLIENT_PLAYING || waits_for_snapshots(client) ||
        !client->clock.is_set)
        return UINT64_MAX;
    return raim_clock_until_input_us(&client->clock, now_us);
}

// Ticks from the tick at which other players are shown to the later one of an input.
static uint8_t view_age(const struct raim_client *client, uint32_t tick)
{
    const double age = client->interpolation.looked
                           ? raim_interpolation_age(&client->interpolation,
                                                    (struct raim_interpolation_time){.tick = tick})
                           : raim_tick_diff(tick, client->replica.shown_tick);
    return (uint8_t)fmax(0, fmin(RAIM_WIRE_REWIND, floor(age + 0.5)));
}

// A message holds inputs of consecutive ticks. Where the clock skipped ticks, the input before them
// is repeated.
static void record_input(struct raim_client *client, uint32_t tick, const raim_wire_input *input)
{
    const uint32_t most = raim_clock_inputs(client->welcome.tick_hz);
    const uint32_t ahead = tick - client->input_tick;
    raim_wire_input *sent = client->sent;
    if (ahead >= most)
        client->sent_count = 0;
    for (uint32_t moved = client->sent_count > 0 ? ahead : 1; moved > 0; moved--) {
        memmove(&sent[1], &sent[0], (most - 1) * sizeof *sent);
        client->sent_count += client->sent_count < most;
    }
    sent[0] = *input;
    client->input_tick = tick;
}

static void press_keys(struct raim_client *client, uint32_t tick, const raim_input *pressed,
                       uint8_t age)
{
    const uint8_t most = (uint8_t)client->welcome.max_rewind;
    // In a break or a pause, and before the first snapshot, the input moves no player.
    const bool steers = raim_replica_self(&client->replica).steers;
    const bool fire = steers && pressed->fire != 0;
    raim_input input = steers ? *pressed : (raim_input){.aim = pressed->aim};
    input.rewind = !fire ? 0 : age < most ? age : most;
    const raim_wire_input sent = {
        .move_x = input.move_x,
        .move_y = input.move_y,
        .fire = fire,
        .view_age = fire ? age : 0,
        .aim = input.aim,
    };
    record_input(client, tick, &sent);
    raim_prediction_add_input(&client->prediction, tick, &input);
}

size_t raim_client_write_input(struct raim_client *client, uint64_t now_us, const raim_input *input,
                               uint8_t *bytes, size_t capacity)
{
    if (!raim_client_is_input_due(client, now_us))
        return 0;
    const bool is_early = waits_for_snapshots(client);
    const uint32_t tick = is_early ? 0 : raim_clock_take_input(&client->clock, now_us);
    const uint8_t age = view_age(client, tick);
    const bool is_news = raim_replica_advance(&client->replica) || has_new_events(client);
    struct raim_input_message message = {
        .tick = client->replica.newest_tick,
        .has_snapshot = client->replica.any,
        .snapshot = client->replica.newest_tick,
        .events = (uint16_t)client->roster.next_sequence,
        .count = 1,
    };
    if (raim_client_is_spectator(client)) {
        client->acked_events = message.events;
        return is_news ? raim_input_write(&message, bytes, capacity) : 0;
    }
    press_keys(client, tick, input, age);
    const struct raim_input_circumstances circumstances = {
        .may_fire = raim_prediction_may_fire(&client->prediction),
        .has_news = is_news,
    };
    if (!raim_input_pace_take(&client->input_pace, client->welcome.tick_hz, tick, &client->sent[0],
                              circumstances))
        return 0;
    client->acked_events = message.events;
    message.tick = tick;
    message.count = client->sent_count;
    memcpy(message.inputs, client->sent, sizeof client->sent);
    return raim_input_write(&message, bytes, capacity);
}

// Writes a NOTICE. A server without the capability might show it as chat, so it is rejected here.
static size_t write_command_or_reject(struct raim_client *client, const char *words, uint8_t *bytes,
                                      size_t capacity)
{
    struct raim_notice notice = {0};
    if ((client->welcome.capabilities & RAIM_CAPABILITY_ADMIN) == 0) {
        raim_client_roster_add_chat_rejection(&client->roster, RAIM_CHAT_COMMAND);
        return 0;
    }
    if (strlen(words) > RAIM_MAX_NOTICE_BYTES) {
        raim_client_roster_add_chat_rejection(&client->roster, RAIM_CHAT_LENGTH);
        return 0;
    }
    strcpy(notice.text, words);
    return raim_notice_write(&notice, bytes, capacity);
}

size_t raim_client_write_chat(struct raim_client *client, const char *text, uint8_t *bytes,
                              size_t capacity)
{
    if (client->session.state != RAIM_CLIENT_PLAYING || raim_client_is_spectator(client) ||
        text[0] == '\0')
        return 0;
    if (text[0] == '/')
        return write_command_or_reject(client, text + 1, bytes, capacity);
    const struct raim_chat chat = raim_chat_of(text);
    return raim_chat_write(&chat, bytes, capacity);
}

size_t raim_client_write_watch(struct raim_client *client, raim_player_id player, uint8_t *bytes,
                               size_t capacity)
{
    if (client->hello.watch)
        client->hello.target = player;
    if (client->session.state != RAIM_CLIENT_PLAYING || !raim_client_is_spectator(client))
        return 0;
    return raim_watch_write(&(struct raim_watch){player}, bytes, capacity);
}
