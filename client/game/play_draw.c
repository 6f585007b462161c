// SPDX-License-Identifier: MIT
// Draws the arena and the head-up display.
#include "play_internal.h"

#include "hud.h"
#include "message.h"
#include "painter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double hit_s = 0.25, kill_s = 0.4, hurt_s = 0.6, victim_s = 2, direction_s = 1.6,
                    goal_s = 8, hint_s = 12;

static void draw_phase(const struct play *play, const struct raim_client_phase *phase,
                       const struct ui *ui, const struct hud_layout *layout)
{
    char title[PHASE_TEXT_BYTES], text[PHASE_TEXT_BYTES], words[SUMMARY_TEXT_BYTES * 2];
    if (phase_text_banner(phase, play->winner.name, play->scoreboard.next_map, title, text)) {
        snprintf(words, sizeof words, "%s%s", play->round_end, text);
        hud_banner(ui, layout->banner, title, words);
        return;
    }
    phase_text_clock(phase, text);
    hud_clock(ui, layout->clock, text);
}

static void draw_scores(struct play *play, const struct ui *ui, const struct hud_layout *layout,
                        bool all)
{
    const struct scoreboard *scoreboard = &play->scoreboard;
    if (all)
        scoreboard_draw_table(ui, layout->table, scoreboard->scores, scoreboard->score_count,
                              &play->first_score);
    else
        scoreboard_draw_top(ui, layout->scores, scoreboard->scores, scoreboard->score_count);
}

static void label_of(const struct play *play, enum action action, char label[32])
{
    const enum binding_device device = play->controls.by_pad ? BINDING_PAD : BINDING_KEYS;
    window_button_label(play->window, play->bindings->buttons[device][action], label, 32);
}

// Writes the hints that a player still needs. The later ones are shown for a while only.
static void write_hints(struct play *play, char label[ACTION_COUNT][32], double now, char *text,
                        size_t capacity)
{
    const bool by_pad = play->controls.by_pad, has_fingers = window_has_fingers(play->window);
    const char *learned = play->preferences->settings.learned;
    char moves[4 * 33];
    snprintf(moves, sizeof moves, "%.31s %.31s %.31s %.31s", label[ACTION_UP], label[ACTION_LEFT],
             label[ACTION_DOWN], label[ACTION_RIGHT]);
    const char *const by_keys[HINTS] = {by_pad ? "left stick" : moves,
                                        by_pad ? "right stick" : "mouse",
                                        label[ACTION_FIRE],
                                        label[ACTION_SCORES],
                                        label[ACTION_CHAT],
                                        by_pad ? "Start" : "Esc"};
    // The other buttons for fingers name themselves.
    static const char *const by_fingers[HINTS] = {
        "left thumb", "right thumb", "right thumb, far out", "", "", ""};
    const char *const *labels = has_fingers ? by_fingers : by_keys;
    const enum hint next = hints_next(learned, labels);
    if (next != play->hint)
        play->hint_s = now;
    else if (next > HINT_FIRE && next < HINTS && now - play->hint_s > hint_s)
        play_learn(play, next);
    play->hint = next;
    hints_write(learned, labels, text, capacity);
}

// Writes the hint at the bottom; "": none.
static void write_hint(struct play *play, double now, char *hint, size_t capacity)
{
    char label[ACTION_COUNT][32];
    hint[0] = '\0';
    if (play->layer != LAYER_NONE)
        return;
    for (int i = 0; i < ACTION_COUNT; i++)
        label_of(play, (enum action)i, label[i]);
    if (!play->watch)
        write_hints(play, label, now, hint, capacity);
    else if (window_has_fingers(play->window))
        snprintf(hint, capacity, "Tap left or right: another player");
    else
        snprintf(hint, capacity,
                 "You watch %s     %s, %s: another player     %s: scores     %s: menu, to join",
                 play->names[raim_player_slot(play->scoreboard.watched)], label[ACTION_LEFT],
                 label[ACTION_RIGHT], label[ACTION_SCORES],
                 play->controls.by_pad ? "Start" : "Esc");
}

// Draws where the deadly shot came from, as seen from where the local player was; for as long as it
// is down, with a ring around who shot.
static void draw_hurt(const struct play *play, const struct ui *ui, double now, bool is_down)
{
    const struct picture *picture = play->picture;
    if (play->preferences->settings.shakes)
        hud_hurt(ui, 1 - (now - play->hurt_at_s) / hurt_s);
    const raim_vec2 way = raim_vec2_sub(play->killer_at, picture->eye);
    if (play->has_killer_at && raim_vec2_length(way) > 0)
        hud_hit_direction(ui, (raim_vec2){way.x, -way.y},
                          fmax(1 - (now - play->hurt_at_s) / direction_s, is_down ? 0.5 : 0));
    for (uint32_t i = 0; i < picture->player_count && is_down; i++)
        if (picture->players[i].id == play->killer.id)
            hud_killer(ui, viewport_to_screen(&play->viewport, picture->players[i].position));
}

