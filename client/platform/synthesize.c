// SPDX-License-Identifier: MIT
// Computes sines and noise with additions and multiplications alone, so that every machine makes
// the same sounds.
#include "synthesize.h"

#include <math.h>
#include <stdlib.h>

// One part of a sound: a tone that glides from one frequency to another, or noise, with an attack
// and an exponential-like decay.
struct voice {
    double start_s, length_s;
    double from_hz, to_hz; // of the tone; of noise: the cutoff of its low-pass filter
    double attack_s;       // from silence to full
    double level;          // 0 to 1
    enum { SINE, SQUARE, NOISE } wave;
};

enum { MAX_VOICES = 5 };

static const struct recipe {
    double peak;                     // of 32767
    struct voice voices[MAX_VOICES]; // up to the first without a length
} recipes[SOUND_KINDS] = {
    [SOUND_SHOT] = {14000,
                    {{0, 0.11, 900, 180, 0.001, 0.45, SQUARE},
                     {0, 0.09, 5200, 900, 0.001, 0.55, NOISE},
                     {0, 0.12, 190, 60, 0.001, 0.6, SINE}}},
    [SOUND_HIT] = {13000,
                   {{0, 0.09, 1500, 1480, 0.001, 0.5, SINE},
                    {0.02, 0.1, 2240, 2220, 0.001, 0.4, SINE},
                    {0, 0.03, 7000, 3000, 0.001, 0.25, NOISE}}},
    [SOUND_DEATH] = {22000,
                     {{0, 0.7, 1900, 120, 0.002, 0.75, NOISE},
                      {0, 0.6, 150, 34, 0.002, 0.8, SINE},
                      {0, 0.35, 320, 70, 0.002, 0.25, SQUARE}}},
    [SOUND_SPAWN] = {11000,
                     {{0, 0.16, 330, 494, 0.01, 0.4, SINE},
                      {0.09, 0.22, 494, 740, 0.01, 0.4, SINE},
                      {0.18, 0.3, 988, 990, 0.01, 0.25, SINE}}},
    [SOUND_ROUND] = {14000,
                     {{0, 0.5, 523.25, 523.25, 0.005, 0.4, SINE},
                      {0.16, 0.5, 659.25, 659.25, 0.005, 0.4, SINE},
                      {0.32, 0.9, 783.99, 783.99, 0.005, 0.45, SINE},
                      {0.32, 0.9, 1046.5, 1046.5, 0.005, 0.2, SINE}}},
    [SOUND_CHAT] = {9000,
                    {{0, 0.07, 1175, 1175, 0.002, 0.35, SINE},
                     {0.07, 0.12, 1568, 1568, 0.002, 0.35, SINE}}},
    [SOUND_KILL] = {15000,
                    {{0, 0.16, 140, 55, 0.001, 0.8, SINE},
                     {0.04, 0.2, 880, 880, 0.002, 0.3, SINE},
                     {0.11, 0.3, 1318.5, 1318.5, 0.002, 0.3, SINE}}},
    [SOUND_NEAR] = {11000,
                    {{0, 0.2, 7000, 700, 0.03, 0.8, NOISE},
                     {0, 0.16, 2600, 600, 0.03, 0.15, SINE}}},
};

// The sine of a phase in turns, by a polynomial that is right to 0.0002.
static double sine(double turns)
{
    double x = turns - floor(turns); // 0 to 1
    const double sign = x < 0.5 ? 1 : -1;
    x = x < 0.5 ? x : x - 0.5;        // half a wave
    x = 2 * (x < 0.25 ? x : 0.5 - x); // 0 to 0.5: a quarter of a wave
    const double y = x * x;
    return sign * x * (3.14159265 + y * (-5.16771278 + y * (2.55016404 - y * 0.59926453)));
}

// A number from -1 to 1, by a linear congruential generator (Knuth, MMIX).
static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(*seed >> 40) / 8388608.0 - 1;
}

static void add_voice(const struct voice *voice, double *samples)
{
    const int first = (int)(voice->start_s * SOUNDS_HZ);
    const int count = (int)(voice->length_s * SOUNDS_HZ);
    double phase = 0, filtered = 0;
    uint64_t seed = 1;
    for (int i = 0; i < count; i++) {
        const double part = (double)i / count, left = 1 - part;
        // A cube falls about as an exponential does, but ends at zero.
        const double hz = voice->to_hz + (voice->from_hz - voice->to_hz) * left * left * left;
        const double attack = i / (voice->attack_s * SOUNDS_HZ);
        const double envelope = voice->level * left * left * left * (attack < 1 ? attack : 1);
        double value = sine(phase);
        phase += hz / SOUNDS_HZ;
        if (voice->wave == SQUARE)
            value = (value + sine(3 * phase) / 3 + sine(5 * phase) / 5) * 0.8;
        if (voice->wave == NOISE) {
            const double share = hz * 6.2831853 / (SOUNDS_HZ + hz * 6.2831853);
            filtered += share * (noise(&seed) - filtered);
            value = 1.6 * filtered;
        }
        samples[first + i] += envelope * value;
    }
}

static int length_of(const struct recipe *recipe)
{
    double end_s = 0;
    for (int i = 0; i < MAX_VOICES; i++) {
        const double end = recipe->voices[i].start_s + recipe->voices[i].length_s;
        end_s = end > end_s ? end : end_s;
    }
    return (int)(end_s * SOUNDS_HZ);
}

int16_t *synthesize(enum sound_kind kind, size_t *count)
{
    const struct recipe *recipe = &recipes[kind];
    const int length = length_of(recipe);
    double *sum = calloc((size_t)length, sizeof *sum);
    int16_t *samples = malloc((size_t)length * sizeof *samples);
    *count = (size_t)length;
    if (sum == NULL || samples == NULL) {
        free(sum);
        free(samples);
        return NULL;
    }
    for (int i = 0; i < MAX_VOICES; i++)
        if (recipe->voices[i].length_s > 0)
            add_voice(&recipe->voices[i], sum);
    double loudest = 0;
    for (int i = 0; i < length; i++)
        loudest = fmax(loudest, fabs(sum[i]));
    for (int i = 0; i < length; i++)
        samples[i] = (int16_t)(sum[i] * (recipe->peak / loudest));
    free(sum);
    return samples;
}
