// SPDX-License-Identifier: MIT
// Reads and writes the settings with jansson.
#include "settings.h"

#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "settings";

const struct settings_field settings_fields[SETTINGS_FIELDS] = {
    {"name", NULL, SETTINGS_TEXT, offsetof(struct settings, name), 0, RAIM_MAX_NAME_BYTES, 0},
    {"sensitivity", "Mouse sensitivity", SETTINGS_NUMBER, offsetof(struct settings, sensitivity),
     0.1, 5, 0.05},
    {"confine_mouse", "Keep the mouse in the window", SETTINGS_FLAG,
     offsetof(struct settings, confines_mouse), 0, 0, 0},
    {"ui_scale", "Size of text", SETTINGS_SHARE, offsetof(struct settings, ui_scale), 0.75, 2,
     0.25},
    {"palette", "Colours", SETTINGS_PALETTE, offsetof(struct settings, palette), 0, 0, 0},
    {"full_screen", "Full screen", SETTINGS_FLAG, offsetof(struct settings, full_screen), 0, 0, 0},
    {"frame_cap", "Frame rate limit", SETTINGS_RATE, offsetof(struct settings, frame_cap_hz), 30,
     1000, 0},
    {"volume", "Volume", SETTINGS_SHARE, offsetof(struct settings, volume), 0, 1, 0.1},
    {"mute", "Mute", SETTINGS_FLAG, offsetof(struct settings, mutes_sound), 0, 0, 0},
    {"shake", "Flashes and shake", SETTINGS_FLAG, offsetof(struct settings, shakes), 0, 0, 0},
    {"rumble", "Gamepad rumble", SETTINGS_FLAG, offsetof(struct settings, rumbles), 0, 0, 0},
    {"recordings", NULL, SETTINGS_TEXT, offsetof(struct settings, recordings), 0,
     SETTINGS_FOLDER_BYTES - 1, 0},
    {"learned", NULL, SETTINGS_TEXT, offsetof(struct settings, learned), 0,
     SETTINGS_LEARNED_BYTES - 1, 0},
};

struct settings settings_default(void)
{
    return (struct settings){
        .sensitivity = 1, .ui_scale = 1, .volume = 0.7, .shakes = true, .rumbles = true};
}

static double limited(double value, double min, double max)
{
    return value >= min ? fmin(value, max) : min; // NaN becomes the minimum
}

static void *member(struct settings *settings, const struct settings_field *field)
{
    return (char *)settings + field->offset;
}

void settings_limit(struct settings *settings)
{
    for (int i = 0; i < SETTINGS_FIELDS; i++) {
        const struct settings_field *field = &settings_fields[i];
        void *value = member(settings, field);
        if (field->kind == SETTINGS_NUMBER || field->kind == SETTINGS_SHARE)
            *(double *)value = limited(*(double *)value, field->min, field->max);
        else if (field->kind == SETTINGS_RATE && *(int *)value != 0)
            *(int *)value = (int)limited(*(int *)value, field->min, field->max);
    }
}

void settings_write(const struct settings *settings, const struct settings_field *field, char *text,
                    size_t capacity)
{
    const void *source = (const char *)settings + field->offset;
    switch (field->kind) {
    case SETTINGS_NUMBER:
        snprintf(text, capacity, "%.2f", *(const double *)source);
        break;
    case SETTINGS_SHARE:
        snprintf(text, capacity, "%.0f %%", *(const double *)source * 100);
        break;
    case SETTINGS_RATE:
        snprintf(text, capacity, *(const int *)source == 0 ? "as the display" : "%d fps",
                 *(const int *)source);
        break;
    case SETTINGS_FLAG:
        snprintf(text, capacity, "%s", *(const bool *)source ? "on" : "off");
        break;
    case SETTINGS_TEXT:
        snprintf(text, capacity, "%s", (const char *)source);
        break;
    case SETTINGS_PALETTE:
        snprintf(text, capacity, "%s", palette_of(*(const enum palette_scheme *)source)->title);
        break;
    }
}

static int next_rate(int hz, int way)
{
    static const int rates[] = {0, 30, 60, 120, 144, 240};
    enum { RATES = sizeof rates / sizeof *rates };
    int index = 0;
    while (index < RATES - 1 && rates[index] < hz)
        index++;
    return rates[(index + way + RATES) % RATES];
}

// Steps a number, and from the end of its range to the other end where `wraps`.
static double stepped(double value, const struct settings_field *field, int way, bool wraps)
{
    const double next = round(value / field->step + way) * field->step;
    if (next > field->max + field->step / 2)
        return wraps ? field->min : field->max;
    return fmax(next, field->min);
}

void settings_change(struct settings *settings, const struct settings_field *field, int way,
                     bool wraps)
{
    void *target = member(settings, field);
    switch (field->kind) {
    case SETTINGS_NUMBER:
    case SETTINGS_SHARE:
        *(double *)target = stepped(*(double *)target, field, way, wraps);
        break;
    case SETTINGS_RATE:
        *(int *)target = next_rate(*(int *)target, way);
        break;
    case SETTINGS_FLAG:
        *(bool *)target = !*(bool *)target;
        break;
    case SETTINGS_PALETTE:
        settings->palette = (enum palette_scheme)(((int)settings->palette + way + PALETTE_SCHEMES) %
                                                  PALETTE_SCHEMES);
        break;
    case SETTINGS_TEXT:
        break;
    }
    settings_limit(settings);
}

