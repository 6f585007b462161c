// SPDX-License-Identifier: MIT
// A match with a library client behind each connection, and their invariants after every tick.
#pragma once

#include "fuzz.h"

#include "client_internal.h"
#include "handshake.h"
#include "match.h"
#include "name.h"

enum {
    MAX_CLIENTS = 4,
    MAX_BOTS = 3,
    MAX_SPECTATORS = 2,
    DELAY_TICKS = 5, // of spectators, where they are late
    MAX_CONNECTIONS = MAX_CLIENTS + 2,
    MAX_ROWS = MAX_CLIENTS + MAX_BOTS,
    MAX_TICKS = 400, // of one input: outlives the history, and the timeouts of the slower rates
};

struct peer {
    struct raim_client *client; // NULL where nobody reads what is sent there
    bool connected;
    bool closed;     // nothing more may be sent to it
    bool had_player; // when its connection was lost: its row
    struct raim_match_player row;
    uint32_t joined_tick;
    uint32_t round;
    uint64_t entries, snapshots; // of the client when it entered the match that it is in
};

// What nobody may change while the match stands still.
struct still {
    bool holds;
    uint32_t phase, round;
    uint64_t hits;
    raim_player players[MAX_ROWS];
};

struct table {
    struct raim_match *match;
    struct raim_match_def def;
    struct peer peers[MAX_CONNECTIONS];
    struct raim_match_counts counts; // as of the last look
    uint32_t ticks;
    uint32_t tokens;      // given out
    uint32_t successions; // of matches
    bool ended;           // it was shut down
    struct still still;
};

static inline uint64_t now_us(const struct table *table)
{
    return (uint64_t)table->ticks * 1000000 / table->def.tick_hz;
}

// It has been welcome.
static inline bool is_in(const struct raim_client *client)
{
    return raim_client_get_state(client) == RAIM_CLIENT_ENTERING ||
           raim_client_get_state(client) == RAIM_CLIENT_PLAYING;
}

// Somebody sits there who can be told something.
static inline bool is_open(const struct peer *peer)
{
    return peer->client != NULL && peer->connected && !peer->closed;
}

static inline bool is_spectator(const struct peer *peer)
{
    return is_open(peer) && is_in(peer->client) && raim_client_is_spectator(peer->client);
}

// --- What must be true after every tick ---

static inline void check_hits(const struct table *table, const struct raim_match_hits *hits)
{
    const double most_ms = table->def.lag_compensation_ms + 1000.0 / table->def.tick_hz;
    assert(hits->total >= table->counts.hits.total);
    assert(hits->rewound <= hits->total && hits->in_past <= hits->rewound);
    assert(hits->most_rewound_ms <= hits->rewound_ms && hits->most_rewound_ms <= most_ms);
    assert((hits->rewound > 0) == (hits->most_rewound_ms > 0));
}

static inline void check_counts(struct table *table, const struct raim_match_player *rows,
                                uint32_t count)
{
    const struct raim_match_counts now = raim_match_counts(table->match);
    uint32_t playing = 0, away = 0, watching = 0, deaf = 0;
    for (uint32_t i = 0; i < table->def.max_connections; i++) {
        const struct peer *peer = &table->peers[i];
        watching += is_spectator(peer);
        deaf += peer->connected && !peer->closed && peer->client == NULL;
    }
    assert(now.spectators >= watching && now.spectators <= watching + deaf);
    assert(now.spectators <= table->def.tuning.max_spectators);
    for (uint32_t i = 0; i < count; i++) {
        playing += !rows[i].bot;
        away += rows[i].away;
    }
    assert(now.players == playing && playing <= table->def.tuning.max_players);
    assert(now.away == away && (away == 0 || table->def.tuning.resume_grace_s > 0));
    check_hits(table, &now.hits);
    assert(now.bots == table->def.bots && count == playing + now.bots);
    for (int i = 0; i < RAIM_REJECTIONS; i++)
        assert(now.rejected[i] >= table->counts.rejected[i]);
    table->counts = now;
    assert(raim_match_tick(table->match) == table->ticks);
}

static inline void check_rows(const struct table *table, const struct raim_match_player *rows,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char cleaned[RAIM_MAX_NAME_BYTES + 1];
        assert(raim_name_clean(rows[i].name, cleaned) && strcmp(rows[i].name, cleaned) == 0);
        assert(rows[i].id != RAIM_NOBODY && rows[i].played_ticks <= table->ticks);
        assert(rows[i].inputs_missed <= rows[i].inputs_due);
        assert(rows[i].inputs_due <= rows[i].played_ticks);
        assert(raim_player_slot(rows[i].id) < table->def.tuning.max_players + table->def.bots);
        for (uint32_t j = 0; j < i; j++) {
            assert(raim_player_slot(rows[j].id) < raim_player_slot(rows[i].id));
            assert(rows[i].bot || rows[j].bot || rows[i].away || rows[j].away ||
                   rows[i].client != rows[j].client);
        }
        if (rows[i].bot || rows[i].away)
            continue;
        assert(rows[i].client < table->def.max_connections);
        const struct peer *peer = &table->peers[rows[i].client];
        assert(peer->connected && !peer->closed);
    }
}

// The roster that the client was told is the match's.
static inline void check_roster(const struct raim_client *client,
                                const struct raim_match_player *rows, uint32_t count)
{
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        const struct raim_match_player *row = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (raim_player_slot(rows[i].id) == slot)
                row = &rows[i];
        assert(member->id == (row != NULL ? row->id : RAIM_NOBODY));
        if (row == NULL)
            continue;
        assert(member->bot == row->bot && strcmp(member->name, row->name) == 0);
        assert(member->score == row->score && member->deaths == row->deaths);
    }
}

