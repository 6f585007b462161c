// SPDX-License-Identifier: MIT
// Each part of the head-up display stays in its box with extreme contents: it is drawn alone into a
// window of SDL's dummy driver, and no pixel outside of its box may change.
#define _GNU_SOURCE
#include "hud.h"

#include "kill_feed.h"
#include "netgraph.h"
#include "scoreboard.h"
#include "test.h"
#include "vote_panel.h"
#include "window_desktop.h"

#include <unistd.h>

static const raim_vec2 view = {1600, 861};
static const char widest_name[] = "WWWWWWWWWWWWWWWWWWWWWWWW";
static const char longest_text[] = "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW WWWW "
                                   "MMMMMMMMMMMMMMMMMMMMMMMMM MMMM MMMMMMMMMMMMMMMMMMMMMMMMMMMMMM";
static const char longest_hint[] =
    "W A S D: move     mouse: aim     Right Shift Button: fire     Keypad Enter: chat     Left "
    "Super Button: scores     Scroll Lock: network     Esc: menu and much more of the same";

enum part {
    CLOCK,
    BANNER,
    KILLS,
    CHAT,
    SCORES,
    TABLE,
    DEATH,
    GRAPH,
    HINT,
    VOTE,
    ROUND,
    KILL,
    PARTS
};

static const char *const names[PARTS] = {"clock", "banner", "kills", "chat", "scores", "table",
                                         "death", "graph",  "hint",  "vote", "round",  "kill"};

static const char *const longest_round[2] = {
    "You: 1000th of 1000     kills: 65535     deaths: 65535     longest streak: 65535     hits: "
    "100 %",
    "Longest streak: WWWWWWWWWWWWWWWWWWWWWWWW, 65535     Fewest deaths: WWWWWWWWWWWWWWWWWWWWWWWW, "
    "65535"};

static struct hud_person person(unsigned id)
{
    struct hud_person person = {.id = (raim_player_id)id};
    memcpy(person.name, widest_name, sizeof widest_name);
    return person;
}

static void draw_feeds(const struct ui *ui, raim_box box, bool kills)
{
    struct kill_feed feed = {.count = 0};
    for (unsigned i = 0; i < KILL_FEED_LINES; i++) {
        struct kill_feed_line line = {.born_s = 9, .own = i % 2 == 0, .first = person(1033 + i)};
        line.second = person(1050 + i);
        snprintf(line.text, sizeof line.text, "%s", kills ? "destroyed" : longest_text);
        if (!kills && i % 3 == 0)
            line.first = (struct hud_person){.id = RAIM_NOBODY};
        kill_feed_add(&feed, &line);
    }
    struct entry entry;
    entry_clear(&entry);
    entry_type(&entry, longest_text, ENTRY_BYTES - 1);
    if (kills)
        kill_feed_draw_kills(ui, box, &feed, 10);
    else
        kill_feed_draw_chat(ui, box, &feed, &entry, 10);
}

static void draw_scores(const struct ui *ui, raim_box box, bool table)
{
    enum { COUNT = 200 };
    static struct score scores[COUNT];
    uint32_t first = 1000;
    for (unsigned i = 0; i < COUNT; i++) {
        scores[i] = (struct score){.id = (raim_player_id)(1024 + i),
                                   .own = i == 150,
                                   .score = 65535,
                                   .deaths = 65535,
                                   .bot = i % 2 == 0,
                                   .ping_ms = 9999};
        memcpy(scores[i].name, widest_name, sizeof widest_name);
    }
    if (table)
        scoreboard_draw_table(ui, box, scores, COUNT, &first);
    else
        scoreboard_draw_top(ui, box, scores, COUNT);
}

static void draw_graph(const struct ui *ui, raim_box box)
{
    static struct netgraph graph;
    const struct raim_client_quality quality = {.round_trip_ms = 99999, .jitter_ms = 99999};
    graph = (struct netgraph){0};
    static struct frame_times frames;
    frames = (struct frame_times){0};
    frame_times_take(&frames, 1);
    frame_times_take(&frames, 2);
    for (int i = 0; i < NETGRAPH_SAMPLES; i++)
        netgraph_look(&graph, i, &quality, &frames);
    netgraph_draw(&graph, ui, box);
}

static void draw_vote(const struct ui *ui, raim_box box)
{
    struct vote_panel panel = {.vote = {.runs = true,
                                        .kind = RAIM_CLIENT_VOTE_SPECTATE,
                                        .left_s = 300,
                                        .yes = 400,
                                        .no = 600,
                                        .electors = 1000,
                                        .needed = 991}};
    memcpy(panel.vote.caller_name, widest_name, sizeof widest_name);
    memcpy(panel.vote.player_name, widest_name, sizeof widest_name);
    memset(panel.vote.reason, 'W', RAIM_MAX_VOTE_REASON_BYTES);
    vote_panel_draw(&panel, ui, box, "Right Shift Button", "Keypad Enter");
}

