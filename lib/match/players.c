// SPDX-License-Identifier: MIT
// Players and bots: joining, leaving, unique names, the bots' inputs, and the events of a step.
// Players who left during the present round, for its result.
#include "players.h"

#include "match_internal.h"

#include "name.h"
#include "recording_input.h"
#include "text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void raim_players_fill_entry(const struct raim_match *match, uint32_t slot,
                             struct raim_roster_entry *entry)
{
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    *entry = (struct raim_roster_entry){
        .player = player->id,
        .bot = match->sessions[slot].bot,
        .score = player->score,
        .deaths = player->deaths,
    };
    memcpy(entry->name, match->sessions[slot].name, sizeof entry->name);
}

bool raim_players_has_event_room(const struct raim_match *match)
{
    return raim_event_log_has_room(&match->log,
                                   1 + 2 * match->world->max_players + RAIM_ROUNDS_EVENTS);
}

static bool has_key(const struct raim_match *match, uint32_t slot, struct raim_name_key key)
{
    return raim_world_players_const(match->world)[slot].id != RAIM_NOBODY &&
           raim_name_keys_match(match->sessions[slot].key, key);
}

// Whether the player of another slot has a name that looks alike.
static bool is_taken(const struct raim_match *match, uint32_t slot, struct raim_name_key key)
{
    for (uint32_t other = 0; other < match->world->max_players; other++)
        if (other != slot && has_key(match, other, key))
            return true;
    return false;
}

// The lowest number from `first` on that no player with this skeleton has. The result has as many
// digits as `first`.
static uint32_t find_number(const struct raim_match *match, uint32_t slot, uint64_t skeleton,
                            uint32_t first)
{
    bool is_used[RAIM_MAX_PLAYERS] = {false};
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t other = 0; other < match->world->max_players; other++) {
        const struct raim_name_key key = match->sessions[other].key;
        if (other != slot && players[other].id != RAIM_NOBODY && key.skeleton == skeleton &&
            key.number >= first && key.number - first < RAIM_MAX_PLAYERS)
            is_used[key.number - first] = true;
    }
    uint32_t number = 0;
    while (number < RAIM_MAX_PLAYERS - 1 && is_used[number])
        number++;
    return first + number;
}

// Sets a player's name and appends a number where it looks like another player's name. It takes a
// few passes over the sessions, whatever their names are.
static void give_name(struct raim_match *match, uint32_t slot, const char *name)
{
    // The first numbers of one to four digits. Each further digit leaves a byte less of the name.
    static const uint32_t firsts[] = {2, 10, 100, 1000};
    struct raim_match_session *session = &match->sessions[slot];
    assert(strlen(name) < sizeof session->name);
    strcpy(session->name, name);
    session->key = raim_name_key_of(name);
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        if (!is_taken(match, slot, session->key))
            return;
        raim_name_append_number(name, firsts[i], session->name);
        session->key = raim_name_key_of(session->name);
        const uint32_t number = find_number(match, slot, session->key.skeleton, firsts[i]);
        raim_name_append_number(name, number, session->name);
        session->key = raim_name_key_of(session->name);
    }
}

void raim_players_fill_row(const struct raim_match *match, uint32_t slot,
                           struct raim_match_player *row)
{
    const raim_player *player = &raim_world_players_const(match->world)[slot];
    const struct raim_match_session *session = &match->sessions[slot];
    *row = (struct raim_match_player){
        .bot = session->bot,
        .away = player->away != 0,
        .muted = session->muted,
        .client = session->client,
        .id = player->id,
        .score = player->score,
        .deaths = player->deaths,
        .shots = player->shots - session->shots_before,
        .hits = player->hits - session->hits_before,
        .played_ticks = match->world->tick - session->joined_tick,
        .inputs_due = session->inputs.due,
        .inputs_missed = session->inputs.missed,
    };
    memcpy(row->name, session->name, sizeof row->name);
    memcpy(row->subject, session->subject, sizeof row->subject);
}

void raim_players_begin_round(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        match->sessions[slot].shots_before = players[slot].shots;
        match->sessions[slot].hits_before = players[slot].hits;
    }
}