static bool read_palette(const char *name, enum palette_scheme *scheme)
{
    for (int i = 0; i < PALETTE_SCHEMES; i++) {
        if (strcmp(palette_of((enum palette_scheme)i)->name, name) == 0) {
            *scheme = (enum palette_scheme)i;
            return true;
        }
    }
    return false;
}

static bool is_in_range(double value, const struct settings_field *field)
{
    return (value >= field->min && value <= field->max) ||
           (field->kind == SETTINGS_RATE && value == 0);
}

// False for a value of the wrong kind or out of range, which changes nothing.
static bool read_field(struct settings *settings, const struct settings_field *field,
                       const json_t *value)
{
    void *target = member(settings, field);
    const bool is_rate = field->kind == SETTINGS_RATE;
    const bool is_number = is_rate ? json_is_integer(value) : json_is_number(value);
    switch (field->kind) {
    case SETTINGS_NUMBER:
    case SETTINGS_SHARE:
    case SETTINGS_RATE:
        if (!is_number || !is_in_range(json_number_value(value), field))
            return false;
        if (is_rate)
            *(int *)target = (int)json_integer_value(value);
        else
            *(double *)target = json_number_value(value);
        return true;
    case SETTINGS_FLAG:
        if (!json_is_boolean(value))
            return false;
        *(bool *)target = json_is_true(value);
        return true;
    case SETTINGS_TEXT:
        if (!json_is_string(value) || json_string_length(value) > (size_t)field->max)
            return false;
        snprintf(target, (size_t)field->max + 1, "%s", json_string_value(value));
        return true;
    case SETTINGS_PALETTE:
        return json_is_string(value) && read_palette(json_string_value(value), target);
    }
    return false;
}

struct settings settings_load(const char *directory)
{
    struct settings settings = settings_default();
    char path[FILES_PATH_BYTES];
    json_t *root;
    if (!client_file_load(directory, file_name, path, &root))
        return settings;
    for (int i = 0; i < SETTINGS_FIELDS; i++) {
        const json_t *value = json_object_get(root, settings_fields[i].key);
        if (value != NULL && !read_field(&settings, &settings_fields[i], value))
            fprintf(stderr, "raim: %s: '%s' has no possible value; the default holds\n", path,
                    settings_fields[i].key);
    }
    json_decref(root);
    return settings;
}

// JSON has no words for the name of a folder that is not UTF-8.
static json_t *write_text(const char *text)
{
    json_t *value = json_string(text);
    return value != NULL ? value : json_string("");
}

static json_t *write_field(const struct settings *settings, const struct settings_field *field)
{
    const void *source = (const char *)settings + field->offset;
    switch (field->kind) {
    case SETTINGS_NUMBER:
    case SETTINGS_SHARE:
        return json_real(*(const double *)source);
    case SETTINGS_RATE:
        return json_integer(*(const int *)source);
    case SETTINGS_FLAG:
        return json_boolean(*(const bool *)source);
    case SETTINGS_TEXT:
        return write_text(source);
    case SETTINGS_PALETTE:
        return json_string(palette_of(*(const enum palette_scheme *)source)->name);
    }
    return NULL;
}

bool settings_save(const struct settings *settings, const char *directory)
{
    json_t *root = json_object();
    bool is_good = root != NULL;
    for (int i = 0; i < SETTINGS_FIELDS && is_good; i++)
        is_good = json_object_set_new(root, settings_fields[i].key,
                                      write_field(settings, &settings_fields[i])) == 0;
    is_good = is_good && client_file_save(directory, file_name, root);
    json_decref(root);
    return is_good;
}

static bool open_path(const char *directory, const char *name, const char *suffix,
                      char path[FILES_PATH_BYTES])
{
    const int length = snprintf(path, FILES_PATH_BYTES, "%s%s%s", directory, name, suffix);
    return directory[0] != '\0' && length < FILES_PATH_BYTES;
}

static void set_aside(const char *directory, const char *name, const char *path,
                      const json_error_t *error)
{
    char bad[FILES_PATH_BYTES];
    const bool is_kept = open_path(directory, name, ".bad", bad) && files_rename(path, bad);
    fprintf(stderr, "raim: %s is damaged (line %d: %s); the defaults hold%s%s\n", path, error->line,
            error->text, is_kept ? ", the file is kept as " : "", is_kept ? bad : "");
}

bool client_file_load(const char *directory, const char *name, char path[FILES_PATH_BYTES],
                      struct json_t **root)
{
    json_error_t error = {.line = 0};
    size_t size;
    char *text = open_path(directory, name, "", path) ? files_read(path, &size) : NULL;
    if (text == NULL)
        return false;
    *root = json_loadb(text, size, 0, &error);
    free(text);
    if (json_is_object(*root))
        return true;
    if (*root != NULL) {
        error.line = 1;
        snprintf(error.text, sizeof error.text, "no object");
        json_decref(*root);
    }
    set_aside(directory, name, path, &error);
    return false;
}

bool client_file_save(const char *directory, const char *name, const struct json_t *root)
{
    char path[FILES_PATH_BYTES];
    char *text = json_dumps(root, JSON_INDENT(4) | JSON_REAL_PRECISION(4));
    const bool is_good = text != NULL && open_path(directory, name, "", path) &&
                         files_replace(path, text, strlen(text));
    free(text);
    return is_good;
}