// Moves the picture for a moment after a kill by the local player, and farther after its death.
static raim_vec2 shake_of(const struct play *play, const struct ui *ui, double now)
{
    const double death = fmax(1 - (now - play->hurt_at_s) / 0.4, 0);
    const double kill = fmax(1 - (now - play->kill_at_s) / 0.2, 0);
    const double far = (9 * death * death + 3 * kill * kill) * ui->unit;
    if (!play->preferences->settings.shakes)
        return (raim_vec2){0, 0};
    return (raim_vec2){far * sin(now * 83), far * cos(now * 97)};
}

static void draw_vote(const struct play *play, const struct ui *ui, raim_box box)
{
    char yes[32], no[32];
    label_of(play, ACTION_VOTE_YES, yes);
    label_of(play, ACTION_VOTE_NO, no);
    vote_panel_draw(&play->votes, ui, box, yes, no);
}

static void draw_playing(struct play *play, const struct ui *ui, double now)
{
    const struct scoreboard *scoreboard = &play->scoreboard;
    const struct raim_client_phase *phase = &scoreboard->phase;
    const struct text_style small = {.size = 15 * ui->unit};
    const raim_vec2 size = window_size(play->window);
    char hint[400], goal[PHASE_TEXT_BYTES] = "";
    write_hint(play, now, hint, sizeof hint);
    if (now < play->round_s + goal_s)
        phase_text_goal(phase, goal);
    const bool is_over = phase->kind == RAIM_CLIENT_BREAK;
    const char *const round[2] = {is_over ? play->own_result : goal,
                                  is_over ? play->best_result : ""};
    const struct hud_frame frame = {
        .window = {{0, 0}, size},
        .area = ui->area,
        .unit = ui->unit,
        .line = text_height(&small),
        .hint_lines = hint[0] != '\0' ? hud_hint_lines(ui, hint) : 0,
        .has_table = play_shows_table(play),
        .has_banner = phase->kind != RAIM_CLIENT_PLAY,
        .has_graph = play->shows_netgraph,
        .round_height = hud_round_height(ui, round),
        .vote_height = vote_panel_is_shown(&play->votes, now) ? vote_panel_height(ui) : 0,
    };
    const bool is_down = play->picture->map != NULL && phase->kind == RAIM_CLIENT_PLAY &&
                         !scoreboard->is_alive && !play->watch;
    const struct hud_layout layout = hud_layout_of(&frame);
    draw_hurt(play, ui, now, is_down);
    kill_feed_draw_kills(ui, layout.kills, &play->kills, now);
    kill_feed_draw_chat(ui, layout.chat, &play->chat,
                        play->layer == LAYER_CHAT ? &play->entry : NULL, now);
    draw_scores(play, ui, &layout, frame.has_table);
    draw_phase(play, phase, ui, &layout);
    hud_round(ui, layout.round, round);
    if (frame.vote_height > 0)
        draw_vote(play, ui, layout.vote);
    if (play->shows_netgraph)
        netgraph_draw(&play->netgraph, ui, layout.graph);
    const double left_s = camera_spawns_in(&play->camera, scoreboard->respawn_delay_s, now);
    if (is_down && !frame.has_table)
        hud_death(ui, layout.death, &play->killer, scoreboard->awaits_spawn && left_s <= 0, left_s,
                  scoreboard->respawn_delay_s);
    else if (!frame.has_table)
        hud_kill(ui, layout.death, &play->victim, play->streak,
                 fmin(play->kill_at_s + victim_s - now, 1));
    if (hint[0] != '\0')
        hud_hint(ui, layout.hint, hint, 1);
}

static void draw_layer(struct play *play, const struct ui *ui, double now)
{
    const struct viewport viewport = viewport_fit(play_view(play), window_size(play->window));
    window_show_pointer(play->window,
                        play->layer >= LAYER_MENU || play->state != RAIM_CLIENT_PLAYING);
    if (play->layer >= LAYER_MENU)
        hud_veil(ui);
    if (play->layer == LAYER_MENU)
        pause_menu_draw(&play->pause, ui, "The match goes on");
    else if (play->layer == LAYER_VOTE)
        vote_menu_draw(&play->vote_menu, ui);
    else if (play->state == RAIM_CLIENT_PLAYING && !play->watch)
        hud_crosshair(ui, controls_crosshair(&play->controls, play->window, &viewport),
                      1 - (now - play->hit_at_s) / hit_s, 1 - (now - play->kill_at_s) / kill_s);
}

