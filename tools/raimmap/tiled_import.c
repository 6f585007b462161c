// SPDX-License-Identifier: MIT
// Makes a map file of the object layers of a map of Tiled.
#define _GNU_SOURCE
#include "tiled.h"

#include "config_keys.h"
#include "map_file.h"
#include "rules.h"
#include "text_buffer.h"

#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_GROUPS = 8, // in each other
    MAX_SHAPES = RAIM_MAX_OBSTACLES + RAIM_MAX_SPAWNS + 2,
    PLACE_BYTES = 192, // of "layers[12].layers[3].objects[45]" with all groups
    LABEL_BYTES = 128, // longer names are cut
};

static const double max_number = 1e6; // far more than a map has, so that sums stay exact

enum kind { OBSTACLE, SPAWN, BORDER, ORIGIN, KINDS };

static const char *const kind_names[KINDS] = {"obstacle", "spawn", "border", "origin"};

// A layer or object, or the map, and where messages say that it is.
struct source {
    const json_t *node;
    const char *what;
    char place[PLACE_BYTES]; // ":LINE" or ": layers[0].objects[1]" or empty
};

// An object: its corners, or one point, in Tiled's coordinates.
struct shape {
    struct source source;
    enum kind kind;
    int count;
    raim_vec2 points[RAIM_MAX_OUTLINE_POINTS];
};

struct import {
    const char *path;
    bool has_lines;
    struct diagnostics *diagnostics;
    struct shape *shapes; // MAX_SHAPES
    int count;
    bool is_full; // an object more than there may be was reported, and reading ends
};

// What objects inherit of their layer, and layers of their group.
struct layer {
    raim_vec2 offset;
    enum kind kind;
    int groups; // around it
};

static const char *text_of(const json_t *node, const char *key)
{
    const char *text = json_string_value(json_object_get(node, key));
    return text != NULL ? text : "";
}

static json_int_t integer_of(const json_t *node, const char *key)
{
    const json_t *value = json_object_get(node, key);
    return json_is_string(value) ? atoll(json_string_value(value)) : json_integer_value(value);
}

// Writes: object 12 "tower".
static const char *label_of(const struct source *source, char label[LABEL_BYTES])
{
    const json_t *node = source->node;
    if (source->place[0] == '\0')
        return source->what;
    snprintf(label, LABEL_BYTES, "%s %" JSON_INTEGER_FORMAT " \"%.80s\"", source->what,
             integer_of(node, "id"), text_of(node, "name"));
    return label;
}

static void say(const struct import *import, const char *place, bool is_warning,
                const char *message)
{
    char location[PATH_MAX + PLACE_BYTES];
    snprintf(location, sizeof location, "%s%s", import->path, place);
    (is_warning ? diagnostics_warn : diagnostics_add)(import->diagnostics, location, "%s", message);
}

__attribute__((format(printf, 3, 4))) static void
report(const struct import *import, const struct source *source, const char *format, ...)
{
    char message[512], label[LABEL_BYTES];
    const int used = snprintf(message, sizeof message, "%s: ", label_of(source, label));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
    va_end(arguments);
    say(import, source->place, false, message);
}

// Reads a number, 0 if there is none. In XML it is a text.
static double number_of(const struct import *import, const struct source *source,
                        const json_t *node, const char *key)
{
    const json_t *value = json_object_get(node, key);
    const char *text = json_string_value(value);
    char *end = NULL;
    const double number = text != NULL ? strtod(text, &end) : json_number_value(value);
    const bool is_number = text != NULL ? end > text && *end == '\0' : json_is_number(value);
    if (value == NULL || (is_number && fabs(number) <= max_number))
        return number;
    report(import, source, "got a wrong %s, want a number of at most %.0f", key, max_number);
    return 0;
}

// Finds the kind that a word, such as "Obstacles", names.
static bool find_kind(const char *word, enum kind *kind)
{
    for (int i = 0; i < KINDS; i++) {
        const size_t length = strlen(kind_names[i]);
        if (strncasecmp(word, kind_names[i], length) == 0 &&
            (word[length] == '\0' || strcasecmp(word + length, "s") == 0)) {
            *kind = (enum kind)i;
            return true;
        }
    }
    return false;
}

static struct source source_of(const struct import *import, const struct source *parent,
                               const char *list, size_t index)
{
    struct source source = {json_array_get(json_object_get(parent->node, list), index),
                            strcmp(list, "objects") == 0 ? "object" : "layer", ""};
    if (import->has_lines)
        snprintf(source.place, sizeof source.place, ":%" JSON_INTEGER_FORMAT,
                 integer_of(source.node, "line"));
    else
        snprintf(source.place, sizeof source.place, "%.150s%s%s[%zu]", parent->place,
                 parent->place[0] != '\0' ? "." : ": ", list, index);
    return source;
}