void raim_players_place_bot(struct raim_match *match, raim_player_id id, const char *name)
{
    const uint32_t slot = raim_player_slot(id);
    struct raim_match_session *session = &match->sessions[slot];
    raim_set_add(match->taken, slot);
    match->bots++;
    *session = (struct raim_match_session){.bot = true, .joined_tick = match->world->tick};
    give_name(match, slot, name);
    raim_bot_init(&session->brain, match->def.seed ^ (uint64_t)id << 32);
}

void raim_players_clear_bots(struct raim_match *match)
{
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        assert(match->sessions[slot].bot);
        raim_world_leave(match->world, raim_world_players_const(match->world)[slot].id);
        raim_set_remove(match->taken, slot);
        match->sessions[slot] = (struct raim_match_session){0};
    }
    match->bots = 0;
}

bool raim_players_is_name(const char name[RAIM_MAX_NAME_BYTES + 1])
{
    char cleaned[RAIM_MAX_NAME_BYTES + 1];
    return memchr(name, '\0', RAIM_MAX_NAME_BYTES + 1) != NULL && raim_name_clean(name, cleaned) &&
           strcmp(name, cleaned) == 0;
}

raim_player_id raim_players_join(struct raim_match *match, const char *name, const char *subject,
                                 const struct raim_connection *client)
{
    const raim_player_id id =
        raim_players_has_event_room(match) ? raim_world_join(match->world) : RAIM_NOBODY;
    if (id == RAIM_NOBODY)
        return RAIM_NOBODY;
    const uint32_t slot = raim_player_slot(id);
    struct raim_match_session *session = &match->sessions[slot];
    if (client != NULL) {
        raim_rounds_note_join(match);
        raim_set_add(match->taken, slot);
        *session = (struct raim_match_session){.joined_tick = match->world->tick};
        give_name(match, slot, name);
        session->client = (uint32_t)(client - match->connections);
        memcpy(session->token, client->token, sizeof session->token);
        session->origin = client->origin;
        match->playing++;
        match->totals.joins++;
    } else {
        raim_players_place_bot(match, id, name);
    }
    assert(strlen(subject) < sizeof session->subject);
    strcpy(session->subject, subject);
    struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick + 1);
    event->kind = RAIM_WIRE_JOINED;
    event->player = id;
    raim_players_fill_entry(match, slot, &event->entry);
    raim_recording_input_join(match->records, id, session->name, session->bot);
    return id;
}

void raim_players_leave(struct raim_match *match, raim_player_id id, enum raim_reason reason)
{
    if (match->sessions[raim_player_slot(id)].bot) {
        match->bots--;
    } else {
        match->playing--;
        match->totals.leaves[reason]++;
    }
    raim_departed_note(match, raim_player_slot(id));
    raim_world_leave(match->world, id);
    raim_recording_input_leave(match->records, id, reason);
    raim_set_remove(match->taken, raim_player_slot(id));
    struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick + 1);
    event->kind = RAIM_WIRE_LEFT;
    event->player = id;
    event->reason = reason;
}

uint32_t raim_players_wanted_bots(const struct raim_match_def *def, uint32_t players)
{
    if (!def->bot_fill)
        return def->bots;
    return players < def->bots ? def->bots - players : 0;
}

void raim_players_add_bot(struct raim_match *match, uint32_t number)
{
    char name[RAIM_MAX_NAME_BYTES + 1];
    raim_text_append_number(raim_text_append(name, "Bot "), number);
    raim_players_join(match, name, "", NULL);
}

// The lowest number of a bot whose name nobody has.
static uint32_t free_bot_number(const struct raim_match *match)
{
    const uint32_t slots = match->world->max_players;
    for (uint32_t number = 1;; number++) {
        char name[RAIM_MAX_NAME_BYTES + 1];
        raim_text_append_number(raim_text_append(name, "Bot "), number);
        if (number > slots || !is_taken(match, slots, raim_name_key_of(name)))
            return number;
    }
}

