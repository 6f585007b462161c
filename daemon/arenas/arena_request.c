// SPDX-License-Identifier: MIT
// Reads the bodies with jansson; a table row describes each field.
#define _GNU_SOURCE
#include "arena_request.h"

#include "json_writer.h"
#include "match.h"
#include "name.h"
#include "rules.h"

#include <jansson.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MISTAKE_BYTES = 256, MAX_MISTAKES = 32 };

static const char *const ends_names[] = {
    [ARENA_ENDS_EMPTY] = "empty", [ARENA_ENDS_ROUND] = "round", [ARENA_ENDS_NEVER] = "never"};

enum { ENDS = sizeof ends_names / sizeof *ends_names };

// A body while it is parsed.
struct body {
    json_t *root; // an object; NULL: it is none
    struct text_buffer *mistakes;
    int count; // of mistakes
};

// A field: its name and its reader, which reports mistakes.
struct field {
    const char *name;
    void (*read)(struct body *body, const json_t *value, void *into, const void *context);
};

// --- Texts ---

// The length without a cut character at the end.
static size_t whole_length(const char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return length;
    const unsigned char lead = (unsigned char)text[start - 1];
    const size_t wanted = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    return length - start == wanted ? length : start - 1;
}

__attribute__((format(printf, 2, 3))) static void report(struct body *body, const char *format, ...)
{
    char text[MISTAKE_BYTES];
    va_list arguments;
    if (body->count == MAX_MISTAKES)
        return;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof text)
        text[whole_length(text, sizeof text - 1)] = '\0';
    if (body->count++ > 0)
        text_buffer_add(body->mistakes, ",", 1);
    json_text_quote(body->mistakes, text);
}

// Makes the list of mistakes fail: that memory ran out is no mistake of the request.
static void report_no_memory(struct body *body)
{
    body->count++;
    body->mistakes->no_memory = true;
}

const char *arena_ends_name(enum arena_ends ends)
{
    return ends_names[ends];
}

bool arena_request_is_id(const char *id)
{
    const size_t length = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789._-");
    // Clients take "." and ".." out of paths.
    const bool is_relative = strcmp(id, ".") == 0 || strcmp(id, "..") == 0;
    return length >= 1 && length <= 63 && id[length] == '\0' && !is_relative;
}