static int read_polygon(const struct import *import, struct shape *shape, const json_t *corners)
{
    const size_t count = json_array_size(corners);
    if (count < 3 || count > RAIM_MAX_OUTLINE_POINTS) {
        report(import, &shape->source, "got a polygon of %s corners, want 3 to %d",
               count < 3 ? "fewer" : "more", RAIM_MAX_OUTLINE_POINTS);
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *corner = json_array_get(corners, i);
        shape->points[i] = (raim_vec2){number_of(import, &shape->source, corner, "x"),
                                       number_of(import, &shape->source, corner, "y")};
    }
    return (int)count;
}

// Writes the corners of a box's outline, or of the ellipse in it.
static int draw_box(raim_vec2 size, bool is_ellipse, raim_vec2 *points)
{
    const int count = is_ellipse ? TILED_ELLIPSE_CORNERS : 4;
    for (int i = 0; i < count; i++) {
        const double turn = 2 * M_PI * i / count;
        points[i] = is_ellipse
                        ? (raim_vec2){size.x / 2 * (1 + cos(turn)), size.y / 2 * (1 + sin(turn))}
                        : (raim_vec2){i == 1 || i == 2 ? size.x : 0, i >= 2 ? size.y : 0};
    }
    return count;
}

// Reads the points, before rotation and relative to the object. Returns their number, 0 after
// reporting a mistake.
static int read_points(const struct import *import, struct shape *shape)
{
    static const char *const other[][2] = {
        {"template", "an object of a template, want it detached"},
        {"gid", "a tile, want a polygon, rectangle, ellipse or point"},
        {"polyline", "a polyline, want a polygon, rectangle, ellipse or point"},
        {"text", "a text, want a polygon, rectangle, ellipse or point"},
        {"capsule", "a capsule, want a polygon, rectangle, ellipse or point"},
    };
    const json_t *node = shape->source.node, *corners = json_object_get(node, "polygon");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (json_object_get(node, other[i][0]) != NULL) {
            report(import, &shape->source, "got %s", other[i][1]);
            return 0;
        }
    const raim_vec2 size = {number_of(import, &shape->source, node, "width"),
                            number_of(import, &shape->source, node, "height")};
    const bool is_ellipse = json_object_get(node, "ellipse") != NULL;
    const bool is_point =
        json_object_get(node, "point") != NULL || (corners == NULL && size.x == 0 && size.y == 0);
    if (shape->kind == OBSTACLE && !is_point)
        return corners != NULL ? read_polygon(import, shape, corners)
                               : draw_box(size, is_ellipse, shape->points);
    if ((shape->kind == SPAWN || shape->kind == ORIGIN) && corners == NULL) {
        shape->points[0] = raim_vec2_scale(size, 0.5);
        return 1;
    }
    if (shape->kind == BORDER && corners == NULL && !is_ellipse && !is_point &&
        number_of(import, &shape->source, node, "rotation") == 0)
        return draw_box(size, false, shape->points);
    static const char *const wrong[KINDS] = {
        [OBSTACLE] = "got a point for an obstacle, want a polygon, rectangle or ellipse",
        [SPAWN] = "got a polygon for a spawn, want a point, rectangle or ellipse",
        [BORDER] = "got no upright rectangle for the border, want one",
        [ORIGIN] = "got a polygon for the origin, want a point",
    };
    report(import, &shape->source, "%s", wrong[shape->kind]);
    return 0;
}

static const struct shape *find_shape(const struct import *import, enum kind kind, long index)
{
    for (int i = 0; i < import->count; i++)
        if (import->shapes[i].kind == kind && index-- == 0)
            return &import->shapes[i];
    return NULL;
}

static void read_object(struct import *import, const struct source *source,
                        const struct layer *layer)
{
    const json_t *node = source->node;
    import->is_full = import->count == MAX_SHAPES;
    if (import->is_full) {
        report(import, source, "got more than %d objects, want fewer", MAX_SHAPES);
        return;
    }
    struct shape *shape = &import->shapes[import->count];
    shape->source = *source;
    shape->kind = layer->kind;
    if (!find_kind(text_of(node, "type"), &shape->kind))
        find_kind(text_of(node, "class"), &shape->kind);
    shape->count = read_points(import, shape);
    if (shape->kind >= BORDER && find_shape(import, shape->kind, 0) != NULL)
        report(import, source, "got a second %s, want one", kind_names[shape->kind]);
    const double turn = number_of(import, source, node, "rotation") * M_PI / 180;
    const raim_vec2 along = {cos(turn), sin(turn)};
    const raim_vec2 at = {layer->offset.x + number_of(import, source, node, "x"),
                          layer->offset.y + number_of(import, source, node, "y")};
    for (int i = 0; i < shape->count; i++) {
        const raim_vec2 point = shape->points[i];
        shape->points[i] = (raim_vec2){at.x + along.x * point.x - along.y * point.y,
                                       at.y + along.y * point.x + along.x * point.y};
    }
    import->count++;
}

