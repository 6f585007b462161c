// SPDX-License-Identifier: MIT
// Draws the quality of the connection.
#include "netgraph.h"

#include "palette.h"

#include <math.h>
#include <stdio.h>

// Each curve has its own lane. `most` is the smallest value at the top of the lane.
static const struct {
    const char *title;
    const char *unit;
    int decimals;
    double most;
    draw_colour colour;
} curves[NETGRAPH_CURVES] = {
    {"frames", "ms", 1, 25, {196, 204, 214, 255}},
    {"round trip", "ms", 1, 60, {98, 190, 244, 255}},
    {"jitter", "ms", 1, 10, {244, 232, 90, 255}},
    {"lost packets", "%", 1, 2, {232, 104, 30, 255}},
    {"late inputs", "%", 1, 2, {238, 166, 26, 255}},
    {"input margin", "ticks", 0, 4, {22, 178, 132, 255}},
    {"interpolation", "ms", 0, 30, {222, 138, 188, 255}},
    {"mispredictions", "", 0, 4, {186, 156, 244, 255}},
};
enum { FRAME_TIME = 0, MISPREDICTIONS = NETGRAPH_CURVES - 1 };

static const double cell_width_points = 150, cell_height_points = 44;

// The share of late inputs is smoothed over about so many samples.
static const double late_samples = 24;

void netgraph_look(struct netgraph *graph, double now_s, const struct raim_client_quality *quality,
                   const struct frame_times *frames)
{
    if (now_s < graph->next_s)
        return;
    graph->next_s = now_s + 1.0 / NETGRAPH_HZ;
    graph->frames = frame_times_summary(frames);
    graph->late_percent += ((quality->margin < 0 ? 100 : 0) - graph->late_percent) / late_samples;
    float *sample = graph->samples[graph->count++ % NETGRAPH_SAMPLES];
    sample[FRAME_TIME] = (float)graph->frames.newest_ms;
    sample[1] = (float)quality->round_trip_ms;
    sample[2] = (float)quality->jitter_ms;
    sample[3] = (float)(quality->loss * 100);
    sample[4] = (float)graph->late_percent;
    sample[5] = (float)quality->margin;
    sample[6] = (float)quality->interpolation_ms;
    sample[MISPREDICTIONS] = (float)(quality->mispredictions - graph->mispredictions);
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

enum { VALUE_BYTES = 64 };

// The value of a lane: the newest sample, the rate of the frames with the 50th and 99th
// percentile of their times, or the sum of the
// mispredictions shown.
static void print_value(const struct netgraph *graph, int curve, char words[VALUE_BYTES])
{
    double value = kept(graph) > 0 ? value_at(graph, 0, curve) : 0;
    if (curve == MISPREDICTIONS) {
        value = 0;
        for (uint32_t age = 0; age < kept(graph); age++)
            value += value_at(graph, age, curve);
        snprintf(words, VALUE_BYTES, "%.0f, %.1f u", value, graph->correction_units);
    } else if (curve == FRAME_TIME) {
        snprintf(words, VALUE_BYTES, "%.0f fps, %.0f/%.0f ms", graph->frames.hz,
                 graph->frames.p50_ms, graph->frames.p99_ms);
    } else {
        snprintf(words, VALUE_BYTES, "%.*f %s", curves[curve].decimals, value, curves[curve].unit);
    }
}

// Writes the title and value of a curve into the head of its cell. Returns the height of the head.
static double write_value(const struct netgraph *graph, const struct ui *ui, int curve,
                          raim_box cell)
{
    char words[VALUE_BYTES];
    struct text_style style = {.size = 13 * ui->unit, .align = TEXT_RIGHT, .colour = PALETTE_TEXT};
    const double width = cell.max.x - cell.min.x;
    print_value(graph, curve, words);
    const double used =
        text_write_within(ui->text, (raim_vec2){cell.max.x, cell.min.y}, &style, words, width);
    style.align = TEXT_LEFT;
    style.colour = PALETTE_QUIET;
    text_write_within(ui->text, cell.min, &style, curves[curve].title, width - used - 6 * ui->unit);
    return text_height(&style);
}

void netgraph_draw(const struct netgraph *graph, const struct ui *ui, raim_box box)
{
    const double gap = 8 * ui->unit;
    const raim_vec2 room = raim_vec2_sub(box.max, box.min);
    int columns = (int)(room.x / (cell_width_points * ui->unit));
    columns = columns < 1 ? 1 : columns > NETGRAPH_CURVES ? NETGRAPH_CURVES : columns;
    // As few columns as the height allows make the widest curves.
    while (columns > 1 &&
           ceil(NETGRAPH_CURVES / (columns - 1.0)) * cell_height_points * ui->unit <= room.y)
        columns--;
    // In a small box the heads alone need their height.
    const struct text_style style = {.size = 13 * ui->unit};
    while (columns < NETGRAPH_CURVES &&
           ceil(NETGRAPH_CURVES / (double)columns) * (text_height(&style) + gap) > room.y)
        columns++;
    const int rows = (NETGRAPH_CURVES + columns - 1) / columns;
    const double width = room.x / columns;
    const double height = fmin(room.y / rows, 1.4 * cell_height_points * ui->unit);
    draw_panel(ui->draw, (raim_box){box.min, {box.max.x - 1, box.min.y + rows * height - 1}},
               8 * ui->unit, PALETTE_PANEL);
    for (int curve = 0; curve < NETGRAPH_CURVES; curve++) {
        const raim_vec2 corner = {box.min.x + curve % columns * width + gap,
                                  box.min.y + floor((double)curve / columns) * height + gap / 2};
        raim_box cell = {corner, {corner.x + width - 2 * gap, corner.y + height - gap}};
        cell.min.y += write_value(graph, ui, curve, cell) + 2 * ui->unit;
        if (cell.max.y - cell.min.y > 6)
            draw_lane(graph, ui, curve, cell);
    }
}