static raim_box draw_part(const struct ui *ui, const struct hud_frame *frame, enum part part)
{
    const struct hud_layout layout = hud_layout_of(frame);
    const struct hud_person killer = person(1050);
    switch (part) {
    case CLOCK:
        hud_clock(ui, layout.clock, "999999:59   to 4294967295 points");
        return layout.clock;
    case BANNER:
        hud_banner(ui, layout.banner, "WWWWWWWWWWWWWWWWWWWWWWWW wins round 65535", longest_text);
        return layout.banner;
    case KILLS:
        draw_feeds(ui, layout.kills, true);
        return layout.kills;
    case CHAT:
        draw_feeds(ui, layout.chat, false);
        return layout.chat;
    case SCORES:
        draw_scores(ui, layout.scores, false);
        return layout.scores;
    case TABLE:
        draw_scores(ui, layout.table, true);
        return layout.table;
    case DEATH:
        hud_death(ui, layout.death, &killer, false, 9999, 9999);
        return layout.death;
    case KILL:
        hud_kill(ui, layout.death, &killer, 65535, 1);
        return layout.death;
    case GRAPH:
        draw_graph(ui, layout.graph);
        return layout.graph;
    case HINT:
        hud_hint(ui, layout.hint, longest_hint, 1);
        return layout.hint;
    case VOTE:
        draw_vote(ui, layout.vote);
        return layout.vote;
    case ROUND:
        hud_round(ui, layout.round, longest_round);
        return layout.round;
    case PARTS:
        break;
    }
    return ui->area;
}

static uint32_t read_32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Fails where a pixel outside of the box is not as in a BMP of 24 bits of an empty frame. Returns
// the number of pixels drawn inside.
static long check_pixels(const uint8_t *empty, const uint8_t *drawn, raim_box box, const char *what)
{
    const int width = (int)read_32(drawn + 18), height = (int)read_32(drawn + 22);
    const size_t row = ((size_t)width * 3 + 3) / 4 * 4;
    long inside = 0;
    for (int y = 0; y < height; y++) {
        const size_t offset = read_32(drawn + 10) + (size_t)(height - 1 - y) * row;
        if (memcmp(empty + offset, drawn + offset, (size_t)width * 3) == 0)
            continue;
        for (int x = 0; x < width; x++) {
            if (memcmp(empty + offset + 3 * x, drawn + offset + 3 * x, 3) == 0)
                continue;
            // Soft edges and outlines may lie a pixel or two outside.
            if (x < box.min.x - 3 || x > box.max.x + 3 || y < box.min.y - 3 || y > box.max.y + 3)
                fail_msg("%s is drawn at %d, %d, outside of its box %g, %g to %g, %g", what, x, y,
                         box.min.x, box.min.y, box.max.x, box.max.y);
            inside++;
        }
    }
    return inside;
}

static uint8_t *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    uint8_t *bytes = malloc((size_t)size);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    remove(path);
    return bytes;
}

static void check_size(int width, int height, double scale)
{
    char path[] = "/tmp/raim-hud-XXXXXX", what[64];
    const struct window_def def = {width, height, true};
    struct window *window = window_create(&def);
    assert_non_null(window);
    struct ui ui;
    assert_true(ui_open(&ui, window));
    close(mkstemp(path));
    uint8_t *empty = NULL;
    for (int part = -1; part < PARTS; part++) {
        assert_true(ui_begin(&ui, window, &(struct ui_view){.size = view, .scale = scale}));
        draw_box(ui.draw, (raim_box){{0, 0}, window_size(window)}, (draw_colour){20, 30, 40, 255});
        const struct text_style small = {.size = 15 * ui.unit};
        const struct hud_frame frame = {
            .window = {{0, 0}, window_size(window)},
            .area = ui.area,
            .unit = ui.unit,
            .line = text_height(&small),
            .hint_lines = hud_hint_lines(&ui, longest_hint),
            .has_table = part == TABLE,
            .has_banner = part == BANNER || part == TABLE,
            .has_graph = part == GRAPH,
            .round_height = part == ROUND ? hud_round_height(&ui, longest_round) : 0,
            .vote_height = part == VOTE ? vote_panel_height(&ui) : 0,
        };
        raim_box box = ui.area;
        if (part >= 0)
            box = draw_part(&ui, &frame, (enum part)part);
        assert_true(ui_end(&ui, window, path));
        uint8_t *drawn = read_file(path);
        if (part < 0) {
            empty = drawn;
            continue;
        }
        snprintf(what, sizeof what, "%s at %dx%d, scale %g", names[part], width, height, scale);
        if (check_pixels(empty, drawn, box, what) < 60)
            fail_msg("%s is not drawn", what);
        free(drawn);
    }
    free(empty);
    ui_close(&ui);
    window_destroy(window);
}

TEST(every_part_stays_in_its_box)
{
    check_size(800, 600, 1);
    check_size(800, 600, 2);
    check_size(1280, 720, 1);
    check_size(1600, 900, 1.5);
    check_size(2560, 1440, 1);
    check_size(3440, 1440, 1);
}
