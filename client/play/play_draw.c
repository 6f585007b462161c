// SPDX-License-Identifier: MIT
// Draws the arena and the head-up display.
#include "play_draw.h"

#include "hud.h"
#include "painter.h"
#include "phase_words.h"
#include "play_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double hit_s = 0.25, hurt_s = 0.6, hint_s = 8;

static void draw_phase(const struct play *play, const struct raim_client_phase *phase,
                       const struct ui *ui)
{
    char title[PHASE_WORDS_BYTES], text[PHASE_WORDS_BYTES];
    if (phase_words_banner(phase, play->winner.name, title, text)) {
        hud_banner(ui, title, text);
        return;
    }
    phase_words_clock(phase, text);
    hud_clock(ui, text);
}

static void draw_scores(const struct raim_client *client, bool all, const struct ui *ui)
{
    struct hud_score scores[RAIM_MAX_PLAYERS];
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_roster_entry(client, slot);
        if (member->id == RAIM_NOBODY)
            continue;
        struct hud_score *score = &scores[count++];
        *score = (struct hud_score){
            .id = member->id,
            .own = slot == raim_client_own_slot(client),
            .bot = member->bot,
            .score = member->score,
            .deaths = member->deaths,
        };
        memcpy(score->name, member->name, sizeof score->name);
    }
    hud_sort(scores, count);
    hud_scores(ui, scores, count, all);
}

static void label_of(const struct play *play, enum key_action action, char label[32])
{
    window_button_label(play->keys->buttons[action], label, 32);
}

// Shows the keys for the first seconds in an arena.
static void draw_hint(const struct play *play, const struct ui *ui, double now)
{
    const double left_s = play->entered_s + hint_s - now;
    char label[KEY_ACTIONS][32], hint[400];
    if (left_s <= 0 || play->layer != LAYER_NONE || play->shows_netgraph)
        return;
    for (int i = 0; i < KEY_ACTIONS; i++)
        label_of(play, (enum key_action)i, label[i]);
    snprintf(hint, sizeof hint,
             "%s %s %s %s: move     mouse: aim     %s: fire     %s: chat     %s: scores     "
             "%s: network     Esc: menu",
             label[KEY_UP], label[KEY_LEFT], label[KEY_DOWN], label[KEY_RIGHT], label[KEY_FIRE],
             label[KEY_CHAT], label[KEY_SCORES], label[KEY_NETWORK]);
    hud_hint(ui, hint, fmin(left_s, 1));
}

static void draw_playing(const struct play *play, const struct ui *ui, double now)
{
    const struct raim_client *client = raim_link_client(play->link);
    hud_hurt(ui, 1 - (now - play->hurt_at_s) / hurt_s);
    hud_kills(ui, &play->kills, now);
    hud_chat(ui, &play->chat, play->layer == LAYER_CHAT ? &play->entry : NULL, now);
    const struct raim_client_phase phase = raim_client_phase(client);
    const bool wants_scores = window_is_held(play->window, play->keys->buttons[KEY_SCORES]);
    draw_scores(client, wants_scores || phase.kind == RAIM_CLIENT_BREAK, ui);
    draw_phase(play, &phase, ui);
    if (play->shows_netgraph)
        netgraph_draw(&play->netgraph, ui);
    if (play->picture->map != NULL && phase.kind == RAIM_CLIENT_PLAY && !raim_client_alive(client))
        hud_countdown(ui, camera_spawns_in(&play->camera, client, now),
                      raim_client_rules(client)->respawn_delay);
    draw_hint(play, ui, now);
}

static void draw_layer(struct play *play, const struct ui *ui, double now)
{
    window_show_pointer(play->window,
                        play->layer >= LAYER_MENU || play->state != RAIM_CLIENT_PLAYING);
    if (play->layer >= LAYER_MENU)
        hud_veil(ui);
    if (play->layer == LAYER_MENU)
        menu_draw(&play->menu, ui, "Menu", "The match goes on");
    else if (play->layer > LAYER_MENU)
        menu_draw(&play->menu, ui, "Keys",
                  play->layer == LAYER_BIND ? "Press the new key, or Esc to keep the old one"
                                            : "Enter: change     Esc: back");
    else if (play->state == RAIM_CLIENT_PLAYING)
        hud_crosshair(ui, window_mouse(play->window), 1 - (now - play->hit_at_s) / hit_s);
}

static void draw_resuming(const struct play *play, const struct ui *ui, double now)
{
    char text[96];
    snprintf(text, sizeof text, "Resuming your session: %.0f s", now - play->lost_at_s);
    const char *title = phase_words_lost(raim_client_awaits_restart(raim_link_client(play->link)));
    hud_notice(ui, &(struct hud_notice){title, text, "Esc: menu"});
}

static void draw_end(const struct play *play, const struct ui *ui)
{
    const char *hint = "Enter: join again     Esc: quit";
    if (play->link == NULL) {
        hud_notice(ui, &(struct hud_notice){"No connection", "The host cannot be reached", hint});
        return;
    }
    const struct raim_client_end end = raim_client_end(raim_link_client(play->link));
    char title[64];
    snprintf(title, sizeof title, "Disconnected: %s", raim_client_reason_name(end.reason));
    hud_notice(ui, &(struct hud_notice){title, end.text, hint});
}

void play_draw(struct play *play, const struct ui *ui, double now_s)
{
    char where[320];
    struct viewport viewport = viewport_fit(play_view(play), window_size(play->window));
    viewport.eye = play->picture->eye;
    painter_paint(ui, &viewport, play->picture, &play->effects);
    snprintf(where, sizeof where, "%s port %u", play->host, play->port);
    switch (play->state) {
    case RAIM_CLIENT_PLAYING:
        draw_playing(play, ui, now_s);
        break;
    case RAIM_CLIENT_CONNECTING:
    case RAIM_CLIENT_ENTERING:
        hud_notice(ui, &(struct hud_notice){"Entering ...", where, "Esc: menu"});
        break;
    case RAIM_CLIENT_RESUMING:
        draw_resuming(play, ui, now_s);
        break;
    case RAIM_CLIENT_ENDED:
        draw_end(play, ui);
        break;
    }
    draw_layer(play, ui, now_s);
}