// The slot of the bot that leaves first: with the fewest points, the last one of several.
static uint32_t find_least_bot(const struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    uint32_t least = match->world->max_players;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1))
        if (match->sessions[slot].bot &&
            (least == match->world->max_players || players[slot].score <= players[least].score))
            least = slot;
    assert(least < match->world->max_players);
    return least;
}

void raim_players_balance_bots(struct raim_match *match)
{
    const uint32_t wanted = raim_players_wanted_bots(&match->def, match->playing);
    if (match->bots == wanted || !raim_players_has_event_room(match))
        return;
    if (match->bots < wanted) {
        raim_players_add_bot(match, free_bot_number(match));
        return;
    }
    const raim_player *bot = &raim_world_players_const(match->world)[find_least_bot(match)];
    raim_players_leave(match, bot->id, RAIM_REASON_LEFT);
}

static bool in_view(const struct raim_match_def *def, raim_vec2 from, raim_vec2 point)
{
    return fabs(point.x - from.x) <= def->view_width / 2.0 &&
           fabs(point.y - from.y) <= def->view_height / 2.0;
}

// Fills the other players inside a bot's view: the nearest RAIM_BOT_MAX_ENEMIES.
static uint32_t find_enemies(const struct raim_match *match, const raim_player *self,
                             struct raim_bot_enemy *enemies)
{
    const raim_player *players = raim_world_players_const(match->world);
    uint32_t count = 0;
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1)) {
        const raim_player *player = &players[slot];
        if (player->state != RAIM_PLAYER_ALIVE || player == self ||
            !in_view(&match->def, self->position, player->position))
            continue;
        uint32_t row = count;
        if (count == RAIM_BOT_MAX_ENEMIES) {
            double farthest = raim_vec2_distance_squared(player->position, self->position);
            for (uint32_t i = 0; i < count; i++) {
                const double distance =
                    raim_vec2_distance_squared(enemies[i].position, self->position);
                if (distance > farthest) {
                    farthest = distance;
                    row = i;
                }
            }
            if (row == count)
                continue;
        } else {
            count++;
        }
        enemies[row] = (struct raim_bot_enemy){
            .key = (uint32_t)player->id << 8 | player->life,
            .position = player->position,
            .velocity = raim_vec2_scale(raim_vec2_sub(player->position, player->previous),
                                        match->world->tick_hz),
            .shielded = player->shield_ticks > 0,
        };
    }
    return count;
}

void raim_players_fill_bot_inputs(struct raim_match *match)
{
    const struct raim_world *world = match->world;
    struct raim_bot_enemy enemies[RAIM_BOT_MAX_ENEMIES];
    uint32_t left = match->bots; // most often they have the first slots
    for (uint32_t slot = raim_match_next_slot(match, 0); left > 0;
         slot = raim_match_next_slot(match, slot + 1)) {
        assert(slot < world->max_players);
        if (!match->sessions[slot].bot)
            continue;
        left--;
        const raim_player *player = &raim_world_players_const(world)[slot];
        if (player->state != RAIM_PLAYER_ALIVE)
            continue;
        struct raim_bot *brain = &match->sessions[slot].brain;
        const bool looks =
            match->def.bot_skill == RAIM_BOT_WANDERS || raim_bot_decides(brain, world->tick);
        const struct raim_bot_observation sight = {
            .map = match->def.map,
            .rules = &world->rules,
            .tick = world->tick,
            .tick_hz = world->tick_hz,
            .position = player->position,
            .enemies = enemies,
            .enemy_count = looks ? find_enemies(match, player, enemies) : 0,
            .skill = match->def.bot_skill,
            .paths = match->def.bot_paths,
            .players = match->playing + match->bots,
            .cooldown_ticks = player->cooldown_ticks,
        };
        match->inputs[slot] = raim_bot_think(brain, &sight);
    }
}

void raim_players_clear_inputs(struct raim_match *match)
{
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t slot = raim_match_next_slot(match, 0); slot < match->world->max_players;
         slot = raim_match_next_slot(match, slot + 1))
        match->inputs[slot] = (raim_input){.aim = players[slot].aim};
}

