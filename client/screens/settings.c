// SPDX-License-Identifier: MIT
// Reads and writes the settings with jansson.
#include "settings.h"

#include "client_file.h"

#include <jansson.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char file_name[] = "settings";

enum kind { NUMBER, WHOLE, FLAG, TEXT, PALETTE };

// Every number has a range; a whole number may be 0 besides.
static const struct field {
    const char *key;
    enum kind kind;
    size_t offset;
    double min, max; // of a text: 0, and the most bytes without the closing NUL
} fields[] = {
    {"name", TEXT, offsetof(struct settings, name), 0, RAIM_MAX_NAME_BYTES},
    {"sensitivity", NUMBER, offsetof(struct settings, sensitivity), 0.1, 5},
    {"confine_mouse", FLAG, offsetof(struct settings, confines_mouse), 0, 0},
    {"ui_scale", NUMBER, offsetof(struct settings, ui_scale), 0.75, 2},
    {"palette", PALETTE, offsetof(struct settings, palette), 0, 0},
    {"full_screen", FLAG, offsetof(struct settings, full_screen), 0, 0},
    {"frame_cap", WHOLE, offsetof(struct settings, frame_cap_hz), 30, 1000},
    {"volume", NUMBER, offsetof(struct settings, volume), 0, 1},
    {"mute", FLAG, offsetof(struct settings, mutes_sound), 0, 0},
    {"recordings", TEXT, offsetof(struct settings, recordings), 0, SETTINGS_FOLDER_BYTES - 1},
};

enum { FIELDS = sizeof fields / sizeof *fields };

struct settings settings_default(void)
{
    return (struct settings){.sensitivity = 1, .ui_scale = 1, .volume = 0.7};
}

static double limited(double value, double min, double max)
{
    return value >= min ? fmin(value, max) : min; // NaN becomes the minimum
}

static void *member(struct settings *settings, const struct field *field)
{
    return (char *)settings + field->offset;
}

void settings_limit(struct settings *settings)
{
    for (int i = 0; i < FIELDS; i++) {
        if (fields[i].kind == NUMBER) {
            double *value = member(settings, &fields[i]);
            *value = limited(*value, fields[i].min, fields[i].max);
        } else if (fields[i].kind == WHOLE) {
            int *value = member(settings, &fields[i]);
            if (*value != 0)
                *value = (int)limited(*value, fields[i].min, fields[i].max);
        }
    }
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

static bool is_in_range(double value, const struct field *field)
{
    return (value >= field->min && value <= field->max) || (field->kind == WHOLE && value == 0);
}

// False for a value of the wrong kind or out of range, which changes nothing.
static bool read_field(struct settings *settings, const struct field *field, const json_t *value)
{
    void *target = member(settings, field);
    const bool is_number = field->kind == WHOLE ? json_is_integer(value) : json_is_number(value);
    switch (field->kind) {
    case NUMBER:
    case WHOLE:
        if (!is_number || !is_in_range(json_number_value(value), field))
            return false;
        if (field->kind == NUMBER)
            *(double *)target = json_number_value(value);
        else
            *(int *)target = (int)json_integer_value(value);
        return true;
    case FLAG:
        if (!json_is_boolean(value))
            return false;
        *(bool *)target = json_is_true(value);
        return true;
    case TEXT:
        if (!json_is_string(value) || json_string_length(value) > (size_t)field->max)
            return false;
        snprintf(target, (size_t)field->max + 1, "%s", json_string_value(value));
        return true;
    case PALETTE:
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
    for (int i = 0; i < FIELDS; i++) {
        const json_t *value = json_object_get(root, fields[i].key);
        if (value != NULL && !read_field(&settings, &fields[i], value))
            fprintf(stderr, "raim: %s: '%s' has no possible value; the default holds\n", path,
                    fields[i].key);
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

static json_t *write_field(const struct settings *settings, const struct field *field)
{
    const void *source = (const char *)settings + field->offset;
    switch (field->kind) {
    case NUMBER:
        return json_real(*(const double *)source);
    case WHOLE:
        return json_integer(*(const int *)source);
    case FLAG:
        return json_boolean(*(const bool *)source);
    case TEXT:
        return write_text(source);
    case PALETTE:
        return json_string(palette_of(*(const enum palette_scheme *)source)->name);
    }
    return NULL;
}

bool settings_save(const struct settings *settings, const char *directory)
{
    json_t *root = json_object();
    bool is_good = root != NULL;
    for (int i = 0; i < FIELDS && is_good; i++)
        is_good = json_object_set_new(root, fields[i].key, write_field(settings, &fields[i])) == 0;
    is_good = is_good && client_file_save(directory, file_name, root);
    json_decref(root);
    return is_good;
}
