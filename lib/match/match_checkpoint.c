// SPDX-License-Identifier: MIT
// Saves and restores a match: a head, the bytes of the world, and a row for each player's slot.
#include "match_internal.h"

#include "digest.h"
#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Version of the layout. Change it with any change of the bytes' meaning, so that another build
// rejects them.
enum { LAYOUT = 4 };

// The structs must not have padding, whose bytes would be saved uninitialised.
struct head {
    uint32_t layout;
    uint32_t member_bytes;
    uint64_t size;     // of the whole checkpoint
    uint64_t identity; // raim_world_identity
    uint32_t bots;
    uint32_t event_sequence; // of the next event
    struct raim_match_hits hits;
    uint64_t inputs_due, inputs_missed, snapshots;
    struct raim_rounds rounds;
    char map[RAIM_MAP_NAME_BYTES]; // for raim_match_checkpoint_map; `identity` decides
};

struct saved_session {
    struct raim_bot brain;
    uint8_t token[RAIM_TOKEN_BYTES];
    uint32_t joined_tick;
    uint32_t due, missed; // inputs
    uint32_t chat_debt_ticks;
    uint32_t shots_before, hits_before;
    char name[RAIM_MAX_NAME_BYTES + 1];
    char subject[RAIM_MAX_NAME_BYTES + 1];
    uint8_t bot, muted; // 0 or 1
    uint8_t reserved[4];
};

static_assert(sizeof(struct raim_match_hits) == 6 * 8, "no padding");
static_assert(sizeof(struct head) ==
                  4 * 4 + 2 * 8 + 6 * 8 + 3 * 8 + (8 + 5 * 4 + 4) + RAIM_MAP_NAME_BYTES,
              "no padding");
static_assert(sizeof(struct raim_bot) == 8 + 4 * 16 + 7 * 4 + 2 * 2 + 8, "no padding");
static_assert(sizeof(struct saved_session) == sizeof(struct raim_bot) + 16 + 6 * 4 + 2 * 25 + 6,
              "no padding");

static struct head head_of(const struct raim_match *match)
{
    struct head head = {
        .layout = LAYOUT,
        .member_bytes = sizeof(struct saved_session),
        .size = raim_match_checkpoint_size(match),
        .identity = match->identity,
        .bots = match->def.bots,
        .event_sequence = match->log.end,
        .hits = match->totals.hits,
        .inputs_due = match->totals.inputs_due,
        .inputs_missed = match->totals.inputs_missed,
        .snapshots = match->totals.snapshots,
        .rounds = match->rounds,
    };
    strcpy(head.map, match->def.map->name);
    return head;
}

size_t raim_match_checkpoint_size(const struct raim_match *match)
{
    return sizeof(struct head) + raim_world_bytes(match->world) +
           match->world->max_players * sizeof(struct saved_session);
}

uint32_t raim_match_events(const struct raim_match *match)
{
    return match->log.end;
}

const struct raim_wire_event *raim_match_event(const struct raim_match *match, uint32_t number)
{
    return raim_event_log_holds(&match->log, number)
               ? &raim_event_log_at(&match->log, number)->event
               : NULL;
}

// Fills the row of a slot; all zero for a free slot.
static void save_session(const struct raim_match *match, uint32_t slot, struct saved_session *saved)
{
    const struct raim_match_session *session = &match->sessions[slot];
    memset(saved, 0, sizeof *saved);
    if (raim_world_players_const(match->world)[slot].id == RAIM_NOBODY)
        return;
    saved->joined_tick = session->joined_tick;
    saved->due = session->inputs.due;
    saved->missed = session->inputs.missed;
    saved->chat_debt_ticks = session->chat_debt_ticks;
    saved->shots_before = session->shots_before;
    saved->hits_before = session->hits_before;
    saved->bot = session->bot;
    saved->muted = session->muted;
    strcpy(saved->name, session->name);
    strcpy(saved->subject, session->subject);
    if (session->bot)
        saved->brain = session->brain;
    else
        memcpy(saved->token, session->token, sizeof saved->token);
}

void raim_match_save(const struct raim_match *match, void *bytes)
{
    const struct head head = head_of(match);
    const size_t world_bytes = raim_world_bytes(match->world);
    uint8_t *end = bytes;
    memcpy(end, &head, sizeof head);
    end += sizeof head;
    memcpy(end, match->world, world_bytes);
    end += world_bytes;
    for (uint32_t slot = 0; slot < match->world->max_players; slot++) {
        struct saved_session saved;
        save_session(match, slot, &saved);
        memcpy(end, &saved, sizeof saved);
        end += sizeof saved;
    }
}

