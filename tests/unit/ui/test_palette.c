// SPDX-License-Identifier: MIT
// The palettes' contrast by WCAG 2.1, and that colour-blind people can tell players apart.
#include "palette.h"
#include "test.h"

#include <math.h>

struct rgb {
    double v[3]; // linear light, 0 to 1
};

static double linear(uint8_t byte)
{
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct rgb light(draw_colour colour)
{
    return (struct rgb){{linear(colour.r), linear(colour.g), linear(colour.b)}};
}

// WCAG 2.1: relative luminance and contrast ratio.
static double luminance(draw_colour colour)
{
    const struct rgb c = light(colour);
    return 0.2126 * c.v[0] + 0.7152 * c.v[1] + 0.0722 * c.v[2];
}

static double contrast(draw_colour a, draw_colour b)
{
    const double first = luminance(a) + 0.05, second = luminance(b) + 0.05;
    return first > second ? first / second : second / first;
}

// Machado, Oliveira and Fernandes (2009), severity 1.
static const double deficiencies[4][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};

static double lab_f(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

// CIE 1976 L*a*b* of a colour as a person with a deficiency sees it.
static struct rgb lab(draw_colour colour, const double deficiency[3][3])
{
    const struct rgb c = light(colour);
    double s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = deficiency[i][0] * c.v[0] + deficiency[i][1] * c.v[1] + deficiency[i][2] * c.v[2];
        s[i] = fmin(fmax(s[i], 0), 1);
    }
    const double x = lab_f((0.4124 * s[0] + 0.3576 * s[1] + 0.1805 * s[2]) / 0.95047);
    const double y = lab_f(0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2]);
    const double z = lab_f((0.0193 * s[0] + 0.1192 * s[1] + 0.9505 * s[2]) / 1.08883);
    return (struct rgb){{116 * y - 16, 500 * (x - y), 200 * (y - z)}};
}

static double distance(struct rgb a, struct rgb b)
{
    return sqrt(pow(a.v[0] - b.v[0], 2) + pow(a.v[1] - b.v[1], 2) + pow(a.v[2] - b.v[2], 2));
}

TEST(contrast_of_the_unseen_floor)
{
    const struct palette *palette = palette_of(PALETTE_CONTRAST);
    assert_true(contrast(palette->floor, palette->dark) >= 3);
    assert_true(contrast(palette->floor, palette->wall) >= 2);
}

TEST(text_and_players_stand_out)
{
    for (int i = 0; i < PALETTE_SCHEMES; i++) {
        const struct palette *palette = palette_of((enum palette_scheme)i);
        draw_colour sheet = palette->sheet;
        sheet.a = 255;
        assert_true(contrast(palette->text, sheet) >= 7);
        assert_true(contrast(palette->quiet, sheet) >= 4.5);
        assert_true(contrast(palette->white, palette->chosen) >= 4.5);
        for (int k = 0; k < PALETTE_PLAYERS; k++)
            if (contrast(palette->players[k], palette->floor) < 2.9)
                fail_msg("%s: player %d has %.2f", palette->name, k,
                         contrast(palette->players[k], palette->floor));
    }
}

TEST(no_material_of_a_map_hides_a_player_or_the_dark)
{
    for (int i = 0; i < PALETTE_SCHEMES; i++) {
        const struct palette *palette = palette_of((enum palette_scheme)i);
        palette_choose((enum palette_scheme)i);
        for (unsigned m = 0; m < PALETTE_MATERIALS; m++) {
            const draw_colour floor = palette_tinted(palette->floor, m);
            const double dark = contrast(palette->floor, palette->dark);
            const double tinted = contrast(floor, palette_tinted(palette->dark, m));
            for (int k = 0; k < PALETTE_PLAYERS; k++)
                if (contrast(palette->players[k], floor) < 2.9)
                    fail_msg("%s, material %u: player %d has %.2f", palette->name, m, k,
                             contrast(palette->players[k], floor));
            if (tinted < 0.95 * dark)
                fail_msg("%s, material %u: dark has %.2f", palette->name, m, tinted);
        }
    }
    palette_choose(PALETTE_STANDARD);
}

TEST(the_shipped_maps_are_of_different_materials)
{
    const unsigned duel = palette_material("duel"), crossfire = palette_material("crossfire"),
                   ruins = palette_material("ruins");
    assert_true(duel != crossfire && duel != ruins && crossfire != ruins);
}

// 2.3 is a just noticeable difference; 10 is told at a glance.
TEST(colour_blind_people_tell_players_apart)
{
    for (int i = 0; i < PALETTE_SCHEMES; i++) {
        const struct palette *palette = palette_of((enum palette_scheme)i);
        for (int d = 0; d < 4; d++)
            for (int a = 0; a < PALETTE_PLAYERS; a++)
                for (int b = 0; b < a; b++) {
                    const double far = distance(lab(palette->players[a], deficiencies[d]),
                                                lab(palette->players[b], deficiencies[d]));
                    if (far < 10)
                        fail_msg("%s: players %d and %d are %.1f apart, deficiency %d",
                                 palette->name, a, b, far, d);
                }
    }
}

TEST(the_chosen_palette_colours_the_players)
{
    for (int i = 0; i < PALETTE_SCHEMES; i++) {
        palette_choose((enum palette_scheme)i);
        assert_ptr_equal(palette_now(), palette_of((enum palette_scheme)i));
        assert_int_equal(palette_player(9).g, palette_now()->players[1].g);
        assert_int_equal(palette_player_mark(9), PALETTE_DOT);
    }
    palette_choose(PALETTE_STANDARD);
}
