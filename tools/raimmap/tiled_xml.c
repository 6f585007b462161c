// SPDX-License-Identifier: MIT
// Reads TMX by libexpat, which reads from memory, loads no other file and knows every line.
#define _GNU_SOURCE
#include "diagnostics.h"
#include "tiled.h"

#include <expat.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 32,    // of elements that are read
    MAX_POINTS = 1000, // of a polygon, far more than an obstacle has
};

enum kind { NONE, LAYERS, OBJECTS, OBJECT, PROPERTIES, LEAF };

struct tmx {
    XML_Parser parser;
    json_t *root;
    struct {
        enum kind kind;
        json_t *node; // borrowed from the root
    } open[MAX_DEPTH];
    int depth, skipped; // elements that are open: read, and within those one that is not
    bool no_memory;
    const char *problem;
};

// The elements that are read, and the member of the parent's document that lists them.
static const struct element {
    const char *name;
    enum kind parent, kind;
    const char *list, *type;
} elements[] = {
    {"map", NONE, LAYERS, NULL, "map"},
    {"properties", LAYERS, PROPERTIES, NULL, NULL},
    {"property", PROPERTIES, LEAF, "properties", NULL},
    {"group", LAYERS, LAYERS, "layers", "group"},
    {"objectgroup", LAYERS, OBJECTS, "layers", "objectgroup"},
    {"layer", LAYERS, LEAF, "layers", "tilelayer"},
    {"imagelayer", LAYERS, LEAF, "layers", "imagelayer"},
    {"object", OBJECTS, OBJECT, "objects", NULL},
};

static unsigned long line_of(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
    return (unsigned long)XML_GetCurrentLineNumber64(parser);
#else
    return XML_GetCurrentLineNumber(parser);
#endif
}

static void stop(struct tmx *tmx, const char *problem)
{
    tmx->problem = problem;
    XML_StopParser(tmx->parser, XML_FALSE);
}

static void set(struct tmx *tmx, json_t *node, const char *key, json_t *value)
{
    if (json_object_set_new(node, key, value) != 0)
        tmx->no_memory = true;
}

static void append(struct tmx *tmx, json_t *node, const char *list, json_t *item)
{
    if (!json_is_array(json_object_get(node, list)))
        set(tmx, node, list, json_array());
    if (json_array_append_new(json_object_get(node, list), item) != 0)
        tmx->no_memory = true;
}

// Adds the points of a text "x,y x,y ...", which stay none if it is wrong.
static void add_points(struct tmx *tmx, json_t *object, const char *key, const char *text)
{
    json_t *points = json_array();
    for (int i = 0; *text != '\0' && i < MAX_POINTS; i++) {
        char *comma, *end = NULL;
        const double x = strtod(text, &comma);
        const double y = *comma == ',' ? strtod(comma + 1, &end) : 0;
        if (comma == text || end == NULL || end == comma + 1 || (*end != ' ' && *end != '\0') ||
            json_array_append_new(points, json_pack("{s:f, s:f}", "x", x, "y", y)) != 0) {
            json_array_clear(points);
            break;
        }
        text = end + strspn(end, " ");
    }
    set(tmx, object, key, points);
}

static json_t *add_element(struct tmx *tmx, const struct element *element, json_t *parent,
                           const char **attributes)
{
    json_t *node = element->kind == PROPERTIES ? parent : json_object();
    if (element->list != NULL)
        append(tmx, parent, element->list, node);
    else if (element->kind != PROPERTIES)
        tmx->root = node;
    if (node == parent || tmx->no_memory)
        return node == parent ? node : NULL; // a node that could not be added is gone
    for (; *attributes != NULL; attributes += 2)
        set(tmx, node, attributes[0], json_string(attributes[1]));
    if (element->type != NULL)
        set(tmx, node, "type", json_string(element->type));
    set(tmx, node, "line", json_integer((json_int_t)line_of(tmx->parser)));
    return node;
}

// An element in an object is its shape: <ellipse/>, <polygon points="0,0 9,0 9,9"/>.
static void add_shape(struct tmx *tmx, json_t *object, const char *name, const char **attributes)
{
    if (*attributes != NULL && strcmp(attributes[0], "points") == 0)
        add_points(tmx, object, name, attributes[1]);
    else
        set(tmx, object, name, json_true());
}

static void begin(void *context, const char *name, const char **attributes)
{
    struct tmx *tmx = context;
    const enum kind kind = tmx->depth > 0 ? tmx->open[tmx->depth - 1].kind : NONE;
    json_t *parent = tmx->depth > 0 ? tmx->open[tmx->depth - 1].node : NULL;
    const struct element *element = NULL;
    for (size_t i = 0; i < sizeof elements / sizeof *elements && tmx->skipped == 0; i++)
        if (elements[i].parent == kind && strcmp(elements[i].name, name) == 0)
            element = &elements[i];
    if (element != NULL && tmx->depth < MAX_DEPTH) {
        tmx->open[tmx->depth].node = add_element(tmx, element, parent, attributes);
        tmx->open[tmx->depth++].kind = element->kind;
    } else {
        if (kind == NONE)
            stop(tmx, "got no <map>, want a map of Tiled");
        else if (kind == OBJECT && tmx->skipped == 0)
            add_shape(tmx, parent, name, attributes);
        tmx->skipped++;
    }
    if (tmx->no_memory)
        stop(tmx, NULL);
}

static void end(void *context, const char *name)
{
    struct tmx *tmx = context;
    (void)name;
    *(tmx->skipped > 0 ? &tmx->skipped : &tmx->depth) -= 1;
}

// Entities could make a short file long. Tiled writes none.
static void begin_doctype(void *context, const char *name, const char *system, const char *public,
                          int has_internal_subset)
{
    (void)name, (void)system, (void)public;
    if (has_internal_subset != 0)
        stop(context, "got declarations of a document type, want none");
}

struct json_t *tiled_read_xml(const char *path, const char *text, size_t size,
                              struct diagnostics *diagnostics)
{
    struct tmx tmx = {.parser = XML_ParserCreate(NULL)};
    if (tmx.parser == NULL) {
        diagnostics_no_memory(diagnostics);
        return NULL;
    }
    XML_SetUserData(tmx.parser, &tmx);
    XML_SetElementHandler(tmx.parser, begin, end);
    XML_SetStartDoctypeDeclHandler(tmx.parser, begin_doctype);
    const bool is_good = XML_Parse(tmx.parser, text, (int)size, XML_TRUE) == XML_STATUS_OK;
    if (!is_good && (tmx.no_memory || XML_GetErrorCode(tmx.parser) == XML_ERROR_NO_MEMORY)) {
        diagnostics_no_memory(diagnostics);
    } else if (!is_good) {
        char location[PATH_MAX + 32];
        snprintf(location, sizeof location, "%s:%lu", path, line_of(tmx.parser));
        if (tmx.problem != NULL)
            diagnostics_add(diagnostics, location, "%s", tmx.problem);
        else
            diagnostics_add(diagnostics, location, "got no XML: %s",
                            XML_ErrorString(XML_GetErrorCode(tmx.parser)));
    }
    XML_ParserFree(tmx.parser);
    if (is_good)
        return tmx.root;
    json_decref(tmx.root);
    return NULL;
}