static void read_layers(struct import *import, const struct source *parent,
                        const struct layer *around)
{
    const size_t count = json_array_size(json_object_get(parent->node, "layers"));
    for (size_t i = 0; i < count && !import->is_full; i++) {
        const struct source source = source_of(import, parent, "layers", i);
        const char *type = text_of(source.node, "type");
        const bool is_group = strcmp(type, "group") == 0;
        if (!is_group && strcmp(type, "objectgroup") != 0) {
            char label[LABEL_BYTES], message[2 * LABEL_BYTES];
            snprintf(message, sizeof message, "%s: skipped, only object layers make a map",
                     label_of(&source, label));
            say(import, source.place, true, message);
            continue;
        }
        if (around->groups == MAX_GROUPS) {
            report(import, &source, "got more than %d groups around it, want fewer", MAX_GROUPS);
            continue;
        }
        struct layer layer = *around;
        layer.groups++;
        layer.offset.x += number_of(import, &source, source.node, "offsetx");
        layer.offset.y += number_of(import, &source, source.node, "offsety");
        if (!find_kind(text_of(source.node, "class"), &layer.kind))
            find_kind(text_of(source.node, "name"), &layer.kind);
        if (is_group) {
            read_layers(import, &source, &layer);
            continue;
        }
        const size_t objects = json_array_size(json_object_get(source.node, "objects"));
        for (size_t j = 0; j < objects && !import->is_full; j++) {
            const struct source object = source_of(import, &source, "objects", j);
            read_object(import, &object, &layer);
        }
    }
}

// The property "name", or an empty text.
static const char *read_name(const struct import *import, const struct source *map)
{
    const json_t *properties = json_object_get(map->node, "properties");
    for (size_t i = 0; i < json_array_size(properties); i++) {
        const json_t *property = json_array_get(properties, i);
        const char *name = text_of(property, "value");
        if (strcmp(text_of(property, "name"), "name") != 0)
            continue;
        if (config_is_name(name))
            return name;
        report(import, map, "got the property \"name\" = \"%.80s\", want " CONFIG_NAME_EXPECTED,
               name);
    }
    return "";
}

// The border: its rectangle, or that of the map.
static raim_box read_border(const struct import *import, const struct source *map)
{
    const struct shape *shape = find_shape(import, BORDER, 0);
    if (shape != NULL)
        return (raim_box){shape->points[0], shape->points[2]};
    const char *infinite = text_of(map->node, "infinite"); // "1" in XML
    if (json_is_true(json_object_get(map->node, "infinite")) || strcmp(infinite, "1") == 0)
        report(import, map, "got no size, as it is infinite, want a rectangle of class \"border\"");
    const raim_vec2 tile = {number_of(import, map, map->node, "tilewidth"),
                            number_of(import, map, map->node, "tileheight")};
    return (raim_box){{0, 0},
                      {tile.x * number_of(import, map, map->node, "width"),
                       tile.y * number_of(import, map, map->node, "height")}};
}

static void write_points(const struct import *import, enum kind kind, raim_vec2 origin,
                         struct text_buffer *out)
{
    const char *separator = "\n    ";
    text_buffer_print(out, "\n%ss = (", kind_names[kind]);
    for (int i = 0; i < import->count; i++) {
        const struct shape *shape = &import->shapes[i];
        if (shape->kind != kind)
            continue;
        text_buffer_print(out, kind == OBSTACLE ? "%s( " : "%s", separator);
        for (int j = 0; j < shape->count; j++) {
            const raim_vec2 point = raim_map_round(
                (raim_vec2){shape->points[j].x - origin.x, origin.y - shape->points[j].y});
            text_buffer_print(out, "%s(%.15g, %.15g)",
                              j == 0       ? ""
                              : j % 4 == 0 ? ",\n      "
                                           : ", ",
                              point.x, point.y);
        }
        text_buffer_print(out, kind == OBSTACLE ? " )" : "");
        separator = ",\n    ";
    }
    text_buffer_print(out, "\n);\n");
}

