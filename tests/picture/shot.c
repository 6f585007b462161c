// SPDX-License-Identifier: MIT
// Draws a scene of the test's own, always the same, without a server: shot WIDTH HEIGHT FILE.bmp
// draws it into a window of this size, saves that, and prints as JSON where what ought to be seen.
#include "effects.h"
#include "hud.h"
#include "kill_feed.h"
#include "netgraph.h"
#include "painter.h"
#include "palette.h"
#include "picture.h"
#include "scoreboard.h"
#include "ui.h"
#include "window_desktop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const raim_vec2 VIEW = {1600, 861};
static const raim_vec2 EYE = {40, -30};

// A bent wall beside the eye, and three rocks.
static struct raim_map *make_map(void)
{
    static const struct raim_obstacle_def obstacles[] = {
        {{{200, -200}, {260, -200}, {260, 160}, {120, 160}, {120, 100}, {200, 100}}, 6},
        {{{-300, 120}, {-180, 90}, {-140, 200}, {-230, 290}, {-330, 230}}, 5},
        {{{-420, -260}, {-300, -320}, {-260, -180}}, 3},
        {{{480, 250}, {640, 220}, {660, 290}, {500, 330}}, 4},
    };
    const struct raim_map_def def = {
        .name = "shot",
        .border = {{-900, -430}, {720, 400}},
        .obstacles = obstacles,
        .obstacle_count = sizeof obstacles / sizeof *obstacles,
    };
    struct raim_map_problem problem;
    return raim_map_create(&def, &problem);
}

static void add_player(struct picture *picture, int place, double x, double y, int degrees,
                       const char *name)
{
    struct picture_player *player = &picture->players[picture->player_count++];
    *player = (struct picture_player){
        .id = (raim_player_id)(RAIM_MAX_PLAYERS + place),
        .own = place == 0,
        .aim = (raim_angle)(degrees * RAIM_ANGLE_TURN / 360),
        .position = {x, y},
    };
    snprintf(player->name, sizeof player->name, "%s", name);
}

static void add_bullet(struct picture *picture, int place, double x, double y, int degrees)
{
    const raim_angle aim = (raim_angle)(degrees * RAIM_ANGLE_TURN / 360);
    picture->bullets[picture->bullet_count++] = (struct picture_bullet){
        .owner = (raim_player_id)(RAIM_MAX_PLAYERS + place),
        .position = {x, y},
        .velocity = raim_vec2_scale(raim_angle_direction(aim), 900),
    };
}

static void make_scene(struct picture *picture, const struct raim_map *map)
{
    *picture = (struct picture){
        .now_s = 10,
        .map = map,
        .view = VIEW,
        .sight = true,
        .eye = EYE,
        .player_radius = 20,
        .bullet_radius = 4,
        .shield_left = 0.7,
    };
    add_player(picture, 0, EYE.x, EYE.y, 30, "you");
    add_player(picture, 1, -600, 250, 340, "Ada");
    add_player(picture, 2, -100, -350, 60, "Grace");
    add_player(picture, 9, 60, 300, 250, "Barbara");
    add_player(picture, 18, -700, -150, 10, "Edsger");
    add_player(picture, 27, -20, 130, 300, "Dennis");
    picture->players[0].shielded = true;
    picture->players[2].shielded = true;
    add_player(picture, 4, 400, 0, 180, "hidden");          // behind the wall
    add_player(picture, 5, 0, 460, 270, "out of the view"); // above it
    add_bullet(picture, 0, 150, 33, 30);
    add_bullet(picture, 1, -560, 215, 340);
    add_bullet(picture, 9, 20, 190, 250);
    add_bullet(picture, 27, 15, 69, 300);
    add_bullet(picture, 4, 300, 0, 180); // behind the wall
}

static void make_effects(struct effects *effects)
{
    effects_begin(effects, &(struct effect){EFFECT_BURST, 3, {-420, -20}, {0, 0}, 9.75});
    effects_begin(effects, &(struct effect){EFFECT_SPARK, 2, {-290, -170}, {-0.8, 0.6}, 9.94});
    effects_begin(effects, &(struct effect){EFFECT_SPAWN, 6, {100, -330}, {0, 0}, 9.7});
    effects_begin(effects, &(struct effect){EFFECT_MUZZLE, 9, {52, 270}, {0, -1}, 9.97});
}

static struct hud_person person(int place, const char *name)
{
    struct hud_person person = {.id = (raim_player_id)(RAIM_MAX_PLAYERS + place)};
    snprintf(person.name, sizeof person.name, "%s", name);
    return person;
}

static void draw_kills(const struct ui *ui, raim_box box)
{
    static struct kill_feed kills;
    kill_feed_add(&kills, &(struct kill_feed_line){.born_s = 8,
                                                   .first = person(9, "Barbara"),
                                                   .second = person(27, "Dennis"),
                                                   .text = "destroyed"});
    kill_feed_add(&kills, &(struct kill_feed_line){.born_s = 9,
                                                   .own = true,
                                                   .first = person(0, "you"),
                                                   .second = person(3, "Niklaus"),
                                                   .text = "destroyed"});
    kill_feed_draw_kills(ui, box, &kills, 10);
}

