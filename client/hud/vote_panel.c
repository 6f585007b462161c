// SPDX-License-Identifier: MIT
// Copies the vote, and draws its panel.
#include "vote_panel.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double shown_after_s = 4;

void vote_panel_take(struct vote_panel *panel, const struct raim_client *client, uint64_t now_us,
                     double now_s)
{
    const bool ran = panel->vote.runs;
    panel->vote = raim_client_get_vote(client, now_us);
    if (panel->vote.runs || panel->vote.outcome == 0)
        panel->ended_s = 0;
    else if (ran)
        panel->ended_s = now_s;
    panel->kinds = raim_client_vote_kinds(client);
    panel->map_count = 0;
    for (uint32_t i = 0; i < raim_client_vote_map_count(client) && i < VOTE_PANEL_MAPS; i++)
        strcpy(panel->maps[panel->map_count++], raim_client_vote_map(client, i));
}

bool vote_panel_is_shown(const struct vote_panel *panel, double now_s)
{
    return panel->vote.runs || (panel->ended_s > 0 && now_s < panel->ended_s + shown_after_s);
}

static struct text_style small_style(const struct ui *ui)
{
    return (struct text_style){.size = 15 * ui->unit, .colour = PALETTE_TEXT};
}

static double padding(const struct ui *ui)
{
    return 7 * ui->unit;
}

static double bar_height(const struct ui *ui)
{
    return 8 * ui->unit;
}

double vote_panel_height(const struct ui *ui)
{
    const struct text_style small = small_style(ui);
    return 4 * text_height(&small) + bar_height(ui) + 4 * padding(ui);
}

static void describe(const struct raim_client_vote *vote, char text[160])
{
    const char *caller = vote->caller_name;
    switch (vote->kind) {
    case RAIM_CLIENT_VOTE_KICK:
        snprintf(text, 160, "Kick %s?", vote->player_name);
        break;
    case RAIM_CLIENT_VOTE_MUTE:
        snprintf(text, 160, "Mute %s?", vote->player_name);
        break;
    case RAIM_CLIENT_VOTE_SPECTATE:
        snprintf(text, 160, "Let %s only watch?", vote->player_name);
        break;
    case RAIM_CLIENT_VOTE_MAP:
        snprintf(text, 160, "Change to the map %s?", vote->map);
        break;
    case RAIM_CLIENT_VOTE_NEXTMAP:
        snprintf(text, 160, "Play the next map?");
        break;
    case RAIM_CLIENT_VOTE_RESTART:
        snprintf(text, 160, "Restart the round?");
        break;
    case RAIM_CLIENT_VOTE_EXTEND:
        snprintf(text, 160, "Play %u minutes more?", vote->minutes);
        break;
    case RAIM_CLIENT_VOTE_PAUSE:
        snprintf(text, 160, "Pause, or end the pause?");
        break;
    default:
        snprintf(text, 160, "A vote of %s", caller);
    }
}

// Draws the votes from both ends of the bar, and the mark that yes must reach.
static void draw_bar(const struct raim_client_vote *vote, const struct ui *ui, raim_box box)
{
    const double width = box.max.x - box.min.x;
    const double each = vote->electors > 0 ? width / vote->electors : 0;
    const double yes = box.min.x + fmin(vote->yes * each, width);
    const double no = box.max.x - fmin(vote->no * each, width);
    const double mark = box.min.x + fmin(vote->needed * each, width);
    draw_box(ui->draw, box, draw_faded(PALETTE_QUIET, 0.4));
    draw_box(ui->draw, (raim_box){box.min, {yes, box.max.y}}, PALETTE_GOOD);
    draw_box(ui->draw, (raim_box){{fmax(no, yes), box.min.y}, box.max}, PALETTE_BAD);
    draw_box(ui->draw,
             (raim_box){{mark - 1.5 * ui->unit, box.min.y - 2 * ui->unit},
                        {mark + 0.5 * ui->unit, box.max.y + 2 * ui->unit}},
             PALETTE_WHITE);
}

static void describe_end(const struct raim_client_vote *vote, char text[160])
{
    snprintf(text, 160, "The vote has %s: %u yes, %u no",
             strcmp(raim_client_vote_outcome_name(vote->outcome), "moot") == 0 ? "become pointless"
             : strcmp(raim_client_vote_outcome_name(vote->outcome), "cancelled") == 0
                 ? "been cancelled"
             : strcmp(raim_client_vote_outcome_name(vote->outcome), "withdrawn") == 0
                 ? "been withdrawn"
                 : raim_client_vote_outcome_name(vote->outcome),
             vote->yes, vote->no);
}

void vote_panel_draw(const struct vote_panel *panel, const struct ui *ui, raim_box box,
                     const char *yes, const char *no)
{
    const struct raim_client_vote *vote = &panel->vote;
    struct text_style style = small_style(ui);
    const double line = text_height(&style), gap = padding(ui);
    const double left = box.min.x + gap, width = box.max.x - box.min.x - 2 * gap;
    const double lacks = vote_panel_height(ui) - (box.max.y - box.min.y);
    char text[160];
    draw_panel(ui->draw, box, 6 * ui->unit, PALETTE_PANEL);

    double top = box.min.y + gap;
    style.weight = TEXT_BOLD;
    style.colour = PALETTE_WHITE;
    describe(vote, text);
    text_write_within(ui->text, (raim_vec2){left, top}, &style, text, width);

    style = small_style(ui);
    if (lacks <= 1) {
        top += line;
        snprintf(text, sizeof text, "%s%s%s", vote->caller_name,
                 vote->reason[0] != '\0' ? ": " : " has called this vote", vote->reason);
        text_write_within(ui->text, (raim_vec2){left, top}, &style, text, width);
    }

    top += line + gap;
    draw_bar(vote, ui, (raim_box){{left, top}, {left + width, top + bar_height(ui)}});

    top += bar_height(ui) + gap;
    snprintf(text, sizeof text, "%u yes, %u no, %u needed of %u", vote->yes, vote->no, vote->needed,
             vote->electors);
    if (!vote->runs)
        describe_end(vote, text);
    if (lacks <= line || !vote->runs) {
        text_write_within(ui->text, (raim_vec2){left, top}, &style, text, width);
        top += line;
    }
    if (!vote->runs || lacks > 2 * line)
        return;
    snprintf(text, sizeof text, "%s: yes%s   %s: no%s   %.0f s", yes,
             vote->choice == RAIM_CLIENT_VOTE_YES ? " (yours)" : "", no,
             vote->choice == RAIM_CLIENT_VOTE_NO ? " (yours)" : "", ceil(vote->left_s));
    style.colour = PALETTE_WHITE;
    text_write_within(ui->text, (raim_vec2){left, top}, &style, text, width);
}