// Words for a value in a message.
static const char *words_for(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

// --- Values ---

// Reads an integer from 1 to `most`. Reports anything else and leaves `number` as it is.
static void read_count(struct body *body, const char *name, const json_t *value, uint32_t most,
                       uint32_t *number)
{
    const json_int_t integer = json_integer_value(value);
    if (!json_is_integer(value))
        report(body, "%s: got %s, want an integer from 1 to %u", name, words_for(value), most);
    else if (integer < 1 || integer > (json_int_t)most)
        report(body, "%s: got %lld, want an integer from 1 to %u", name, (long long)integer, most);
    else
        *number = (uint32_t)integer;
}

// Checks the members and copies the object. Reports mistakes.
static void read_metadata(struct body *body, const json_t *value, char **metadata)
{
    const char *name;
    json_t *member;
    const int before = body->count;
    if (!json_is_object(value) || json_object_size(value) > ARENA_REQUEST_MAX_METADATA) {
        report(body, "metadata: want an object with at most %d texts", ARENA_REQUEST_MAX_METADATA);
        return;
    }
    json_object_foreach((json_t *)value, name, member)
    {
        if (strlen(name) < 1 || strlen(name) > ARENA_REQUEST_MAX_METADATA_NAME)
            report(body, "metadata: want names of 1 to %d bytes", ARENA_REQUEST_MAX_METADATA_NAME);
        if (!json_is_string(member) ||
            json_string_length(member) > ARENA_REQUEST_MAX_METADATA_VALUE)
            report(body, "metadata: %s: want a text of at most %d bytes", name,
                   ARENA_REQUEST_MAX_METADATA_VALUE);
    }
    if (body->count > before)
        return;
    free(*metadata);
    *metadata = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
    if (*metadata == NULL)
        report_no_memory(body);
}

// --- Bodies ---

static void open_body(struct body *body, const char *json, size_t size,
                      struct text_buffer *mistakes)
{
    json_error_t error;
    *body = (struct body){.mistakes = mistakes};
    // Texts without U+0000: jansson rejects the escape unless it is allowed.
    body->root = size == 0 ? json_object() : json_loadb(json, size, JSON_REJECT_DUPLICATES, &error);
    if (body->root == NULL && (size == 0 || error.line < 0)) { // jansson has no words
        report_no_memory(body);
    } else if (body->root == NULL) {
        report(body, "the body is not JSON: line %d: %s", error.line, error.text);
    } else if (!json_is_object(body->root)) {
        report(body, "the body is %s, want an object", words_for(body->root));
        json_decref(body->root);
        body->root = NULL;
    }
}

// Reads the fields in the order of the table, and reports unknown ones.
static void read_fields(struct body *body, const struct field *fields, size_t count, void *into,
                        const void *context)
{
    const char *name;
    json_t *value;
    for (size_t i = 0; i < count; i++)
        if ((value = json_object_get(body->root, fields[i].name)) != NULL)
            fields[i].read(body, value, into, context);
    json_object_foreach(body->root, name, value)
    {
        size_t i = 0;
        while (i < count && strcmp(name, fields[i].name) != 0)
            i++;
        if (i == count)
            report(body, "%s: there is no such field", name);
    }
}

// Ends a body. Returns whether it had no mistake.
static bool close_body(struct body *body)
{
    json_decref(body->root);
    return body->count == 0 && !body->mistakes->no_memory;
}

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

// --- A new arena ---

// The template that a body names; NULL after reporting a mistake.
static const struct config_arena *find_template(struct body *body, const struct config *config)
{
    const json_t *value = json_object_get(body->root, "template");
    const char *name = json_string_value(value);
    for (int i = 0; name != NULL && i < config->template_count; i++)
        if (strcmp(config->templates[i].name, name) == 0)
            return &config->templates[i];
    if (value == NULL)
        report(body, "template: want the name of a template");
    else if (name == NULL)
        report(body, "template: got %s, want the name of a template", words_for(value));
    else
        report(body, "template: there is no template \"%s\"", name);
    return NULL;
}

static void read_nothing(struct body *body, const json_t *value, void *into, const void *context)
{
    (void)body, (void)value, (void)into, (void)context; // find_template has read it
}

static void read_map(struct body *body, const json_t *value, void *into, const void *context)
{
    struct arena_request *request = into;
    const struct config_arena *template = context;
    const char *name = json_string_value(value);
    const struct raim_map *map = NULL;
    if (name != NULL && strcmp(template->match.map->name, name) == 0)
        map = template->match.map;
    for (int i = 0; name != NULL && map == NULL && i < template->rotation_count; i++)
        if (strcmp(template->rotation[i]->name, name) == 0)
            map = template->rotation[i];
    if (map == NULL) {
        report(body, "map: want the name of a map of the template, like \"%s\"",
               template->match.map->name);
        return;
    }
    request->arena.match.map = map;
    request->arena.rotation_count = 0;
}

static void read_rules(struct body *body, const json_t *value, void *into, const void *context)
{
    struct arena_request *request = into;
    const struct config_arena *template = context;
    const char *name;
    json_t *number;
    if (!json_is_object(value)) {
        report(body, "rules: got %s, want an object", words_for(value));
        return;
    }
    json_object_foreach((json_t *)value, name, number)
    {
        int i = 0;
        while (i < RAIM_RULE_COUNT && strcmp(raim_rule_at(i)->name, name) != 0)
            i++;
        if (i == RAIM_RULE_COUNT) {
            report(body, "rules: %s: there is no such rule", name);
            continue;
        }
        const struct raim_rule *rule = raim_rule_at(i);
        // The spawns of the maps were checked for the template's players.
        const bool is_radius = rule->offset == offsetof(raim_rules, player_radius);
        const double most = is_radius ? template->match.rules.player_radius : rule->max;
        const double wanted = json_number_value(number);
        if (!json_is_number(number) || !raim_rule_accepts(rule, wanted) || wanted > most)
            report(body, "rules: %s: want %s from %.15g to %.15g", name,
                   rule->is_integer ? "an integer" : "a number", rule->min, most);
        else
            *raim_rule_value(&request->arena.match.rules, i) = wanted;
    }
}

static void read_max_players(struct body *body, const json_t *value, void *into,
                             const void *context)
{
    struct arena_request *request = into;
    const struct config_arena *template = context;
    read_count(body, "max_players", value, template->match.tuning.max_players,
               &request->arena.match.tuning.max_players);
}

// Adds a name. Returns false after reporting a mistake.
static bool add_player(struct body *body, struct arena_request *request, const json_t *value)
{
    char cleaned[RAIM_MAX_NAME_BYTES + 1];
    const char *name = json_string_value(value);
    if (name == NULL || !raim_name_clean(name, cleaned) || strcmp(name, cleaned) != 0) {
        report(body,
               "players: want names of players, of at most %d bytes without invisible "
               "characters",
               RAIM_MAX_NAME_BYTES);
        return false;
    }
    for (uint32_t i = 0; i < request->player_count; i++)
        if (strcmp(request->players[i], name) == 0) {
            report(body, "players: \"%s\" is named twice", name);
            return false;
        }
    strcpy(request->players[request->player_count++], name);
    return true;
}

static void read_players(struct body *body, const json_t *value, void *into, const void *context)
{
    struct arena_request *request = into;
    const struct config_arena *template = context;
    const size_t count = json_array_size(value);
    if (!json_is_array(value) || count > request->arena.match.tuning.max_players) {
        report(body, "players: want a list of at most %u names, max_players",
               request->arena.match.tuning.max_players);
        return;
    }
    if (count > 0 && !template->needs_access)
        report(body, "players: the template has no access tokens, which reserved slots need");
    request->players = calloc(count + 1, sizeof *request->players);
    if (request->players == NULL) {
        report_no_memory(body);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (!add_player(body, request, json_array_get(value, i)))
            return;
}

static void read_join_within(struct body *body, const json_t *value, void *into,
                             const void *context)
{
    (void)context;
    struct arena_request *request = into;
    read_count(body, "join_within_s", value, ARENA_REQUEST_MAX_JOIN_WITHIN_S,
               &request->join_within_s);
}

static void read_ends(struct body *body, const json_t *value, void *into, const void *context)
{
    struct arena_request *request = into;
    const struct config_arena *template = context;
    const char *name = json_string_value(value);
    int i = 0;
    while (name != NULL && i < ENDS && strcmp(ends_names[i], name) != 0)
        i++;
    if (name == NULL || i == ENDS) {
        report(body, "ends: want \"empty\", \"round\" or \"never\"");
        return;
    }
    request->ends = (enum arena_ends)i;
    if (request->ends == ARENA_ENDS_ROUND && template->match.tuning.round_s == 0 &&
        template->match.tuning.score_limit == 0)
        report(body, "ends: the template has neither round_time nor score_limit, so that no round "
                     "ends");
}

static void read_arena_metadata(struct body *body, const json_t *value, void *into,
                                const void *context)
{
    (void)context;
    read_metadata(body, value, &((struct arena_request *)into)->metadata);
}

// In this order: the players must fit max_players.
static const struct field request_fields[] = {
    {"template", read_nothing}, {"map", read_map},
    {"rules", read_rules},      {"max_players", read_max_players},
    {"players", read_players},  {"join_within_s", read_join_within},
    {"ends", read_ends},        {"metadata", read_arena_metadata},
};

static void parse_request(struct body *body, struct arena_request *request,
                          const struct config *config)
{
    const struct config_arena *template = find_template(body, config);
    if (template == NULL)
        return;
    request->arena = *template;
    request->arena.name[0] = '\0';
    strcpy(request->template_name, template->name);
    read_fields(body, request_fields, COUNT(request_fields), request, template);
    request->text = json_dumps(body->root, JSON_COMPACT | JSON_SORT_KEYS);
    if (request->metadata == NULL)
        request->metadata = strdup("{}");
    if (request->text == NULL || request->metadata == NULL)
        report_no_memory(body);
}

bool arena_request_parse(struct arena_request *request, const struct config *config,
                         const char *json, size_t size, struct text_buffer *mistakes)
{
    struct body body;
    *request = (struct arena_request){.join_within_s = ARENA_REQUEST_JOIN_WITHIN_S};
    open_body(&body, json, size, mistakes);
    if (body.root != NULL)
        parse_request(&body, request, config);
    return close_body(&body);
}

void arena_request_clear(struct arena_request *request)
{
    free(request->players);
    free(request->metadata);
    free(request->text);
    request->players = NULL;
    request->metadata = request->text = NULL;
}

// --- A change ---

static void read_change_max_players(struct body *body, const json_t *value, void *into,
                                    const void *context)
{
    read_count(body, "max_players", value, *(const uint32_t *)context,
               &((struct arena_change *)into)->max_players);
}

static void read_change_metadata(struct body *body, const json_t *value, void *into,
                                 const void *context)
{
    (void)context;
    read_metadata(body, value, &((struct arena_change *)into)->metadata);
}

static const struct field change_fields[] = {
    {"max_players", read_change_max_players},
    {"metadata", read_change_metadata},
};

bool arena_change_parse(struct arena_change *change, uint32_t limit, const char *json, size_t size,
                        struct text_buffer *mistakes)
{
    struct body body;
    *change = (struct arena_change){0};
    open_body(&body, json, size, mistakes);
    if (body.root != NULL)
        read_fields(&body, change_fields, COUNT(change_fields), change, &limit);
    return close_body(&body);
}

void arena_change_clear(struct arena_change *change)
{
    free(change->metadata);
    change->metadata = NULL;
}

// --- An end ---

static void read_reason(struct body *body, const json_t *value, void *into, const void *context)
{
    (void)context;
    struct arena_end *end = into;
    const char *text = json_string_value(value);
    if (text == NULL ||
        (text[0] != '\0' && !raim_text_clean(text, end->reason, RAIM_MAX_TEXT_BYTES)))
        report(body, "reason: want a text of at most %d bytes with a visible character",
               RAIM_MAX_TEXT_BYTES);
}

static void read_drain(struct body *body, const json_t *value, void *into, const void *context)
{
    (void)context;
    if (json_is_boolean(value))
        ((struct arena_end *)into)->drains = json_is_true(value);
    else
        report(body, "drain: got %s, want true or false", words_for(value));
}

static void read_within(struct body *body, const json_t *value, void *into, const void *context)
{
    (void)context;
    read_count(body, "within_s", value, ARENA_REQUEST_MAX_DRAIN_S,
               &((struct arena_end *)into)->within_s);
}

static const struct field end_fields[] = {
    {"reason", read_reason},
    {"drain", read_drain},
    {"within_s", read_within},
};

bool arena_end_parse(struct arena_end *end, const char *json, size_t size,
                     struct text_buffer *mistakes)
{
    struct body body;
    *end = (struct arena_end){0};
    open_body(&body, json, size, mistakes);
    if (body.root != NULL)
        read_fields(&body, end_fields, COUNT(end_fields), end, NULL);
    if (body.count == 0 && end->within_s > 0 && !end->drains)
        report(&body, "within_s: goes only with \"drain\": true");
    return close_body(&body);
}