// A shot counts as clamped when its input was clamped.
static void count_clamped_shot(struct raim_match *match, raim_player_id shooter)
{
    const struct raim_match_session *session = &match->sessions[raim_player_slot(shooter)];
    const struct raim_connection *client =
        session->bot ? NULL : &match->connections[session->client];
    if (client != NULL && client->player == shooter)
        match->totals.hits.clamped += client->inbox.is_held_clamped;
}

static void count_hit(struct raim_match *match, const raim_event *hit)
{
    const double rewound_ms = 1000.0 * hit->rewind / match->world->tick_hz;
    match->totals.hits.total++;
    match->totals.hits.rewound += hit->rewind > 0;
    match->totals.hits.in_past += hit->in_past;
    match->totals.hits.rewound_ms += rewound_ms;
    match->totals.hits.most_rewound_ms = fmax(match->totals.hits.most_rewound_ms, rewound_ms);
}

void raim_players_log_events(struct raim_match *match)
{
    assert(match->step_events.dropped == 0);
    const raim_player *players = raim_world_players_const(match->world);
    for (uint32_t i = 0; i < match->step_events.count; i++) {
        const raim_event *happened = &match->step_events.items[i];
        if (happened->kind == RAIM_EVENT_FIRE)
            count_clamped_shot(match, happened->actor);
        if (happened->kind == RAIM_EVENT_HIT)
            count_hit(match, happened);
        if (happened->kind != RAIM_EVENT_KILL)
            continue;
        struct raim_wire_event *event = raim_event_log_add(&match->log, match->world->tick);
        event->kind = RAIM_WIRE_KILL;
        event->player = happened->actor;
        event->victim = happened->victim;
        event->score = players[raim_player_slot(happened->actor)].score;
        event->deaths = players[raim_player_slot(happened->victim)].deaths;
        event->rewind = happened->rewind;
        raim_recording_input_kill(match->records, happened->actor, happened->victim);
    }
}

// Bots make room for clients, and fewer points for more.
static bool makes_room(const struct raim_match_player *row, const struct raim_match_player *other)
{
    return row->bot != other->bot ? row->bot : row->score < other->score;
}

// The remembered player who makes room for all others; the last one of several.
static struct raim_match_player *find_least(const struct raim_match_departed *departed)
{
    struct raim_match_player *least = &departed->rows[0];
    for (uint32_t i = 1; i < departed->count; i++)
        if (!makes_room(least, &departed->rows[i]))
            least = &departed->rows[i];
    return least;
}

void raim_departed_add(struct raim_match *match, const struct raim_match_player *row)
{
    struct raim_match_departed *departed = &match->departed;
    if (departed->count < match->def.tuning.max_players) {
        departed->rows[departed->count++] = *row;
        return;
    }
    struct raim_match_player *least = find_least(departed);
    departed->omitted++;
    if (makes_room(least, row))
        *least = *row;
}

void raim_departed_note(struct raim_match *match, uint32_t slot)
{
    struct raim_match_player row;
    raim_players_fill_row(match, slot, &row);
    const bool has_played = row.shots > 0 || row.deaths > 0 || row.score > 0;
    if (match->rounds.phase == RAIM_PHASE_PLAY && has_played)
        raim_departed_add(match, &row);
}

void raim_departed_clear(struct raim_match_departed *departed)
{
    departed->count = departed->omitted = 0;
}

void raim_departed_carry(struct raim_match *next, const struct raim_match *before)
{
    for (uint32_t i = 0; i < before->departed.count; i++)
        raim_departed_add(next, &before->departed.rows[i]);
    next->departed.omitted += before->departed.omitted;
}

uint32_t raim_match_departed(const struct raim_match *match, struct raim_match_player *players,
                             uint32_t capacity, uint32_t *omitted)
{
    const struct raim_match_departed *departed = &match->departed;
    const uint32_t count = departed->count < capacity ? departed->count : capacity;
    memcpy(players, departed->rows, count * sizeof *players);
    *omitted = departed->omitted + departed->count - count;
    return count;
}
