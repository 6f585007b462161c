// SPDX-License-Identifier: MIT
// The client's side of one arena: messages in, inputs out.
#include "client.h"

#include "arena_image.h"
#include "handshake.h"
#include "input.h"
#include "roster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(RAIM_CLIENT_NAME_BYTES == RAIM_MAX_NAME_BYTES + 1, "every name fits");
static_assert(RAIM_CLIENT_TEXT_BYTES == RAIM_MAX_TEXT_BYTES + 1, "every text fits");

enum {
    EVENTS = 1024,
    INPUTS_TOLD = 4,   // each input travels this often
    MARGIN_WANTED = 2, // ticks that an input should arrive before it is played
    MARGIN_MOST = 5,   // more is needless latency
};

struct raim_client {
    struct raim_hello hello;
    enum raim_client_state state;
    struct raim_client_end end;
    struct raim_client_stats stats;
    struct raim_welcome welcome;
    struct raim_client_member *members; // by place
    uint32_t roster_left;               // entries not yet told
    struct raim_image image;            // map and snapshots
    uint32_t next_sequence;

    struct raim_client_event events[EVENTS];
    uint32_t events_read, events_written;

    // The clock: which tick an input is for.
    bool clock_set;
    uint32_t input_tick;
    uint32_t look_tick;                // of the next look at the margin
    uint32_t told_count;               // inputs so far, at most INPUTS_TOLD
    raim_wire_input told[INPUTS_TOLD]; // newest first
};

struct raim_client_def raim_client_default_def(void)
{
    return (struct raim_client_def){.name = "player"};
}

struct raim_client *raim_client_create(const struct raim_client_def *def)
{
    struct raim_client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return NULL;
    client->hello = (struct raim_hello){
        .version = RAIM_PROTOCOL_VERSION,
        .watch = def->watch,
        .target = def->watch ? def->target : RAIM_NOBODY,
    };
    snprintf(client->hello.name, sizeof client->hello.name, "%s", def->name);
    return client;
}

void raim_client_destroy(struct raim_client *client)
{
    if (client == NULL)
        return;
    raim_image_destroy(&client->image);
    free(client->members);
    free(client);
}

size_t raim_client_write_hello(struct raim_client *client, uint8_t *bytes, size_t capacity)
{
    return raim_hello_write(&client->hello, bytes, capacity);
}

size_t raim_client_write_goodbye(struct raim_client *client, uint8_t *bytes, size_t capacity)
{
    client->state = RAIM_CLIENT_ENDED;
    client->end.reason = RAIM_REASON_LEFT;
    const struct raim_goodbye goodbye = {.reason = RAIM_REASON_LEFT};
    return raim_goodbye_write(&goodbye, bytes, capacity);
}

void raim_client_disconnected(struct raim_client *client, uint32_t reason)
{
    if (client->state == RAIM_CLIENT_ENDED)
        return;
    client->state = RAIM_CLIENT_ENDED;
    client->end.reason = reason != RAIM_REASON_NONE ? reason : RAIM_REASON_LOST;
}

// It cannot play in the arena that it was told of.
static bool give_up(struct raim_client *client)
{
    raim_client_disconnected(client, RAIM_REASON_MALFORMED);
    return false;
}

static bool receive_welcome(struct raim_client *client, raim_reader *reader)
{
    if (client->state != RAIM_CLIENT_CONNECTING || !raim_welcome_read(reader, &client->welcome))
        return false;
    const struct raim_welcome *welcome = &client->welcome;
    client->members = calloc(welcome->max_players, sizeof *client->members);
    if (client->members == NULL || !raim_image_create(&client->image, welcome))
        return give_up(client);
    client->next_sequence = welcome->event_sequence;
    client->roster_left = welcome->roster_count;
    client->state = RAIM_CLIENT_ENTERING;
    return true;
}

static void play_when_complete(struct raim_client *client)
{
    if (client->state == RAIM_CLIENT_ENTERING && client->roster_left == 0 &&
        raim_image_map(&client->image) != NULL)
        client->state = RAIM_CLIENT_PLAYING;
}

static bool receive_obstacles(struct raim_client *client, raim_reader *reader)
{
    if (client->state != RAIM_CLIENT_ENTERING || !raim_image_add_obstacles(&client->image, reader))
        return false;
    if (raim_image_is_told(&client->image) && raim_image_map(&client->image) == NULL)
        return give_up(client);
    play_when_complete(client);
    return true;
}

// NULL when the id names no place of this arena.
static struct raim_client_member *member_of(struct raim_client *client, uint32_t id)
{
    const uint32_t place = raim_player_place((raim_player_id)id);
    return place < client->welcome.max_players ? &client->members[place] : NULL;
}

static void set_member(struct raim_client *client, const struct raim_roster_entry *entry)
{
    struct raim_client_member *member = member_of(client, entry->player);
    *member = (struct raim_client_member){
        .id = (raim_player_id)entry->player,
        .bot = entry->bot,
        .score = entry->score,
        .deaths = entry->deaths,
    };
    memcpy(member->name, entry->name, sizeof member->name);
}

