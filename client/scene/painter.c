// SPDX-License-Identifier: MIT
// Draws a picture: the ground, then players, bullets and effects.
#include "painter.h"

#include "ground.h"
#include "palette.h"

static const double pi = 3.14159265358979323846;

static const double trail_s = 0.05; // time of flight that a bullet's trail shows

static const struct picture_player *owner_of(const struct paint *paint, raim_player_id id)
{
    for (uint32_t i = 0; i < paint->picture->player_count; i++)
        if (paint->picture->players[i].id == id)
            return &paint->picture->players[i];
    return NULL;
}

static void paint_bullet(const struct paint *paint, const struct picture_bullet *bullet)
{
    const double scale = paint->viewport->scale;
    const double radius = fmax(paint->picture->bullet_radius * scale, 1.5);
    const draw_colour colour = palette_player(bullet->owner);
    const raim_vec2 head = paint_at(paint, bullet->position);
    // The trail of a fresh bullet begins at its muzzle.
    double length_s = trail_s;
    const struct picture_player *owner = owner_of(paint, bullet->owner);
    const double speed = raim_vec2_length(bullet->velocity);
    if (owner != NULL && speed > 0) {
        const raim_vec2 from = raim_vec2_sub(bullet->position, owner->position);
        const double flown = raim_vec2_length(from) - paint->picture->player_radius;
        if (fabs(raim_vec2_cross(bullet->velocity, from)) < 4 * speed)
            length_s = fmin(fmax(flown / speed, 0), trail_s);
    }
    const raim_vec2 tail =
        paint_at(paint, raim_vec2_mad(bullet->position, bullet->velocity, -length_s));
    draw_glow(paint->draw, head, 4 * radius, draw_faded(colour, 0.45));
    draw_line(paint->draw, tail, head, 1.5 * radius, draw_faded(colour, 0), colour);
    draw_disc(paint->draw, head, radius, draw_mixed(colour, PALETTE_WHITE, 0.55));
}

static void paint_mark(const struct paint *paint, const struct picture_player *player,
                       raim_vec2 centre, double radius)
{
    const draw_colour dark = {12, 16, 24, 220};
    const raim_vec2 way = paint_flipped(raim_angle_direction(player->aim));
    const raim_vec2 side = raim_vec2_scale((raim_vec2){-way.y, way.x}, 0.62 * radius);
    switch (palette_player_mark(player->id)) {
    case PALETTE_DOT:
        draw_disc(paint->draw, centre, 0.3 * radius, dark);
        break;
    case PALETTE_HOLE:
        draw_ring(paint->draw, centre, 0.45 * radius, 0.17 * radius, dark);
        break;
    case PALETTE_STROKE:
        draw_line(paint->draw, raim_vec2_sub(centre, side), raim_vec2_add(centre, side),
                  0.22 * radius, dark, dark);
        break;
    case PALETTE_PLAIN:
    case PALETTE_MARKS:
        break;
    }
}

// Draws the shield as a ring. The local player's ring shows how much time is left.
static void paint_shield(const struct paint *paint, const struct picture_player *player,
                         raim_vec2 centre, double radius)
{
    const double pulse = 0.75 + 0.25 * sin(paint->picture->now_s * 10);
    const draw_colour colour = draw_faded(PALETTE_SHIELD, pulse);
    const double width = 2.5 * paint->ui->unit;
    const double left = player->own ? fmin(fmax(paint->picture->shield_left, 0), 1) : 1;
    draw_arc(paint->draw, centre, 1.45 * radius, width, -pi / 2, -pi / 2 + 2 * pi * left, colour);
}

// Draws the health left as a bar under the player, where one hit need not destroy it.
static void paint_health(const struct paint *paint, const struct picture_player *player,
                         raim_vec2 centre, double radius)
{
    const double width = 4 * paint->ui->unit;
    const double part = fmin(player->health / paint->picture->health, 1);
    const raim_vec2 left = {centre.x - 1.1 * radius, centre.y + 1.6 * radius + width};
    const raim_vec2 right = {centre.x + 1.1 * radius, left.y};
    const raim_vec2 end = {left.x + (right.x - left.x) * part, left.y};
    const draw_colour dark = {8, 11, 16, 200};
    draw_line(paint->draw, left, right, width + 2 * paint->ui->unit, dark, dark);
    const draw_colour colour = draw_mixed(PALETTE_BAD, PALETTE_GOOD, part);
    draw_line(paint->draw, left, end, width, colour, colour);
}

static void paint_player(const struct paint *paint, const struct picture_player *player)
{
    const double unit = paint->ui->unit;
    const double radius = paint->picture->player_radius * paint->viewport->scale;
    const raim_vec2 centre = paint_at(paint, player->position);
    const raim_vec2 way = paint_flipped(raim_angle_direction(player->aim));
    const draw_colour colour = palette_player(player->id);
    const draw_colour rim = player->own ? PALETTE_WHITE : (draw_colour){8, 11, 16, 255};
    if (player->own)
        draw_line(paint->draw, raim_vec2_mad(centre, way, 1.7 * radius),
                  raim_vec2_mad(centre, way, 9 * radius), unit, draw_faded(PALETTE_WHITE, 0.35),
                  draw_faded(PALETTE_WHITE, 0));
    draw_glow(paint->draw, centre, 2 * radius, draw_faded(colour, 0.22));
    if (player->shielded)
        draw_glow(paint->draw, centre, 2.4 * radius, draw_faded(PALETTE_SHIELD, 0.35));
    // The body covers the inner end of the barrel.
    const raim_vec2 muzzle = raim_vec2_mad(centre, way, 1.5 * radius);
    draw_line(paint->draw, centre, raim_vec2_mad(muzzle, way, unit), 0.5 * radius + 2 * unit, rim,
              rim);
    draw_line(paint->draw, centre, muzzle, 0.5 * radius, draw_mixed(colour, PALETTE_WHITE, 0.25),
              draw_mixed(colour, PALETTE_WHITE, 0.25));
    draw_disc(paint->draw, centre, radius + 0.5 * unit, rim);
    draw_disc(paint->draw, centre, radius - 1.5 * unit, colour);
    paint_mark(paint, player, centre, radius);
    if (player->shielded)
        paint_shield(paint, player, centre, radius);
    if (paint->picture->health > 1)
        paint_health(paint, player, centre, radius);
}

