// SPDX-License-Identifier: MIT
// A shot makes a sound on its side, measured in what SDL's disk driver was given to play; without a
// device the game is silent.
#define _GNU_SOURCE
#include "effects.h"
#include "synthesize.h"
#include "test.h"

#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const raim_vec2 view = {1600, 861};

static const uint64_t golden_digest = 0xfad036952c0b2bedU;

TEST(a_place_is_louder_on_its_side_and_near)
{
    const struct sound_place middle = sound_place_of((raim_vec2){0, 0}, view);
    const struct sound_place left = sound_place_of((raim_vec2){-700, 0}, view);
    const struct sound_place right = sound_place_of((raim_vec2){700, 0}, view);
    const struct sound_place far = sound_place_of((raim_vec2){0, 5000}, view);
    assert_true(middle.left == middle.right);
    assert_true(left.left > 2 * left.right);
    assert_true(left.left == right.right && left.right == right.left);
    assert_true(left.left < 1 && left.right > 0);
    assert_true(far.left == 0 && far.right == 0);
    double before = 1;
    for (double y = 0; y < 2000; y += 50) {
        const struct sound_place place = sound_place_of((raim_vec2){0, y}, view);
        assert_true(place.left <= before);
        before = place.left;
    }
}

TEST(every_sound_is_short_and_ends_silently)
{
    for (int i = 0; i < SOUND_KINDS; i++) {
        size_t count;
        int16_t *samples = synthesize((enum sound_kind)i, &count);
        int loudest = 0;
        for (size_t k = 0; k < count; k++)
            loudest = abs(samples[k]) > loudest ? abs(samples[k]) : loudest;
        print_message("sound %d: %zu samples, peak %d\n", i, count, loudest);
        assert_true(count > SOUNDS_HZ / 20 && count < 2 * SOUNDS_HZ);
        assert_true(loudest > 6000 && loudest < 32767); // heard, and not clipped
        assert_true(abs(samples[count - 1]) < 100);
        assert_true(abs(samples[0]) < 2000);
        free(samples);
    }
}

// FNV-1a over all samples.
TEST(every_machine_synthesizes_the_same_sounds)
{
    uint64_t digest = 14695981039346656037U;
    for (int i = 0; i < SOUND_KINDS; i++) {
        size_t count;
        int16_t *samples = synthesize((enum sound_kind)i, &count);
        for (size_t k = 0; k < count; k++)
            digest = (digest ^ (uint16_t)samples[k]) * 1099511628211U;
        free(samples);
    }
    print_message("digest 0x%016llx\n", (unsigned long long)digest);
    assert_true(digest == golden_digest);
}

static void play_shot(struct sound *sound, raim_vec2 offset)
{
    sound_play(sound, SOUND_SHOT, sound_place_of(offset, view));
}

// A flash at a muzzle, as the picture shows it.
static void play_effect(struct sound *sound, raim_vec2 offset)
{
    static struct effects effects;
    static struct picture picture;
    effects = (struct effects){0};
    picture.view = view;
    picture.eye = (raim_vec2){1000, -500};
    effects_begin(&effects, &(struct effect){.kind = EFFECT_SPARK, .position = picture.eye});
    effects_begin(&effects, &(struct effect){.kind = EFFECT_MUZZLE,
                                             .position = raim_vec2_add(picture.eye, offset)});
    assert_int_equal(sound_play_effects(sound, &effects, 0, &picture), 2);
    assert_int_equal(sound_play_effects(sound, &effects, 2, &picture), 2);
}

enum { HEARD_BYTES = 300000 }; // more than a second, longer than a shot

static off_t size_of(int descriptor)
{
    struct stat status;
    assert_int_equal(fstat(descriptor, &status), 0);
    return status.st_size;
}

// Plays one sound through SDL's disk driver; the energy of both sides.
static void record(void (*play)(struct sound *, raim_vec2), raim_vec2 offset, double volume,
                   double *left, double *right)
{
    char path[] = "/tmp/raim-sound-XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    setenv("SDL_AUDIODRIVER", "disk", 1);
    setenv("SDL_DISKAUDIOFILE", path, 1);
    setenv("SDL_DISKAUDIODELAY", "1", 1); // ms per buffer
    struct sound *sound = sound_open();
    assert_non_null(sound);
    sound_set_volume(sound, volume);
    play(sound, offset);
    const off_t heard = size_of(descriptor) + HEARD_BYTES;
    for (int i = 0; i < 3000 && size_of(descriptor) < heard; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_true(size_of(descriptor) >= heard);
    sound_close(sound);
    FILE *file = fdopen(descriptor, "r");
    int16_t pair[2];
    *left = *right = 0;
    while (fread(pair, sizeof pair, 1, file) == 1) {
        *left += (double)pair[0] * pair[0];
        *right += (double)pair[1] * pair[1];
    }
    fclose(file);
    remove(path);
}

// Before those that have a device: SDL keeps its audio driver to the end of the program.
TEST(without_a_device_the_game_is_silent)
{
    setenv("SDL_AUDIODRIVER", "nonsense", 1);
    struct sound *sound = sound_open();
    assert_null(sound);
    sound_set_volume(sound, 1);
    sound_play_here(sound, SOUND_CHAT);
    sound_close(sound);
}

TEST(a_shot_is_heard_on_its_side)
{
    double left, right, faint_left, faint_right;
    record(play_shot, (raim_vec2){600, 100}, 1, &left, &right);
    print_message("right: %g left, %g right\n", left, right);
    assert_true(right > 1e9 && left > 0 && right > 4 * left);
    record(play_shot, (raim_vec2){-600, 100}, 1, &left, &right);
    print_message("left: %g left, %g right\n", left, right);
    assert_true(left > 1e9 && left > 4 * right);
    record(play_shot, (raim_vec2){-600, 100}, 0.5, &faint_left, &faint_right);
    assert_true(faint_left > 0 && faint_left < left / 4);
    record(play_effect, (raim_vec2){-600, 100}, 1, &faint_left, &faint_right);
    assert_true(faint_left > left / 2 && faint_left > 4 * faint_right);
    record(play_shot, (raim_vec2){-600, 100}, 0, &faint_left, &faint_right);
    assert_true(faint_left == 0 && faint_right == 0);
}

TEST(more_sounds_than_channels_do_no_harm)
{
    setenv("SDL_AUDIODRIVER", "dummy", 1);
    struct sound *sound = sound_open();
    assert_non_null(sound);
    for (int i = 0; i < 200; i++)
        sound_play(sound, (enum sound_kind)(i % SOUND_KINDS),
                   sound_place_of((raim_vec2){i, -i}, view));
    sound_close(sound);
}