// Whom the client sees are those who live, where they are.
static inline void check_picture(const struct table *table, const struct raim_client *client)
{
    const raim_player *players = raim_world_players_const(raim_match_world(table->match));
    struct raim_client_player seen[MAX_ROWS];
    const uint32_t count = raim_client_players(client, seen, MAX_ROWS);
    for (uint32_t i = 0; i < count; i++) {
        const raim_player *player = &players[seen[i].slot];
        assert(player->state == RAIM_PLAYER_ALIVE);
        assert(raim_vec2_distance_squared(seen[i].position, player->position) < 0.05 * 0.05);
        assert(seen[i].shielded == (player->shield_ticks > 0));
    }
    const raim_player *own = &players[raim_client_viewpoint(client)];
    assert(raim_client_alive(client) == (own->state == RAIM_PLAYER_ALIVE));
    if (raim_client_is_spectator(client) || table->successions > 0)
        return;
    assert(raim_client_get_stats(client)->shots <= own->shots);
    assert(raim_client_get_stats(client)->hits <= own->hits);
}

// Its player; NULL for none.
static const struct raim_match_player *row_of(uint32_t handle, const struct raim_match_player *rows,
                                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!rows[i].bot && !rows[i].away && rows[i].client == handle)
            return &rows[i];
    return NULL;
}

static inline void check_events(struct raim_client *client)
{
    struct raim_client_event event;
    char cleaned[RAIM_MAX_CHAT_BYTES + 1];
    while (raim_client_next_event(client, &event))
        if (event.kind == RAIM_CLIENT_CHAT)
            assert(raim_text_clean(event.text, cleaned, RAIM_MAX_CHAT_BYTES) &&
                   strcmp(event.text, cleaned) == 0);
}

// The client knows where the match stands.
static inline void check_phase(const struct table *table, const struct raim_client *client)
{
    const struct raim_match_round round = raim_match_round(table->match);
    const struct raim_client_phase phase = raim_client_get_phase(client);
    assert((uint32_t)phase.kind == round.phase && phase.round == round.round);
    assert(phase.score_limit == round.score_limit);
    assert(phase.winner == (round.phase == RAIM_MATCH_BREAK ? round.winner : RAIM_NOBODY));
    // While a round waits for its first player, a spectator is told no end of it.
    const bool waits = round.played_ticks == 0 && raim_match_playing(table->match) == 0;
    if (round.phase != RAIM_MATCH_PAUSED && !waits)
        assert(phase.has_end == round.has_end);
}

// In breaks and pauses nobody who lives moves or is hit, and nothing flies.
static inline void check_still(struct table *table)
{
    struct still *still = &table->still;
    const struct raim_world *world = raim_match_world(table->match);
    const raim_player *players = raim_world_players_const(world);
    const uint64_t hits = raim_match_counts(table->match).hits.total;
    const struct raim_match_round round = raim_match_round(table->match);
    // Between a pause and a break, or two breaks, there may be a tick of play.
    const bool was_still =
        still->holds && still->phase == round.phase && still->round == round.round;
    still->holds = round.phase != RAIM_MATCH_PLAY;
    still->phase = round.phase;
    still->round = round.round;
    if (still->holds)
        for (uint32_t i = 0; i < world->max_bullets; i++)
            assert(raim_world_bullets_const(world)[i].owner == RAIM_NOBODY);
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *now = &players[slot], *before = &still->players[slot];
        if (was_still && still->holds && now->id != RAIM_NOBODY && now->id == before->id &&
            now->state == RAIM_PLAYER_ALIVE && before->state == RAIM_PLAYER_ALIVE)
            assert(raim_vec2_distance_squared(now->position, before->position) <= 0 &&
                   now->life == before->life && now->score == before->score &&
                   now->shots == before->shots && now->hits == before->hits);
        still->players[slot] = *now;
    }
    assert(!(was_still && still->holds) || hits == still->hits);
    still->hits = hits;
}

static inline void check(struct table *table)
{
    struct raim_match_player rows[MAX_ROWS + 1];
    const uint32_t count = raim_match_players(table->match, rows, MAX_ROWS + 1);
    check_counts(table, rows, count);
    check_rows(table, rows, count);
    check_still(table);
    for (uint32_t i = 0; i < table->def.max_connections; i++) {
        struct raim_client *client = table->peers[i].client;
        if (!is_open(&table->peers[i]))
            continue;
        const bool watches = is_spectator(&table->peers[i]);
        assert((row_of(i, rows, count) != NULL) == (is_in(client) && !watches));
        check_events(client);
        const struct raim_client_stats *stats = raim_client_get_stats(client);
        assert(stats->decode_errors == 0);
        struct peer *peer = &table->peers[i];
        if (stats->entries != peer->entries) {
            peer->entries = stats->entries;
            peer->snapshots = stats->snapshots;
        }
        if (raim_client_get_state(client) != RAIM_CLIENT_PLAYING ||
            (watches && table->def.spectator_delay_s > 0) ||
            client->roster.next_sequence != raim_match_events(table->match)) // more will come
            continue;
        check_roster(client, rows, count);
        if (!table->ended)
            check_phase(table, client);
        if (stats->snapshots > peer->snapshots && raim_client_tick(client) == table->ticks)
            check_picture(table, client);
    }
}