static void draw_chat(const struct ui *ui, raim_box box)
{
    static struct kill_feed chat;
    const struct entry entry = {.text = "Wer zuletzt lacht \u2026"};
    kill_feed_add(&chat, &(struct kill_feed_line){
                             .born_s = 5, .first = person(2, "Grace"), .text = "good game!"});
    kill_feed_add(&chat, &(struct kill_feed_line){.born_s = 9,
                                                  .first = person(27, "Dennis"),
                                                  .text = "once more? \u00e7a va"});
    kill_feed_draw_chat(ui, box, &chat, &entry, 10);
}

static void draw_scores(const struct ui *ui, raim_box box)
{
    static const char *const names[] = {"you",    "Ada",    "Grace",  "Niklaus", "Barbara",
                                        "Edsger", "Dennis", "Donald", "Tony",    "Kathleen"};
    static const int places[] = {0, 1, 2, 3, 9, 18, 27, 6, 7, 15};
    struct score scores[10];
    for (int i = 0; i < 10; i++) {
        scores[i] = (struct score){.id = (raim_player_id)(RAIM_MAX_PLAYERS + places[i]),
                                   .own = i == 0,
                                   .bot = i > 6,
                                   .score = (uint32_t)(i * 7 % 10),
                                   .deaths = (uint32_t)(i * 3 % 10)};
        snprintf(scores[i].name, sizeof scores[i].name, "%s", names[i]);
    }
    scoreboard_sort(scores, 10);
    scoreboard_draw_top(ui, box, scores, 10);
}

static void draw_netgraph(const struct ui *ui, raim_box box)
{
    static struct netgraph graph;
    static struct frame_times frames;
    for (int i = 0; i < NETGRAPH_SAMPLES; i++) {
        const struct raim_client_quality quality = {
            .round_trip_ms = 42 + i % 7,
            .jitter_ms = 4 + i % 5,
            .loss = i / 20 % 2 * 0.01,
            .margin = 2 - (i % 40 == 0 ? 3 : 0),
            .interpolation_ms = 21 + i / 10,
            .mispredictions = i / 50,
            .correction_units = 3.4,
        };
        frame_times_take(&frames, 1 + i * 0.016 + (i % 30 == 0 ? 0.004 : 0));
        netgraph_look(&graph, i, &quality, &frames);
    }
    netgraph_draw(&graph, ui, box);
}

static void draw_hud(const struct ui *ui)
{
    const struct text_style small = {.size = 15 * ui->unit};
    const struct hud_frame frame = {
        .window = ui->area,
        .area = ui->area,
        .unit = ui->unit,
        .line = text_height(&small),
        .has_graph = true,
    };
    const struct hud_layout layout = hud_layout_of(&frame);
    draw_kills(ui, layout.kills);
    draw_chat(ui, layout.chat);
    draw_scores(ui, layout.scores);
    draw_netgraph(ui, layout.graph);
    hud_clock(ui, layout.clock, "2:31   to 20 points");
    const raim_vec2 middle = raim_vec2_scale(raim_vec2_add(ui->area.min, ui->area.max), 0.5);
    hud_crosshair(ui, raim_vec2_mad(middle, (raim_vec2){170, -98}, ui->unit), 0.8, 0);
}

// Where a colour ought to be found in the file: beside a player's mark, where its body is plain.
static void tell_colours(const struct picture *picture, const struct viewport *viewport)
{
    printf("[");
    for (uint32_t i = 0; i < picture->player_count; i++) {
        const struct picture_player *player = &picture->players[i];
        const raim_vec2 aim = raim_angle_direction(player->aim);
        const raim_vec2 world = raim_vec2_mad(player->position, aim, -0.7 * picture->player_radius);
        const raim_vec2 place = viewport_to_screen(viewport, world);
        const draw_colour colour = palette_player(player->id);
        printf("%s{\"name\": \"%s\", \"x\": %.3f, \"y\": %.3f, \"colour\": [%d, %d, %d]}",
               i > 0 ? ", " : "", player->name, place.x, place.y, colour.r, colour.g, colour.b);
    }
    printf("]");
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: shot WIDTH HEIGHT FILE.bmp\n");
        return 64;
    }
    const struct window_def def = {atoi(argv[1]), atoi(argv[2]), true};
    struct window *window = window_create(&def);
    struct raim_map *map = make_map();
    struct picture *picture = calloc(1, sizeof *picture);
    struct effects *effects = calloc(1, sizeof *effects);
    bool saved = false;
    if (window != NULL && map != NULL && picture != NULL && effects != NULL) {
        make_scene(picture, map);
        make_effects(effects);
        picture_hide_unseen(picture);
        struct viewport viewport = viewport_fit(VIEW, window_size(window));
        viewport.eye = EYE;
        const raim_box area = viewport_area(&viewport);
        printf("{\"area\": [%.9f, %.9f, %.9f, %.9f], \"players\": ", area.min.x, area.min.y,
               area.max.x, area.max.y);
        tell_colours(picture, &viewport);
        printf(", \"bullets\": %u}\n", picture->bullet_count);
        struct ui ui;
        const struct ui_view view = {.size = VIEW, .scale = 1, .fine = true};
        if (!ui_open(&ui, window) || !ui_begin(&ui, window, &view))
            return EXIT_FAILURE;
        viewport = viewport_fit(VIEW, window_size(window));
        viewport.eye = EYE;
        painter_paint(&ui, &viewport, picture, effects);
        draw_hud(&ui);
        saved = ui_end(&ui, window, argv[3]);
        ui_close(&ui);
    }
    free(effects);
    free(picture);
    raim_map_destroy(map);
    window_destroy(window);
    return saved ? EXIT_SUCCESS : EXIT_FAILURE;
}