static bool receive_roster(struct raim_client *client, raim_reader *reader)
{
    enum { MOST = 512 }; // no message holds more
    struct raim_roster_entry entries[MOST];
    uint32_t count;
    if (client->state != RAIM_CLIENT_ENTERING || !raim_roster_read(reader, entries, MOST, &count) ||
        count > client->roster_left)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (member_of(client, entries[i].player) == NULL)
            return false;
    for (uint32_t i = 0; i < count; i++)
        set_member(client, &entries[i]);
    client->roster_left -= count;
    play_when_complete(client);
    return true;
}

static void add_event(struct raim_client *client, enum raim_client_event_kind kind, uint32_t player,
                      uint32_t victim)
{
    client->events[client->events_written++ % EVENTS] =
        (struct raim_client_event){kind, (raim_player_id)player, (raim_player_id)victim};
    if (client->events_written - client->events_read > EVENTS)
        client->events_read = client->events_written - EVENTS;
}

static void apply_event(struct raim_client *client, const struct raim_wire_event *event)
{
    struct raim_client_member *member = member_of(client, event->player);
    struct raim_client_member *victim = member_of(client, event->victim);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        set_member(client, &event->entry);
        add_event(client, RAIM_CLIENT_JOINED, event->player, 0);
        break;
    case RAIM_WIRE_LEFT:
        if (member->id == event->player)
            *member = (struct raim_client_member){0};
        add_event(client, RAIM_CLIENT_LEFT, event->player, 0);
        break;
    case RAIM_WIRE_KILL:
    case RAIM_WIRE_EVENT_KINDS:
        // Whoever is told late may know already who came after them.
        if (member->id == event->player)
            member->score = event->score;
        if (victim->id == event->victim)
            victim->deaths = event->deaths;
        client->stats.kills_seen++;
        client->stats.kills += event->player == client->welcome.player;
        client->stats.deaths += event->victim == client->welcome.player;
        add_event(client, RAIM_CLIENT_KILL, event->player, event->victim);
        break;
    }
}

static bool receive_events(struct raim_client *client, raim_reader *reader)
{
    struct raim_events_message message;
    if (client->state != RAIM_CLIENT_ENTERING && client->state != RAIM_CLIENT_PLAYING)
        return false;
    if (!raim_events_read(reader, &message))
        return false;
    for (uint32_t i = 0; i < message.count; i++)
        if (member_of(client, message.events[i].player) == NULL ||
            member_of(client, message.events[i].victim) == NULL)
            return false;
    for (uint32_t i = 0; i < message.count; i++) {
        const int32_t ahead = (int32_t)(message.sequence + i - client->next_sequence);
        if (ahead < 0) {
            client->stats.events_repeated++;
            continue;
        }
        client->stats.events_lost += (uint32_t)ahead;
        client->next_sequence = message.sequence + i + 1;
        client->stats.events++;
        apply_event(client, &message.events[i]);
    }
    return true;
}

// Keeps inputs arriving MARGIN_WANTED to MARGIN_MOST ticks early: looks at the margin once in each
// of the server's windows, and leaves one out after a correction, for it to be felt in a whole one.
static void adjust_clock(struct raim_client *client, uint32_t tick, int32_t margin)
{
    const uint32_t next_window = tick - tick % RAIM_MARGIN_WINDOW + RAIM_MARGIN_WINDOW;
    if (!client->clock_set) {
        client->clock_set = true;
        client->input_tick = tick + MARGIN_WANTED;
        client->look_tick = next_window + RAIM_MARGIN_WINDOW;
        return;
    }
    if (raim_tick_diff(tick, client->look_tick) < 0)
        return;
    client->look_tick = next_window;
    if (margin >= MARGIN_WANTED - 1 && margin <= MARGIN_MOST)
        return;
    client->input_tick += margin > MARGIN_MOST ? UINT32_MAX : (uint32_t)(MARGIN_WANTED - margin);
    client->look_tick += RAIM_MARGIN_WINDOW;
}

static bool receive_snapshot(struct raim_client *client, raim_reader *reader, size_t size)
{
    // The unreliable channel may be faster than the welcome.
    if (client->state == RAIM_CLIENT_CONNECTING)
        return true;
    struct raim_image_change change;
    if (!raim_image_add_snapshot(&client->image, reader, &change))
        return false;
    if (!change.is_newest)
        return true;
    struct raim_client_stats *stats = &client->stats;
    stats->snapshots++;
    stats->shots += change.shots;
    stats->hits += change.hits;
    stats->largest_snapshot = size > stats->largest_snapshot ? size : stats->largest_snapshot;
    if (!raim_client_is_spectator(client))
        adjust_clock(client, client->image.newest_tick, raim_image_self(&client->image).margin);
    return true;
}

