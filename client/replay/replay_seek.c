// SPDX-License-Identifier: MIT
// Seeks and steps through a recording, and takes the pictures before and after the position.
#include "replay_internal.h"

#include "effects.h"

#include <stdio.h>
#include <string.h>

// A position so far ahead is reached by seeking, not by steps.
static const double longest_run_s = 8;

// Pictures farther apart, at high speeds, have no effects.
static const double longest_gap_s = 0.25;

// Seeking plays the time before the position, in which kills, chat and effects were that still
// show. The many steps of a large arena take too long for that: it shows no chat from before.
enum { PLAYERS_WITH_CHAT = 128 };
static const double warm_up_s = 9, effects_s = 0.7;

static double seconds_of(const struct replay *replay, double tick)
{
    return tick / replay->info->tick_hz;
}

const char *replay_player_name(const struct replay *replay, raim_player_id id, uint32_t tick)
{
    uint32_t count;
    const struct raim_recording_player *players = raim_recording_players(replay->recording, &count);
    for (uint32_t i = 0; i < count; i++)
        if (players[i].id == id && players[i].joined <= tick && players[i].left >= tick)
            return players[i].name;
    return "?";
}

static struct hud_person person_at(const struct replay *replay, raim_player_id id, uint32_t tick)
{
    struct hud_person person = {.id = id};
    if (id != RAIM_NOBODY)
        snprintf(person.name, sizeof person.name, "%s", replay_player_name(replay, id, tick));
    return person;
}

static struct hud_person person(const struct replay *replay, raim_player_id id)
{
    return person_at(replay, id, replay->at_tick);
}

// The player that is followed, or NULL where it is not in the arena.
static const raim_player *followed_player(const struct replay *replay)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const uint32_t slot = raim_player_slot(replay->followed);
    if (replay->followed == RAIM_NOBODY || slot >= world->max_players)
        return NULL;
    const raim_player *player = &raim_world_players_const(world)[slot];
    return player->id == replay->followed ? player : NULL;
}

// The sets of what is shown, by slot; NULL: everything.
struct sent_view_sets {
    const uint64_t *players, *bullets;
};

static bool is_in(const uint64_t *set, uint32_t slot)
{
    return set == NULL || (set[slot / 64] >> slot % 64 & 1) != 0;
}

// Where it is not known what a client was sent, as when it enters, it was sent only itself. A bot
// has no client: then everything is shown.
static struct sent_view_sets find_shown(struct replay *replay)
{
    static const uint64_t nobody[RAIM_MAX_PLAYERS / 64], nothing[RAIM_MAX_BULLETS / 64];
    struct sent_view_sets sets = {NULL, NULL};
    const uint32_t slot = raim_player_slot(replay->followed);
    bool is_bot = false;
    replay->is_known = false;
    if (!replay->as_sent || followed_player(replay) == NULL)
        return sets;
    replay->is_known = raim_recording_sent(replay->recording, slot, &sets.players, &sets.bullets);
    if (replay->is_known)
        return sets;
    raim_recording_name(replay->recording, slot, &is_bot);
    return is_bot ? (struct sent_view_sets){NULL, NULL} : (struct sent_view_sets){nobody, nothing};
}

static void take_players(struct replay *replay, const struct sent_view_sets *sets,
                         struct picture *picture)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const raim_player *players = raim_world_players_const(world);
    const uint16_t shield_ticks = raim_ticks_of(world->rules.spawn_protection, world->tick_hz);
    picture->player_count = 0;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        const raim_player *from = &players[slot];
        const bool own = from->id == replay->followed;
        if (from->id == RAIM_NOBODY || from->state != RAIM_PLAYER_ALIVE ||
            (!own && !is_in(sets->players, slot)))
            continue;
        struct picture_player *player = &picture->players[picture->player_count++];
        *player = (struct picture_player){
            .id = from->id,
            .own = own,
            .shielded = from->shield_ticks > 0,
            .life = from->life,
            .health = from->health,
            .aim = from->aim,
            .position = from->position,
        };
        const char *name = raim_recording_name(replay->recording, slot, NULL);
        snprintf(player->name, sizeof player->name, "%s", name != NULL ? name : "");
        if (own && shield_ticks > 0)
            picture->shield_left = (double)from->shield_ticks / shield_ticks;
    }
}

static void take_bullets(struct replay *replay, const struct sent_view_sets *sets,
                         struct picture *picture)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    picture->bullet_count = 0;
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        const raim_bullet *from = &bullets[slot];
        if (from->owner == RAIM_NOBODY || !is_in(sets->bullets, slot))
            continue;
        picture->bullets[picture->bullet_count++] = (struct picture_bullet){
            .owner = from->owner,
            .position = raim_bullet_position(&world->rules, from, world->tick, world->tick_hz),
            .velocity = raim_vec2_scale(from->direction, world->rules.bullet_speed),
        };
    }
}