bool raim_match_checkpoint_map(const void *bytes, size_t size, char map[RAIM_MAP_NAME_BYTES])
{
    struct head head;
    if (size < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    memcpy(map, head.map, sizeof head.map);
    return head.layout == LAYOUT && memchr(map, '\0', sizeof head.map) != NULL;
}

static bool is_like(const struct head *head, const struct head *mine)
{
    return head->identity == mine->identity && head->bots == mine->bots && head->size == mine->size;
}

// Reconstructs the def of the match that saved a checkpoint with the map and tick_hz of `match` but
// other rules or slots. Returns false for any other checkpoint.
static bool find_predecessor(const struct raim_match *match, const uint8_t *bytes, size_t size,
                             struct raim_match_def *def)
{
    struct head head;
    struct raim_world world;
    if (size < sizeof head + sizeof world)
        return false;
    memcpy(&head, bytes, sizeof head);
    memcpy(&world, bytes + sizeof head, sizeof world);
    if (world.tick_hz != match->world->tick_hz || world.max_rewind > RAIM_MAX_REWIND ||
        raim_rules_check(&world.rules) != NULL ||
        raim_world_identity(&world, match->def.map) != head.identity)
        return false;
    *def = match->def;
    def->rules = world.rules;
    def->bots = head.bots;
    def->bot_skill = RAIM_BOT_WANDERS; // it plays no tick
    def->tuning.max_players = world.max_players - head.bots;
    def->lag_compensation_ms = (world.max_rewind * 1000 + world.tick_hz / 2) / world.tick_hz;
    if (def->max_connections < def->tuning.max_players)
        def->max_connections = def->tuning.max_players;
    return world.max_players <= RAIM_MAX_PLAYERS && head.bots < world.max_players &&
           def->tuning.max_players <= 1000 && def->lag_compensation_ms <= 250;
}

const char *raim_match_checkpoint_fault(const struct raim_match *match, const void *bytes,
                                        size_t size)
{
    const struct head mine = head_of(match);
    struct head head;
    if (size < sizeof head)
        return "it is cut short";
    memcpy(&head, bytes, sizeof head);
    if (head.layout != mine.layout || head.member_bytes != mine.member_bytes)
        return "it is of another version";
    if (head.size != size)
        return "it is cut short";
    if (is_like(&head, &mine))
        return NULL;
    struct raim_match_def def;
    return find_predecessor(match, bytes, size, &def) ? NULL
                                                      : "it is of another map, or of other ticks";
}

// The parts of a checkpoint, copied to aligned memory.
struct loaded {
    struct head head;
    struct raim_world *world;
    struct saved_session *sessions; // by slot
    uint32_t playing;               // sessions that are not bots
    uint32_t bots;                  // sessions that are
};

static void unload(struct loaded *loaded)
{
    free(loaded->world);
    free(loaded->sessions);
}

static bool load(const struct raim_match *match, const uint8_t *bytes, struct loaded *loaded)
{
    const size_t world_bytes = raim_world_bytes(match->world);
    const size_t member_bytes = match->world->max_players * sizeof *loaded->sessions;
    *loaded = (struct loaded){.world = malloc(world_bytes), .sessions = malloc(member_bytes)};
    if (loaded->world == NULL || loaded->sessions == NULL)
        return false;
    memcpy(&loaded->head, bytes, sizeof loaded->head);
    memcpy(loaded->world, bytes + sizeof loaded->head, world_bytes);
    memcpy(loaded->sessions, bytes + sizeof loaded->head + world_bytes, member_bytes);
    return true;
}

static bool is_head_sound(const struct head *head)
{
    // Both comparisons also reject NaN.
    return raim_rounds_are_sound(&head->rounds) && head->hits.rewound_ms >= 0 &&
           head->hits.rewound_ms < INFINITY && head->hits.most_rewound_ms >= 0 &&
           head->hits.most_rewound_ms < INFINITY;
}

static bool is_world_sound(const struct raim_match *match, const struct raim_world *world)
{
    struct raim_world lasting = *match->world;
    lasting.random = world->random;
    lasting.tick = world->tick;
    return memcmp(&lasting, world, sizeof lasting) == 0 &&
           raim_world_is_valid(world, match->def.map);
}

static bool is_session_sound(const raim_player *player, const struct saved_session *saved)
{
    static const struct saved_session nobody;
    if (player->id == RAIM_NOBODY)
        return memcmp(saved, &nobody, sizeof nobody) == 0;
    if (saved->bot > 1 || saved->muted > 1 || saved->missed > saved->due ||
        !raim_players_is_name(saved->name) ||
        (saved->subject[0] != '\0' && !raim_players_is_name(saved->subject)))
        return false;
    return saved->bot == 0 || (player->away == 0 && raim_bot_is_valid(&saved->brain));
}

// Validates everything, and counts the bots and the clients' players.
static bool validate_and_count(const struct raim_match *match, struct loaded *loaded)
{
    if (!is_head_sound(&loaded->head) || !is_world_sound(match, loaded->world))
        return false;
    const raim_player *players = raim_world_players_const(loaded->world);
    for (uint32_t slot = 0; slot < loaded->world->max_players; slot++) {
        const struct saved_session *saved = &loaded->sessions[slot];
        if (!is_session_sound(&players[slot], saved))
            return false;
        loaded->bots += saved->bot;
        loaded->playing += players[slot].id != RAIM_NOBODY && saved->bot == 0;
    }
    return loaded->playing <= match->def.tuning.max_players && loaded->bots <= match->def.bots;
}

static void restore_session(struct raim_match *match, uint32_t slot,
                            const struct saved_session *saved)
{
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    struct raim_match_session *session = &match->sessions[slot];
    *session = (struct raim_match_session){
        .bot = saved->bot != 0,
        .muted = saved->muted != 0,
        .joined_tick = saved->joined_tick,
        .away_since = match->world->tick,
        .inputs = {saved->due, saved->missed},
        .chat_debt_ticks = saved->chat_debt_ticks,
        .shots_before = saved->shots_before,
        .hits_before = saved->hits_before,
        .brain = saved->brain,
    };
    memcpy(session->name, saved->name, sizeof session->name);
    session->key = raim_name_key_of(session->name);
    memcpy(session->subject, saved->subject, sizeof session->subject);
    memcpy(session->token, saved->token, sizeof session->token);
    raim_set_remove(match->taken, slot);
    if (player->id != RAIM_NOBODY)
        raim_set_add(match->taken, slot);
    if (player->id != RAIM_NOBODY && !session->bot)
        raim_world_set_away(match->world, player->id, true);
}

static void take_over(struct raim_match *match, const struct loaded *loaded)
{
    memcpy(match->world, loaded->world, raim_world_bytes(match->world));
    for (uint32_t slot = 0; slot < match->world->max_players; slot++)
        restore_session(match, slot, &loaded->sessions[slot]);
    memset(match->inputs, 0, match->world->max_players * sizeof *match->inputs);
    match->playing = loaded->playing;
    match->bots = loaded->bots;
    match->totals.hits = loaded->head.hits;
    match->totals.inputs_due = loaded->head.inputs_due;
    match->totals.inputs_missed = loaded->head.inputs_missed;
    match->totals.snapshots = loaded->head.snapshots;
    match->rounds = loaded->head.rounds;
    match->began_tick = match->world->tick;
    raim_rounds_mark_phase_sent(match);
    raim_event_log_restart(&match->log, loaded->head.event_sequence);
}

static bool restore(struct raim_match *match, const void *bytes)
{
    struct loaded loaded;
    const bool good = load(match, bytes, &loaded) && validate_and_count(match, &loaded);
    if (good)
        take_over(match, &loaded);
    unload(&loaded);
    return good;
}

// Recreates the match that saved the checkpoint and succeeds it.
static bool restore_as_successor(struct raim_match *match, const void *bytes, size_t size)
{
    struct raim_match_def def;
    struct raim_match *predecessor =
        find_predecessor(match, bytes, size, &def) ? raim_match_create(&def) : NULL;
    const bool good = predecessor != NULL && raim_match_checkpoint_size(predecessor) == size &&
                      restore(predecessor, bytes) &&
                      predecessor->playing <= match->def.tuning.max_players;
    if (good)
        raim_match_transfer(match, predecessor, true);
    raim_match_destroy(predecessor);
    return good;
}

bool raim_match_restore(struct raim_match *match, const void *bytes, size_t size)
{
    if (raim_match_checkpoint_fault(match, bytes, size) != NULL)
        return false;
    const struct head mine = head_of(match);
    struct head head;
    memcpy(&head, bytes, sizeof head);
    return is_like(&head, &mine) ? restore(match, bytes) : restore_as_successor(match, bytes, size);
}

bool raim_match_token(const struct raim_match *match, raim_player_id id,
                      uint8_t token[RAIM_TOKEN_BYTES])
{
    const uint32_t slot = raim_player_slot(id);
    if (id == RAIM_NOBODY || slot >= match->world->max_players)
        return false;
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    if (player->id != id || !player->away)
        return false;
    memcpy(token, match->sessions[slot].token, RAIM_TOKEN_BYTES);
    return true;
}

void raim_match_suspend(struct raim_match *match)
{
    for (uint32_t i = 0; i < match->def.max_connections; i++) {
        struct raim_connection *client = &match->connections[i];
        if (client->state == RAIM_CONNECTION_ABSENT || client->state >= RAIM_CONNECTION_REJECTED)
            continue;
        if (client->player != RAIM_NOBODY)
            raim_sessions_set_away(match, client);
        raim_connections_leave(match, client, RAIM_REASON_RESTART);
        client->state = RAIM_CONNECTION_REJECTED;
        client->reason = RAIM_REASON_RESTART;
    }
    raim_outbox_begin(&match->outbox);
}
