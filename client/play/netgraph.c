// SPDX-License-Identifier: MIT
// Draws the quality of the connection.
#include "netgraph.h"

#include "palette.h"

#include <stdio.h>

// Each curve has a lane of its own. `most` is the smallest value at the top of the lane.
static const struct {
    const char *title;
    const char *unit;
    int decimals;
    double most;
    draw_colour colour;
} curves[NETGRAPH_CURVES] = {
    {"round trip", "ms", 0, 60, {98, 190, 244, 255}},
    {"jitter", "ms", 1, 10, {244, 232, 90, 255}},
    {"loss", "%", 1, 2, {232, 104, 30, 255}},
    {"input margin", "ticks", 0, 4, {22, 178, 132, 255}},
    {"interpolation", "ms", 0, 30, {222, 138, 188, 255}},
    {"mispredictions", "", 0, 4, {238, 166, 26, 255}},
};

static const double lane_points = 30, width_points = 330, label_points = 128, value_points = 70;

void netgraph_look(struct netgraph *graph, double now_s, const struct raim_client_quality *quality)
{
    if (now_s < graph->next_s)
        return;
    graph->next_s = now_s + 1.0 / NETGRAPH_HZ;
    float *sample = graph->samples[graph->count++ % NETGRAPH_SAMPLES];
    sample[0] = (float)quality->round_trip_ms;
    sample[1] = (float)quality->jitter_ms;
    sample[2] = (float)(quality->loss * 100);
    sample[3] = (float)quality->margin;
    sample[4] = (float)quality->interpolation_ms;
    sample[5] = (float)(quality->mispredictions - graph->mispredictions);
    graph->mispredictions = quality->mispredictions;
    graph->correction_units = quality->correction_units;
}

static uint32_t kept(const struct netgraph *graph)
{
    return graph->count < NETGRAPH_SAMPLES ? graph->count : NETGRAPH_SAMPLES;
}

// The sample of an age, 0 for the newest.
static double value_at(const struct netgraph *graph, uint32_t age, int curve)
{
    return graph->samples[(graph->count - 1 - age) % NETGRAPH_SAMPLES][curve];
}

static void draw_lane(const struct netgraph *graph, const struct ui *ui, int curve, raim_box lane)
{
    raim_vec2 points[NETGRAPH_SAMPLES];
    const uint32_t count = kept(graph);
    double most = curves[curve].most, least = 0;
    for (uint32_t age = 0; age < count; age++) {
        most = fmax(most, value_at(graph, age, curve));
        least = fmin(least, value_at(graph, age, curve));
    }
    const double height = lane.max.y - lane.min.y, width = lane.max.x - lane.min.x;
    for (uint32_t age = 0; age < count; age++) {
        const double part = (value_at(graph, age, curve) - least) / (most - least);
        points[age] = (raim_vec2){lane.max.x - width * age / (NETGRAPH_SAMPLES - 1),
                                  lane.max.y - height * part};
    }
    const draw_colour ground = draw_faded(PALETTE_QUIET, 0.35);
    const double zero = lane.max.y + height * least / (most - least);
    draw_line(ui->draw, (raim_vec2){lane.min.x, zero}, (raim_vec2){lane.max.x, zero}, 1, ground,
              ground);
    draw_curve(ui->draw, points, (int)count, 1.5 * ui->unit, curves[curve].colour);
}

// Writes the title and value of a lane: the newest sample, or the sum of the mispredictions shown.
static void write_value(const struct netgraph *graph, const struct ui *ui, int curve, double y,
                        double left, double right)
{
    char words[64];
    double value = kept(graph) > 0 ? value_at(graph, 0, curve) : 0;
    if (curve == NETGRAPH_CURVES - 1) {
        value = 0;
        for (uint32_t age = 0; age < kept(graph); age++)
            value += value_at(graph, age, curve);
        snprintf(words, sizeof words, "%.0f, last %.1f u", value, graph->correction_units);
    } else {
        snprintf(words, sizeof words, "%.*f %s", curves[curve].decimals, value, curves[curve].unit);
    }
    struct text_style style = {.size = 13 * ui->unit, .colour = PALETTE_QUIET};
    text_write(ui->text, (raim_vec2){left, y}, &style, curves[curve].title);
    style.align = TEXT_RIGHT;
    style.colour = PALETTE_TEXT;
    text_write(ui->text, (raim_vec2){right, y}, &style, words);
}

void netgraph_draw(const struct netgraph *graph, const struct ui *ui)
{
    const double unit = ui->unit;
    const raim_vec2 corner = {ui->area.max.x - 12 * unit, ui->area.max.y - 12 * unit};
    const double width = (width_points + label_points + value_points) * unit;
    const double height = (NETGRAPH_CURVES * lane_points + 16) * unit;
    const raim_box panel = {{corner.x - width, corner.y - height}, corner};
    draw_panel(ui->draw, panel, 8 * unit, PALETTE_PANEL);
    for (int curve = 0; curve < NETGRAPH_CURVES; curve++) {
        const double top = panel.min.y + (8 + curve * lane_points) * unit;
        const double right = panel.min.x + (label_points + value_points) * unit;
        write_value(graph, ui, curve, top + 7 * unit, panel.min.x + 12 * unit, right - 8 * unit);
        draw_lane(graph, ui, curve,
                  (raim_box){{right, top + 4 * unit},
                             {panel.max.x - 12 * unit, top + (lane_points - 4) * unit}});
    }
}