// Takes the picture of the present tick. A followed player that is down is seen where it fell.
static void take_picture(struct replay *replay, struct picture *picture)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const raim_player *followed = followed_player(replay);
    const struct sent_view_sets sets = find_shown(replay);
    const bool has_place = followed != NULL && (followed->life != 0 || followed->deaths > 0);
    picture->now_s = picture->moment_s = seconds_of(replay, replay->at_tick);
    picture->map = raim_recording_map(replay->recording);
    picture->view = replay_view(replay).size;
    picture->sight = replay->info->sight;
    picture->eye = has_place ? followed->position : replay->eye;
    picture->player_radius = world->rules.player_radius;
    picture->bullet_radius = world->rules.bullet_radius;
    picture->health = world->rules.health;
    picture->shield_left = 0;
    take_players(replay, &sets, picture);
    take_bullets(replay, &sets, picture);
}

static struct raim_client_phase phase_of(const struct replay *replay)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const struct raim_wire_phase *phase = raim_recording_phase(replay->recording);
    const int32_t left = raim_tick_diff(phase->end_tick, world->tick);
    return (struct raim_client_phase){
        .kind = (enum raim_client_phase_kind)phase->phase,
        .round = phase->round,
        .has_end = phase->has_end,
        .left_s = phase->has_end && left > 0 ? seconds_of(replay, left) : 0,
        .score_limit = phase->score_limit,
        .winner = (raim_player_id)phase->winner,
    };
}

static void take_scores(struct replay *replay)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const raim_player *players = raim_world_players_const(world);
    struct scoreboard *scoreboard = &replay->scoreboard;
    scoreboard->score_count = 0;
    for (uint32_t slot = 0; slot < world->max_players; slot++) {
        bool is_bot = false;
        const char *name = raim_recording_name(replay->recording, slot, &is_bot);
        if (players[slot].id == RAIM_NOBODY || name == NULL)
            continue;
        const uint32_t rtt_ms = raim_recording_traffic(replay->recording, slot).rtt_ms;
        struct score *score = &scoreboard->scores[scoreboard->score_count++];
        *score = (struct score){
            .id = players[slot].id,
            .own = players[slot].id == replay->followed,
            .bot = is_bot,
            .score = players[slot].score,
            .deaths = players[slot].deaths,
            .ping_ms = rtt_ms == UINT32_MAX ? -1.0 : (double)rtt_ms,
        };
        snprintf(score->name, sizeof score->name, "%s", name);
    }
    scoreboard_sort(scoreboard->scores, scoreboard->score_count);
}

static void take_scoreboard(struct replay *replay)
{
    struct scoreboard *scoreboard = &replay->scoreboard;
    const raim_player *followed = followed_player(replay);
    scoreboard->phase = phase_of(replay);
    snprintf(scoreboard->next_map, sizeof scoreboard->next_map, "%s",
             raim_recording_phase(replay->recording)->next_map);
    scoreboard->is_spectator = true;
    scoreboard->is_alive = followed != NULL && followed->state == RAIM_PLAYER_ALIVE;
    scoreboard->watched = replay->followed;
    replay->is_present = followed != NULL;
    if (scoreboard->phase.kind == RAIM_CLIENT_BREAK &&
        scoreboard->phase.winner != replay->winner.id)
        replay->winner = person(replay, scoreboard->phase.winner);
    take_scores(replay);
}

static void add_kill(struct replay *replay, raim_player_id killer, raim_player_id victim,
                     uint32_t tick)
{
    const raim_player_id followed = replay->followed;
    kill_feed_add(&replay->kills,
                  &(struct kill_feed_line){
                      .born_s = seconds_of(replay, tick),
                      .own = followed != RAIM_NOBODY && (killer == followed || victim == followed),
                      .first = person_at(replay, killer, tick),
                      .second = person_at(replay, victim, tick),
                      .text = "destroyed",
                  });
}

static void note_events(struct replay *replay)
{
    const struct raim_events *events = raim_recording_events(replay->recording);
    for (uint32_t i = 0; i < events->count; i++) {
        const struct raim_event *event = &events->items[i];
        if (event->kind == RAIM_EVENT_HIT && event->actor == replay->followed && replay->is_heard)
            sound_play_here(replay->preferences->sound, SOUND_HIT);
        if (event->kind != RAIM_EVENT_KILL)
            continue;
        add_kill(replay, event->actor, event->victim, replay->at_tick);
        effects_add_kill(&replay->effects, event->victim, seconds_of(replay, replay->at_tick));
    }
}