static bool receive_goodbye(struct raim_client *client, raim_reader *reader)
{
    struct raim_goodbye goodbye;
    if (!raim_goodbye_read(reader, &goodbye))
        return false;
    client->state = RAIM_CLIENT_ENDED;
    client->end.reason = goodbye.reason;
    memcpy(client->end.text, goodbye.text, sizeof client->end.text);
    return true;
}

bool raim_client_receive(struct raim_client *client, const uint8_t *data, size_t size)
{
    if (client->state == RAIM_CLIENT_ENDED)
        return true;
    raim_reader reader = raim_reader_make(data, size);
    bool good = false;
    switch (raim_message_read(&reader)) {
    case RAIM_MESSAGE_WELCOME:
        good = receive_welcome(client, &reader);
        break;
    case RAIM_MESSAGE_OBSTACLES:
        good = receive_obstacles(client, &reader);
        break;
    case RAIM_MESSAGE_ROSTER:
        good = receive_roster(client, &reader);
        break;
    case RAIM_MESSAGE_EVENTS:
        good = receive_events(client, &reader);
        break;
    case RAIM_MESSAGE_SNAPSHOT:
        good = receive_snapshot(client, &reader, size);
        break;
    case RAIM_MESSAGE_GOODBYE:
        good = receive_goodbye(client, &reader);
        break;
    default:
        break;
    }
    client->stats.decode_errors += !good;
    return good;
}

static void press_keys(struct raim_client *client, const raim_input *input)
{
    for (uint32_t i = INPUTS_TOLD - 1; i > 0; i--)
        client->told[i] = client->told[i - 1];
    client->told[0] = (raim_wire_input){
        .move_x = input->move_x,
        .move_y = input->move_y,
        .fire = input->fire != 0,
        .aim = input->aim,
    };
    client->told_count += client->told_count < INPUTS_TOLD;
    client->input_tick++;
}

size_t raim_client_press(struct raim_client *client, const raim_input *input, uint8_t *bytes,
                         size_t capacity)
{
    if (client->state != RAIM_CLIENT_PLAYING || !client->image.any)
        return 0;
    const bool is_news = raim_image_go_on(&client->image);
    struct raim_input_message message = {
        .tick = client->image.newest_tick,
        .has_snapshot = true,
        .snapshot = client->image.newest_tick,
        .count = 1,
    };
    if (raim_client_is_spectator(client))
        return is_news ? raim_input_write(&message, bytes, capacity) : 0;
    press_keys(client, input);
    message.tick = client->input_tick;
    message.count = client->told_count;
    memcpy(message.inputs, client->told, sizeof client->told);
    return raim_input_write(&message, bytes, capacity);
}

enum raim_client_state raim_client_state(const struct raim_client *client)
{
    return client->state;
}

struct raim_client_end raim_client_end(const struct raim_client *client)
{
    return client->end;
}

const char *raim_client_reason_name(uint32_t reason)
{
    return raim_reason_name(reason);
}

const struct raim_client_stats *raim_client_stats(const struct raim_client *client)
{
    return &client->stats;
}

bool raim_client_next_event(struct raim_client *client, struct raim_client_event *event)
{
    if (client->events_read == client->events_written)
        return false;
    *event = client->events[client->events_read++ % EVENTS];
    return true;
}

uint32_t raim_client_tick_hz(const struct raim_client *client)
{
    return client->welcome.tick_hz;
}

const struct raim_map *raim_client_map(const struct raim_client *client)
{
    return raim_image_map(&client->image);
}

const raim_rules *raim_client_rules(const struct raim_client *client)
{
    return &client->image.rules;
}

uint32_t raim_client_max_players(const struct raim_client *client)
{
    return client->welcome.max_players;
}

raim_vec2 raim_client_view(const struct raim_client *client)
{
    return (raim_vec2){client->welcome.view_width, client->welcome.view_height};
}

const struct raim_client_member *raim_client_member(const struct raim_client *client,
                                                    uint32_t place)
{
    assert(place < client->welcome.max_players);
    return &client->members[place];
}

bool raim_client_is_spectator(const struct raim_client *client)
{
    return client->welcome.player == RAIM_NOBODY;
}

uint32_t raim_client_own_place(const struct raim_client *client)
{
    assert(!raim_client_is_spectator(client));
    return raim_player_place((raim_player_id)client->welcome.player);
}

uint32_t raim_client_tick(const struct raim_client *client)
{
    return client->image.shown_tick;
}

uint32_t raim_client_viewpoint(const struct raim_client *client)
{
    return raim_client_is_spectator(client) ? raim_image_self(&client->image).place
                                            : raim_client_own_place(client);
}

bool raim_client_alive(const struct raim_client *client)
{
    return raim_image_self(&client->image).alive;
}

uint32_t raim_client_players(const struct raim_client *client, struct raim_client_player *players,
                             uint32_t capacity)
{
    return raim_image_players(&client->image, client->told[0].aim, players, capacity);
}

uint32_t raim_client_bullets(const struct raim_client *client, struct raim_client_bullet *bullets,
                             uint32_t capacity)
{
    return raim_image_bullets(&client->image, bullets, capacity);
}