// The hint for what the player uses.
static const char *hint_of(const struct play *play, const char *keys, const char *pad,
                           const char *fingers)
{
    return window_has_fingers(play->window) ? fingers : play->controls.by_pad ? pad : keys;
}

static void draw_resuming(const struct play *play, const struct ui *ui, double now)
{
    char text[96];
    snprintf(text, sizeof text, "Resuming your session: %.0f s", now - play->lost_at_s);
    const char *title = phase_text_lost(play->awaits_restart);
    hud_notice(ui,
               &(struct hud_notice){title, text, hint_of(play, "Esc: menu", "Start: menu", "")});
}

// What is typed with a mark where it goes on; as dots, one for each character, where it is a
// password.
static void write_typed(const struct entry *entry, bool is_hidden, char *words)
{
    for (size_t at = 0; at == 0 || entry->text[at - 1] != '\0'; at++) {
        if (at == entry->caret)
            *words++ = '_';
        if (!is_hidden)
            *words++ = entry->text[at];
        else if (((unsigned char)entry->text[at] & 0xC0) != 0x80 && entry->text[at] != '\0')
            *words++ = '*';
    }
    *words = '\0';
}

static void draw_credential(const struct play *play, const struct ui *ui)
{
    const bool is_password = play->end_reason == RAIM_REASON_PASSWORD;
    char text[END_TEXT_BYTES + ENTRY_BYTES + 32], typed[ENTRY_BYTES + 2];
    write_typed(&play->entry, is_password, typed);
    snprintf(text, sizeof text, "%s %s: %s", play->end.text,
             is_password ? "Password" : "Access token", typed);
    hud_notice(ui, &(struct hud_notice){play->end.title, text, "Enter: join     Esc: home"});
}

static void draw_end(const struct play *play, const struct ui *ui, double now)
{
    char text[END_TEXT_BYTES + 40];
    if (play->layer == LAYER_CREDENTIAL) {
        draw_credential(play, ui);
        return;
    }
    snprintf(text, sizeof text, "%s", play->end.text);
    if (play->retry_s > 0)
        snprintf(text, sizeof text, "%s Trying again in %.0f s.", play->end.text,
                 ceil(fmax(play->retry_s - now, 0)));
    hud_notice(
        ui, &(struct hud_notice){play->end.title, text,
                                 hint_of(play, "Enter: try now     Esc: home",
                                         "A: try now     B: home", "Tap: try now     Menu: home")});
}

// After a failed try, its reason stays.
static void draw_joining(const struct play *play, const struct ui *ui)
{
    char where[320];
    const bool is_retry = play->end.title[0] != '\0';
    snprintf(where, sizeof where, "%s port %u", play->host, play->port);
    const char *text = is_retry ? "Trying again now ..." : where;
    hud_notice(
        ui, &(struct hud_notice){is_retry ? play->end.title : "Entering ...",
                                 play->is_deriving ? "Deriving the key of the password ..." : text,
                                 hint_of(play, "Esc: home", "Start: home", "Menu: home")});
}

void play_draw(struct play *play, const struct ui *ui)
{
    const double now_s = play->now_s;
    struct viewport *viewport = &play->viewport;
    *viewport = viewport_fit(play_view(play), window_size(play->window));
    viewport->eye = play->picture->eye;
    viewport->middle = raim_vec2_add(viewport->middle, shake_of(play, ui, now_s));
    painter_paint(ui, viewport, play->picture, &play->effects);
    switch (play->state) {
    case RAIM_CLIENT_PLAYING:
        draw_playing(play, ui, now_s);
        break;
    case RAIM_CLIENT_CONNECTING:
    case RAIM_CLIENT_ENTERING:
        draw_joining(play, ui);
        break;
    case RAIM_CLIENT_RESUMING:
        draw_resuming(play, ui, now_s);
        break;
    case RAIM_CLIENT_ENDED:
        draw_end(play, ui, now_s);
        break;
    }
    draw_layer(play, ui, now_s);
    if (window_has_fingers(play->window) && play->layer == LAYER_NONE)
        touch_draw(&play->controls.touch, ui, play->window);
}