static char *write_map(const struct import *import, const struct source *map)
{
    const char *name = read_name(import, map);
    const raim_box border = read_border(import, map);
    const struct shape *shape = find_shape(import, ORIGIN, 0);
    const raim_vec2 origin = shape != NULL
                                 ? shape->points[0]
                                 : raim_vec2_scale(raim_vec2_add(border.min, border.max), 0.5);
    struct text_buffer out = {0};
    if (name[0] != '\0')
        text_buffer_print(&out, "name = \"%s\";\n\n", name);
    text_buffer_print(&out, "border = ( %.15g, %.15g, %.15g, %.15g );\n", border.min.x - origin.x,
                      origin.y - border.max.y, border.max.x - origin.x, origin.y - border.min.y);
    write_points(import, OBSTACLE, origin, &out);
    write_points(import, SPAWN, origin, &out);
    char *text = text_buffer_take(&out);
    if (text == NULL)
        diagnostics_no_memory(import->diagnostics);
    return text;
}

// Finds the object that a text such as "obstacles[3][0]" begins with, and what follows.
static const struct shape *find_subject(const struct import *import, const char *text,
                                        const char **after)
{
    for (int kind = OBSTACLE; kind <= SPAWN; kind++) {
        const size_t length = strlen(kind_names[kind]);
        if (strncmp(text, kind_names[kind], length) != 0 || strncmp(text + length, "s[", 2) != 0)
            continue;
        char *end;
        const long index = strtol(text + length + 2, &end, 10);
        *after = end + strspn(end, "[]0123456789");
        return find_shape(import, (enum kind)kind, index);
    }
    return NULL;
}

// Reports a line of the map file's check with the objects of Tiled in place of its own places.
static void relay(const struct import *import, const char *line)
{
    static const char warning[] = "warning: ";
    const char *found = strstr(line, warning), *after;
    char label[LABEL_BYTES];
    const struct shape *subject = find_subject(import, line, &after);
    struct text_buffer text = {0};
    while (*line != '\0') {
        const struct shape *shape = find_subject(import, line, &after);
        if (shape != NULL) {
            text_buffer_print(&text, "%s", label_of(&shape->source, label));
            line = after;
        } else if (line == found) {
            line += strlen(warning);
        } else {
            text_buffer_add(&text, line++, 1);
        }
    }
    char *message = text_buffer_take(&text);
    if (message == NULL)
        diagnostics_no_memory(import->diagnostics);
    else
        say(import, subject != NULL ? subject->source.place : "", found != NULL, message);
    free(message);
}

static void check(const struct import *import, const char *map_path, const char *text)
{
    char *lines = NULL;
    size_t size = 0;
    struct diagnostics found = {.out = open_memstream(&lines, &size)};
    if (found.out == NULL) {
        diagnostics_no_memory(import->diagnostics);
        return;
    }
    raim_map_destroy(map_file_parse(map_path, text, raim_rules_default().player_radius, &found));
    if (fclose(found.out) != 0 || found.no_memory)
        diagnostics_no_memory(import->diagnostics);
    char *save = NULL, *line = strtok_r(lines, "\n", &save);
    for (; line != NULL && !found.no_memory; line = strtok_r(NULL, "\n", &save)) {
        line += strncmp(line, map_path, strlen(map_path)) == 0 ? strlen(map_path) : 0;
        relay(import, line + strspn(line, ":0123456789 "));
    }
    free(lines);
}

static json_t *read_json(const char *path, const char *text, size_t size,
                         struct diagnostics *diagnostics)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (root != NULL)
        return root;
    char location[PATH_MAX + 32];
    snprintf(location, sizeof location, "%s:%d", path, error.line);
    diagnostics_add(diagnostics, location, "got no JSON: %s", error.text);
    return NULL;
}

char *tiled_import(const char *path, const char *text, size_t size, const char *map_path,
                   struct diagnostics *diagnostics)
{
    const int problems = diagnostics->problems;
    const size_t blank = strspn(text, "\xEF\xBB\xBF \t\r\n"); // a byte order mark, too
    struct import import = {path, text[blank] == '<', diagnostics, NULL, 0, false};
    json_t *root = import.has_lines ? tiled_read_xml(path, text, size, diagnostics)
                                    : read_json(path, text, size, diagnostics);
    if (root == NULL)
        return NULL;
    import.shapes = calloc(MAX_SHAPES, sizeof *import.shapes);
    const struct source map = {root, "map", ""};
    const struct layer none = {{0, 0}, OBSTACLE, 0};
    char *result = NULL;
    if (import.shapes == NULL)
        diagnostics_no_memory(diagnostics);
    else if (strcmp(text_of(root, "orientation"), "orthogonal") != 0)
        report(&import, &map,
               "got the orientation \"%.80s\", want a map of Tiled with "
               "\"orthogonal\"",
               text_of(root, "orientation"));
    else
        read_layers(&import, &map, &none);
    if (diagnostics->problems == problems)
        result = write_map(&import, &map);
    if (diagnostics->problems == problems)
        check(&import, map_path, result);
    if (diagnostics->problems > problems) {
        free(result);
        result = NULL;
    }
    free(import.shapes);
    json_decref(root);
    return result;
}