static void paint_name(const struct paint *paint, const struct picture_player *player)
{
    const double unit = paint->ui->unit;
    const double radius = paint->picture->player_radius * paint->viewport->scale;
    const raim_vec2 centre = paint_at(paint, player->position);
    const struct text_style style = {
        .size = 14 * unit,
        .align = TEXT_CENTRE,
        .colour = player->own ? PALETTE_WHITE : PALETTE_TEXT,
        .outlined = true,
    };
    text_write(paint->ui->text, (raim_vec2){centre.x, centre.y - 1.75 * radius - 15 * unit}, &style,
               player->name);
}

// Draws pieces that fly apart. Their directions follow from the effect's time, so that they are the
// same in every frame.
static void paint_shards(const struct paint *paint, const struct effect *effect, int count,
                         double reach, double progress, draw_colour colour)
{
    const double scale = paint->viewport->scale;
    const raim_vec2 centre = paint_at(paint, effect->position);
    const raim_vec2 back = paint_flipped(effect->direction);
    for (int i = 0; i < count; i++) {
        const double angle = 2 * pi * i / count + effect->born_s * 7;
        const double share = 0.55 + 0.45 * fmod(i * 0.618, 1);
        const raim_vec2 way = {cos(angle) - back.x, sin(angle) - back.y};
        const double eased = 1 - (1 - progress) * (1 - progress);
        const double far = reach * share * eased * scale;
        const double near = fmax(far - 0.35 * reach * share * (1 - progress) * scale, 0);
        draw_line(paint->draw, raim_vec2_mad(centre, way, near), raim_vec2_mad(centre, way, far),
                  2 * paint->ui->unit, draw_faded(colour, 0), draw_faded(colour, 1 - progress));
    }
}

static void paint_effect(const struct paint *paint, const struct effect *effect, double progress)
{
    const double radius = paint->picture->player_radius * paint->viewport->scale;
    const raim_vec2 centre = paint_at(paint, effect->position);
    const draw_colour colour = palette_player(effect->player);
    const draw_colour bright = draw_mixed(colour, PALETTE_WHITE, 0.5);
    const double left = 1 - progress;
    switch (effect->kind) {
    case EFFECT_MUZZLE:
        draw_glow(paint->draw, centre, 1.3 * radius, draw_faded(bright, 0.8 * left));
        break;
    case EFFECT_SPARK:
        draw_glow(paint->draw, centre, 1.1 * radius, draw_faded(bright, 0.6 * left));
        paint_shards(paint, effect, 6, 22, progress, bright);
        break;
    case EFFECT_BURST:
        draw_glow(paint->draw, centre, 5 * radius * (0.5 + progress),
                  draw_faded(bright, left * left));
        draw_ring(paint->draw, centre, radius * (1 + 3.2 * sqrt(progress)),
                  4 * paint->ui->unit * left, draw_faded(bright, left));
        paint_shards(paint, effect, 14, 95, progress, colour);
        break;
    case EFFECT_SPAWN:
        draw_ring(paint->draw, centre, radius * (1 + 2.5 * left), 3 * paint->ui->unit,
                  draw_faded(bright, progress * 0.8));
        break;
    case EFFECT_NEAR: {
        const raim_vec2 along = raim_vec2_scale(paint_flipped(effect->direction), 2.5 * radius);
        draw_line(paint->draw, raim_vec2_sub(centre, along), raim_vec2_add(centre, along),
                  2 * paint->ui->unit, draw_faded(bright, 0), draw_faded(bright, left));
        break;
    }
    case EFFECT_KINDS:
        break;
    }
}

static void paint_effects(const struct paint *paint, const struct effects *effects)
{
    const uint32_t count = effects->count < EFFECTS ? effects->count : EFFECTS;
    for (uint32_t i = 0; i < count; i++) {
        const double progress = effects_progress(&effects->items[i], paint->picture->now_s);
        if (progress >= 0 && progress < 1)
            paint_effect(paint, &effects->items[i], progress);
    }
}

void painter_paint(const struct ui *ui, const struct viewport *viewport,
                   const struct picture *picture, const struct effects *effects)
{
    const struct paint paint = {ui, ui->draw, viewport, picture, viewport_seen(viewport)};
    draw_clip(ui->draw, &ui->area);
    if (picture->map == NULL) {
        draw_box(ui->draw, ui->area, PALETTE_ROCK);
        draw_clip(ui->draw, NULL);
        return;
    }
    ground_paint(&paint, effects);
    for (uint32_t i = 0; i < picture->bullet_count; i++)
        paint_bullet(&paint, &picture->bullets[i]);
    for (uint32_t i = 0; i < picture->player_count; i++)
        paint_player(&paint, &picture->players[i]);
    paint_effects(&paint, effects);
    for (uint32_t i = 0; i < picture->player_count; i++)
        paint_name(&paint, &picture->players[i]);
    draw_clip(ui->draw, NULL);
}