// The first chapter of a tick or a later one.
static uint32_t chapter_from(const struct raim_chapter *chapters, uint32_t count, uint32_t tick)
{
    uint32_t first = 0, end = count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (chapters[middle].tick < tick)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void add_coming(struct replay *replay, const struct raim_chapter *chapter)
{
    struct kill_feed_line line = {.born_s = seconds_of(replay, chapter->tick),
                                  .first = person_at(replay, chapter->player, chapter->tick)};
    const bool is_join = chapter->kind == RAIM_CHAPTER_JOIN;
    snprintf(line.text, sizeof line.text, "%s", is_join ? "joined" : "left");
    if (is_join || chapter->kind == RAIM_CHAPTER_LEAVE)
        kill_feed_add(&replay->kills, &line);
}

// Notes what the chapters tell of the present tick beyond its events.
static void note_chapters(struct replay *replay)
{
    uint32_t count;
    const struct raim_chapter *chapters = raim_recording_chapters(replay->recording, &count);
    for (uint32_t i = chapter_from(chapters, count, replay->at_tick);
         i < count && chapters[i].tick == replay->at_tick; i++) {
        const enum raim_chapter_kind kind = chapters[i].kind;
        add_coming(replay, &chapters[i]);
        if (replay->is_heard && (kind == RAIM_CHAPTER_ROUND || kind == RAIM_CHAPTER_ROUND_END))
            sound_play_here(replay->preferences->sound, SOUND_ROUND);
    }
}

// Notes the kills of ticks that are not played, up to the present one.
static void note_skipped(struct replay *replay, uint32_t from)
{
    uint32_t count;
    const struct raim_chapter *chapters = raim_recording_chapters(replay->recording, &count);
    for (uint32_t i = chapter_from(chapters, count, from);
         i < count && chapters[i].tick <= replay->at_tick; i++) {
        if (chapters[i].kind == RAIM_CHAPTER_KILL)
            add_kill(replay, chapters[i].player, chapters[i].victim, chapters[i].tick);
        add_coming(replay, &chapters[i]);
    }
}

static void show_chat(struct replay *replay)
{
    uint32_t count;
    const struct raim_recording_line *lines = raim_recording_chat(replay->recording, &count);
    for (uint32_t i = 0; i < count; i++) {
        struct kill_feed_line line = {.born_s = seconds_of(replay, replay->at_tick),
                                      .first = person(replay, lines[i].player)};
        snprintf(line.text, sizeof line.text, "%s", lines[i].text);
        kill_feed_add(&replay->chat, &line);
        if (replay->is_heard)
            sound_play_here(replay->preferences->sound, SOUND_CHAT);
    }
}

// Notes why the recording plays no further than this tick.
static void note_fault(struct replay *replay, uint32_t tick)
{
    char when[PLAYBACK_TIME_BYTES];
    const struct raim_recording_fault *fault = raim_recording_fault(replay->recording);
    if (fault != NULL && fault->tick < tick)
        tick = fault->tick;
    if (tick < replay->playback.ticks)
        replay->playback.ticks = tick;
    playback_time(&replay->playback, replay->playback.ticks, true, when);
    if (fault != NULL)
        snprintf(replay->fault, sizeof replay->fault,
                 "The recording is damaged from %s on, in the frame at byte %llu: %s", when,
                 (unsigned long long)fault->offset, fault->why);
    else
        snprintf(replay->fault, sizeof replay->fault, "The recording ends early, at %s", when);
    playback_seek(&replay->playback, replay->playback.position);
}

// False at a fault and at the end.
static bool step(struct replay *replay)
{
    if (!raim_recording_step(replay->recording)) {
        note_fault(replay, replay->at_tick);
        return false;
    }
    replay->at_tick = raim_recording_tick(replay->recording);
    note_events(replay);
    note_chapters(replay);
    show_chat(replay);
    return true;
}

// Whether a bullet of the recording flies on where a spark has just begun.
static bool flies_on(const struct replay *replay, const struct effect *spark)
{
    const struct raim_world *world = raim_recording_world(replay->recording);
    const raim_bullet *bullets = raim_world_bullets_const(world);
    const double tick = world->rules.bullet_speed / world->tick_hz; // units in a tick
    for (uint32_t slot = 0; slot < world->max_bullets; slot++) {
        if (bullets[slot].owner != spark->player)
            continue;
        const raim_vec2 at =
            raim_bullet_position(&world->rules, &bullets[slot], world->tick, world->tick_hz);
        const raim_vec2 way = raim_vec2_sub(at, spark->position);
        const double along = raim_vec2_dot(way, spark->direction);
        if (fabs(raim_vec2_cross(way, spark->direction)) < 3 && along > -2 * tick &&
            along < 6 * tick)
            return true;
    }
    return false;
}

// Begins the effects between two pictures. A bullet that is no longer sent has not ended.
static void compare(struct replay *replay, const struct picture *before,
                    const struct picture *after)
{
    struct effects *effects = &replay->effects;
    uint32_t first = effects->count;
    effects_compare(effects, before, after);
    if (effects->count - first > EFFECTS)
        first = effects->count - EFFECTS;
    for (uint32_t i = first; i < effects->count && replay->is_known; i++) {
        struct effect *effect = &effects->items[i % EFFECTS];
        if (effect->kind == EFFECT_SPARK && flies_on(replay, effect))
            effect->born_s = -1e9; // over
    }
}

// Seeks a tick; where that fails, the last one before it that is right.
static void seek(struct replay *replay, uint32_t tick)
{
    while (!raim_recording_seek(replay->recording, tick) && tick > 0) {
        const uint32_t before = tick;
        note_fault(replay, tick - 1);
        tick = replay->playback.ticks < before ? replay->playback.ticks : before - 1;
    }
    replay->at_tick = raim_recording_tick(replay->recording);
}

static void exchange(struct picture **a, struct picture **b)
{
    struct picture *other = *a;
    *a = *b;
    *b = other;
}

// Begins the effects of the present tick, of which `after` becomes the picture.
static void note_effects(struct replay *replay, bool has_before)
{
    exchange(&replay->before, &replay->after);
    take_picture(replay, replay->after);
    if (has_before)
        compare(replay, replay->before, replay->after);
}

// Goes to a tick from somewhat earlier, for the kills, the chat and the effects that still show.
static void go_near(struct replay *replay, uint32_t tick)
{
    const uint32_t shown = (uint32_t)(warm_up_s * replay->info->tick_hz);
    const uint32_t effects = (uint32_t)(effects_s * replay->info->tick_hz);
    const uint32_t warm_up = replay->info->max_players <= PLAYERS_WITH_CHAT ? shown : effects;
    bool has_before = false;
    memset(&replay->kills, 0, sizeof replay->kills);
    memset(&replay->chat, 0, sizeof replay->chat);
    memset(&replay->effects, 0, sizeof replay->effects);
    replay->has_last = false;
    replay->is_heard = false;
    seek(replay, tick > warm_up ? tick - warm_up : 0);
    note_skipped(replay, tick > shown ? tick - shown : 0);
    while (replay->at_tick < tick && step(replay)) {
        if (tick - replay->at_tick > effects)
            continue;
        if (!has_before)
            memset(&replay->effects, 0, sizeof replay->effects); // without the kills before
        note_effects(replay, has_before);
        has_before = true;
    }
}

// Takes the pictures of a tick and of the next one.
static void take_pair(struct replay *replay, uint32_t tick)
{
    const bool is_after = replay->before_tick != REPLAY_NO_TICK && replay->at_tick == tick &&
                          replay->before_tick != tick;
    while (replay->at_tick < tick && step(replay))
        ;
    if (is_after)
        exchange(&replay->before, &replay->after);
    else
        take_picture(replay, replay->before);
    take_scoreboard(replay);
    replay->before_tick = replay->at_tick;
    if (replay->at_tick < replay->playback.ticks && step(replay))
        take_picture(replay, replay->after);
    else
        *replay->after = *replay->before;
}

static void reach(struct replay *replay, uint32_t tick)
{
    const uint32_t longest = (uint32_t)(longest_run_s * replay->info->tick_hz);
    const bool is_near = replay->before_tick != REPLAY_NO_TICK && tick >= replay->at_tick &&
                         tick - replay->at_tick <= longest;
    if (!is_near) {
        replay->before_tick = REPLAY_NO_TICK;
        go_near(replay, tick);
    }
    take_pair(replay, tick);
}

void replay_take(struct replay *replay)
{
    const struct playback *playback = &replay->playback;
    const uint32_t tick = (uint32_t)playback->position;
    if (tick != replay->before_tick)
        reach(replay, tick);
    const double part = playback->position - replay->before_tick;
    exchange(&replay->shown, &replay->last);
    picture_between(replay->before, replay->after, fmin(fmax(part, 0), 1), replay->shown);
    replay->moment_s = seconds_of(replay, playback->position);
    replay->shown->now_s = replay->moment_s;
    replay->shown->view = replay_view(replay).size;
    replay->shown->is_flown = replay->followed == RAIM_NOBODY;
    if (replay->followed != RAIM_NOBODY)
        replay->eye = replay->shown->eye;
    else
        replay->shown->eye = replay->eye;
    if (replay->has_last && replay->shown->now_s - replay->last->now_s > longest_gap_s)
        memset(&replay->effects, 0, sizeof replay->effects);
    else if (replay->has_last)
        compare(replay, replay->last, replay->shown);
    if (replay->is_heard)
        replay->heard = sound_play_effects(replay->preferences->sound, &replay->effects,
                                           replay->heard, replay->shown);
    else
        replay->heard = replay->effects.count;
    replay->has_last = true;
}

void replay_retake(struct replay *replay)
{
    replay->before_tick = REPLAY_NO_TICK;
    replay_take(replay);
}
