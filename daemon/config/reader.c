// SPDX-License-Identifier: MIT
// Typed and checked reading on top of libconfig, whose own getters truncate numbers, wrap integers
// and ignore type mismatches.
#define _GNU_SOURCE
#include "reader.h"

#include "source.h"
#include "text_buffer.h"

#include <libconfig.h>

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOCATION_BYTES = 512,           // longer locations are cut in messages
    MESSAGE_BYTES = PATH_MAX + 256, // longer messages are cut
    VALUE_BYTES = 80,               // a quoted value in a message; longer ones are cut
    EXPECTED_BYTES = 160,           // description of the accepted values
    NAME_BYTES = 32,                // longer names are not compared for suggestions
    TYPING_MISTAKES = 2             // maximum edit distance for "did you mean"
};

struct reader {
    struct diagnostics *diagnostics;
    struct source *source;
    config_t config;
};

static struct reader *open_source(struct source *source, struct diagnostics *diagnostics);
static void describe(const config_setting_t *setting, char *text, size_t capacity);
static void describe_expected(const struct reader_key *key, char *text, size_t capacity);
static void fill_key(reader_node node, const struct reader_key *key, void *into, void *context);
static bool take_value(const config_setting_t *setting, const struct reader_key *key, void *field);
static void report_unknown_key(reader_node node, const struct reader_key *keys, int count);
__attribute__((format(printf, 3, 0))) static void
report_error(reader_node node, const char *prefix, const char *format, va_list arguments);

// --- Opening ---

struct reader *reader_open(const char *path, const char *named_at, struct diagnostics *diagnostics)
{
    return open_source(source_open(path, named_at, diagnostics), diagnostics);
}

struct reader *reader_open_text(const char *path, const char *text, struct diagnostics *diagnostics)
{
    return open_source(source_open_text(path, text, diagnostics), diagnostics);
}

void reader_close(struct reader *reader)
{
    if (reader == NULL)
        return;
    config_destroy(&reader->config);
    source_close(reader->source);
    free(reader);
}

// The text of a line without leading blanks.
static const char *line_text(const struct source *source, int line, int *length)
{
    const char *text = source_text(source);
    while (line > 1 && strchr(text, '\n') != NULL) {
        text = strchr(text, '\n') + 1;
        line--;
    }
    text += strspn(text, " \t\r");
    *length = (int)strcspn(text, "\r\n");
    return text;
}

static void report_syntax_error(const struct reader *reader)
{
    const int text_line = config_error_line(&reader->config);
    unsigned line;
    const char *file = source_location(reader->source, (unsigned)text_line, &line);
    int length;
    const char *text = line_text(reader->source, text_line, &length);
    char location[LOCATION_BYTES];
    snprintf(location, sizeof location, "%s:%u", file, line);
    diagnostics_add(reader->diagnostics, location, "got a %s at or before this: %.*s",
                    config_error_text(&reader->config), length < VALUE_BYTES ? length : VALUE_BYTES,
                    text);
}

// Checks that enough memory is free for libconfig, which ignores failed allocations (1.5) or ends
// the process on them (1.7). The estimate is an upper bound: each setting follows one of the
// characters below, names and texts are no longer than the file, and the scanner has buffers of
// fixed size.
static bool has_room_for_libconfig(const char *text)
{
    enum { SETTING_BYTES = 256, BUFFER_BYTES = 64 * 1024 };
    size_t settings = 1;
    for (const char *sign = text; (sign = strpbrk(sign, "=:,([{")) != NULL; sign++)
        settings++;
    const size_t bytes = BUFFER_BYTES + 3 * strlen(text) + settings * SETTING_BYTES;
    void *volatile room =
        malloc(bytes); // volatile keeps the compiler from removing the pair of calls
    const bool has_room = room != NULL;
    free(room);
    return has_room;
}

static struct reader *open_source(struct source *source, struct diagnostics *diagnostics)
{
    if (source == NULL)
        return NULL;
    struct reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL || !has_room_for_libconfig(source_text(source))) {
        diagnostics_no_memory(diagnostics);
        source_close(source);
        free(reader);
        return NULL;
    }
    reader->diagnostics = diagnostics;
    reader->source = source;
    config_init(&reader->config);
    if (config_read_string(&reader->config, source_text(source)) == CONFIG_TRUE)
        return reader;
    report_syntax_error(reader);
    reader_close(reader);
    return NULL;
}

// --- Walking ---

reader_node reader_root(const struct reader *reader)
{
    return (reader_node){reader, config_root_setting(&reader->config)};
}

bool reader_is_group(reader_node node)
{
    return node.setting != NULL && config_setting_is_group(node.setting);
}

bool reader_is_list(reader_node node)
{
    return node.setting != NULL &&
           (config_setting_is_list(node.setting) || config_setting_is_array(node.setting));
}

bool reader_is_good(reader_node node)
{
    return node.setting == NULL || config_setting_get_hook(node.setting) == NULL;
}

int reader_count(reader_node list)
{
    return reader_is_list(list) ? config_setting_length(list.setting) : 0;
}

reader_node reader_item(reader_node list, int index)
{
    assert(index >= 0 && index < reader_count(list));
    return (reader_node){list.reader, config_setting_get_elem(list.setting, (unsigned)index)};
}

reader_node reader_member(reader_node group, const char *name)
{
    config_setting_t *found =
        reader_is_group(group) ? config_setting_get_member(group.setting, name) : NULL;
    return (reader_node){group.reader, found != NULL ? found : group.setting};
}

reader_node reader_find(reader_node group, const char *name)
{
    reader_node found = {group.reader, NULL};
    if (reader_is_group(group))
        found.setting = config_setting_get_member(group.setting, name);
    return found;
}

void reader_fill(reader_node group, const struct reader_key *keys, int count, void *into,
                 void *context)
{
    for (int i = 0; i < count; i++) {
        const reader_node node = reader_find(group, keys[i].name);
        fill_key(node, &keys[i], into, context);
        if (node.setting == NULL && keys[i].required) {
            char expected[EXPECTED_BYTES];
            describe_expected(&keys[i], expected, sizeof expected);
            reader_error(group, "got no key \"%s\", want %s", keys[i].name, expected);
        }
    }
    const int members = reader_is_group(group) ? config_setting_length(group.setting) : 0;
    for (int i = 0; i < members; i++) {
        const reader_node node = {group.reader,
                                  config_setting_get_elem(group.setting, (unsigned)i)};
        if (reader_is_good(node))
            report_unknown_key(node, keys, count);
    }
    for (int i = 0; i < count; i++) {
        const reader_node node = reader_find(group, keys[i].name);
        void *field = (char *)into + keys[i].offset;
        if (keys[i].load != NULL && node.setting != NULL &&
            take_value(node.setting, &keys[i], field))
            keys[i].load(node, into, context);
    }
}

// --- Values ---

static bool get_integer(const config_setting_t *setting, long long *value)
{
    const int type = config_setting_type(setting);
    if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
        return false;
    *value = config_setting_get_int64(setting);
    return true;
}

static bool get_number(const config_setting_t *setting, double *value)
{
    long long integer;
    if (get_integer(setting, &integer))
        *value = (double)integer;
    else if (config_setting_type(setting) == CONFIG_TYPE_FLOAT)
        *value = config_setting_get_float(setting);
    else
        return false;
    return true;
}

bool reader_number(reader_node node, double min, double max, double *value)
{
    if (get_number(node.setting, value) && *value >= min && *value <= max)
        return true;
    reader_value_error(node, "a number from %.15g to %.15g", min, max);
    return false;
}

static bool get_text(const config_setting_t *setting, bool (*accepts)(const char *text),
                     const char **text)
{
    if (config_setting_type(setting) != CONFIG_TYPE_STRING)
        return false;
    *text = config_setting_get_string(setting);
    return accepts == NULL || accepts(*text);
}

bool reader_text(reader_node node, bool (*accepts)(const char *text), const char *expected,
                 const char **text)
{
    if (get_text(node.setting, accepts, text))
        return true;
    reader_value_error(node, "%s", expected);
    return false;
}

static bool is_kind(const config_setting_t *setting, enum reader_kind kind)
{
    switch (kind) {
    case READER_INTEGER:
    case READER_NUMBER:
        return config_setting_is_number(setting);
    case READER_BOOLEAN:
        return config_setting_type(setting) == CONFIG_TYPE_BOOL;
    case READER_TEXT:
        return config_setting_type(setting) == CONFIG_TYPE_STRING;
    case READER_LIST:
        return config_setting_is_list(setting) || config_setting_is_array(setting);
    case READER_GROUP:
        return config_setting_is_group(setting);
    }
    return false;
}

static void store_integer(const struct reader_key *key, void *field, uint32_t value)
{
    if (key->size == sizeof(uint16_t))
        *(uint16_t *)field = (uint16_t)value;
    else if (key->size == sizeof(double))
        *(double *)field = value;
    else
        *(uint32_t *)field = value;
}

static bool take_text(const struct reader_key *key, const char *text, void *field)
{
    return key->parse == NULL || key->parse(text, field);
}

// Stores a value of the right kind and range. Returns false for any other.
static bool take_value(const config_setting_t *setting, const struct reader_key *key, void *field)
{
    long long integer;
    double number;
    if (!is_kind(setting, key->kind))
        return false;
    switch (key->kind) {
    case READER_INTEGER:
        if (!get_integer(setting, &integer) || (double)integer < key->min ||
            (double)integer > key->max)
            return false;
        store_integer(key, field, (uint32_t)integer);
        return true;
    case READER_NUMBER:
        if (!get_number(setting, &number) || !(number >= key->min && number <= key->max))
            return false;
        *(double *)field = number;
        return true;
    case READER_BOOLEAN:
        *(bool *)field = config_setting_get_bool(setting) == CONFIG_TRUE;
        return true;
    case READER_TEXT:
        return take_text(key, config_setting_get_string(setting), field);
    case READER_LIST:
    case READER_GROUP:
        break;
    }
    return true;
}

static void take_default(const struct reader_key *key, void *field)
{
    switch (key->kind) {
    case READER_INTEGER:
        store_integer(key, field, (uint32_t)key->value);
        break;
    case READER_NUMBER:
        *(double *)field = key->value;
        break;
    case READER_BOOLEAN:
        *(bool *)field = key->flag;
        break;
    case READER_TEXT:
        if (key->text != NULL)
            take_text(key, key->text, field); // cannot fail: a test parses all defaults
        break;
    case READER_LIST:
    case READER_GROUP:
        break;
    }
}

static void fill_key(reader_node node, const struct reader_key *key, void *into, void *context)
{
    void *field = (char *)into + key->offset;
    const bool is_good = node.setting == NULL || take_value(node.setting, key, field);
    if (node.setting == NULL || !is_good)
        take_default(key, field);
    if (!is_good && reader_is_good(node)) {
        char expected[EXPECTED_BYTES];
        describe_expected(key, expected, sizeof expected);
        // Brackets of another kind are the usual mistake.
        const bool has_brackets = config_setting_is_aggregate(node.setting);
        if (key->is_secret)
            reader_error(node, "got something else, want %s", expected);
        else
            reader_value_error(node, "%s%s", expected,
                               !has_brackets               ? ""
                               : key->kind == READER_LIST  ? ": ( ... )"
                               : key->kind == READER_GROUP ? ": { ... }"
                                                           : "");
    }
    if (key->kind == READER_GROUP) {
        const reader_node nothing = {node.reader, NULL};
        reader_fill(is_good ? node : nothing, key->keys->rows, key->keys->count, field, context);
    }
}

// --- Unknown keys ---

static int smallest(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

// Levenshtein distance of two names: insertions, deletions and substitutions of characters. Returns
// NAME_BYTES for longer names.
static int edit_distance(const char *a, const char *b)
{
    const size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a >= NAME_BYTES || length_b >= NAME_BYTES)
        return NAME_BYTES;
    int row[NAME_BYTES];
    for (size_t j = 0; j <= length_b; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= length_a; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= length_b; j++) {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = smallest(row[j] + 1, row[j - 1] + 1, change);
        }
    }
    return row[length_b];
}

// Writes the path of the inner group, such as "arenas.rules", whose key has this name. Returns
// false if there is none.
static bool find_inner(const struct reader_key *keys, int count, const char *name, char *path,
                       size_t capacity)
{
    for (int i = 0; i < count; i++) {
        const struct reader_table none = {0}, *inner = keys[i].keys != NULL ? keys[i].keys : &none;
        const int used = snprintf(path, capacity, "%s", keys[i].name);
        for (int j = 0; j < inner->count; j++)
            if (strcmp(inner->rows[j].name, name) == 0)
                return true;
        if ((size_t)used + 1 >= capacity)
            continue;
        path[used] = '.';
        if (find_inner(inner->rows, inner->count, name, path + used + 1,
                       capacity - (size_t)used - 1))
            return true;
    }
    return false;
}

static void report_unknown_key(reader_node node, const struct reader_key *keys, int count)
{
    char path[EXPECTED_BYTES];
    const char *name = config_setting_name(node.setting);
    const char *nearest = NULL;
    int nearest_distance = TYPING_MISTAKES + 1;
    char all[EXPECTED_BYTES * 8] = "";
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        const int distance = edit_distance(name, keys[i].name);
        if (distance == 0)
            return;
        if (distance < nearest_distance) {
            nearest_distance = distance;
            nearest = keys[i].name;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ",
                                     keys[i].name);
    }
    if (find_inner(keys, count, name, path, sizeof path))
        reader_error(node, "got a key that belongs into %s", path);
    else if (nearest != NULL)
        reader_error(node, "got an unknown key, did you mean \"%s\"?", nearest);
    else
        reader_error(node, "got an unknown key, want one of %s", all);
}

// --- Words ---

// Quotes a text, cuts it to fit and replaces control characters, so that terminals and logs stay
// intact.
static void describe_text(const char *value, char *text, size_t capacity)
{
    const size_t keep = capacity - sizeof "\"...\"";
    size_t used = 0;
    text[used++] = '"';
    for (; *value != '\0' && used < keep; value++)
        text[used++] = (unsigned char)*value < ' ' || *value == 0x7f ? '?' : *value;
    memcpy(text + used, *value == '\0' ? "\"" : "...\"", *value == '\0' ? 2 : 5);
}

static void describe(const config_setting_t *setting, char *text, size_t capacity)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        snprintf(text, capacity, "%lld", config_setting_get_int64(setting));
        return;
    case CONFIG_TYPE_FLOAT:
        snprintf(text, capacity, "%.15g", config_setting_get_float(setting));
        // Keeps a float such as 60.0 distinct from an integer in messages.
        if (strcspn(text, ".einf") == strlen(text))
            strncat(text, ".0", capacity - strlen(text) - 1);
        return;
    case CONFIG_TYPE_BOOL:
        snprintf(text, capacity, config_setting_get_bool(setting) ? "true" : "false");
        return;
    case CONFIG_TYPE_STRING:
        describe_text(config_setting_get_string(setting), text, capacity);
        return;
    case CONFIG_TYPE_GROUP:
        snprintf(text, capacity, "a group");
        return;
    default:
        snprintf(text, capacity, "a list of %d", config_setting_length(setting));
    }
}

static void describe_expected(const struct reader_key *key, char *text, size_t capacity)
{
    if (key->kind == READER_INTEGER || key->kind == READER_NUMBER)
        snprintf(text, capacity, "%s from %.15g to %.15g%s%s",
                 key->kind == READER_INTEGER ? "an integer" : "a number", key->min, key->max,
                 key->unit != NULL ? " " : "", key->unit != NULL ? key->unit : "");
    else if (key->kind == READER_BOOLEAN)
        snprintf(text, capacity, "true or false");
    else
        snprintf(text, capacity, "%s", key->expected);
}

// Writes a text quoted and escaped, so that parsing it gives the original.
static void write_text(struct text_buffer *out, const char *text)
{
    text_buffer_add(out, "\"", 1);
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            text_buffer_print(out, "\\%c", byte);
        else if (byte < ' ' || byte == 0x7f)
            text_buffer_print(out, "\\x%02x", byte);
        else
            text_buffer_add(out, text, 1);
    }
    text_buffer_add(out, "\"", 1);
}

static void write_value(struct text_buffer *out, const config_setting_t *setting)
{
    char scalar[VALUE_BYTES];
    if (config_setting_type(setting) == CONFIG_TYPE_STRING) {
        write_text(out, config_setting_get_string(setting));
        return;
    }
    if (!config_setting_is_aggregate(setting)) {
        describe(setting, scalar, sizeof scalar);
        text_buffer_print(out, "%s", scalar);
        return;
    }
    const bool is_group = config_setting_is_group(setting);
    text_buffer_print(out, is_group ? "{" : "(");
    const int count = config_setting_length(setting);
    for (int i = 0; i < count; i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);
        text_buffer_print(out, is_group || i == 0 ? " " : ", ");
        if (is_group)
            text_buffer_print(out, "%s = ", config_setting_name(item));
        write_value(out, item);
        text_buffer_print(out, is_group ? ";" : "");
    }
    text_buffer_print(out, is_group ? " }" : " )");
}

void reader_write_value(struct text_buffer *out, reader_node node)
{
    write_value(out, node.setting);
}

bool reader_default(const struct reader_key *key, char *text, size_t capacity)
{
    text[0] = '\0';
    if (key->required || (key->kind == READER_TEXT && key->text == NULL))
        return false;
    switch (key->kind) {
    case READER_INTEGER:
    case READER_NUMBER:
        snprintf(text, capacity, "%.15g", key->value);
        break;
    case READER_BOOLEAN:
        snprintf(text, capacity, key->flag ? "true" : "false");
        break;
    case READER_TEXT:
        assert(strpbrk(key->text, "\"\\") == NULL);
        snprintf(text, capacity, "\"%s\"", key->text);
        break;
    case READER_LIST:
        snprintf(text, capacity, "( )");
        break;
    case READER_GROUP:
        snprintf(text, capacity, "{ }");
        break;
    }
    return true;
}

void reader_document(const struct reader_key *key, char *line, size_t capacity)
{
    char expected[EXPECTED_BYTES], standard[EXPECTED_BYTES],
        value[EXPECTED_BYTES + 16] = "default empty";
    const bool has_default = reader_default(key, standard, sizeof standard);
    describe_expected(key, expected, sizeof expected);
    if (key->required)
        snprintf(value, sizeof value, "required");
    else if (!has_default)
        snprintf(value, sizeof value, "optional");
    else if (key->kind != READER_LIST && key->kind != READER_GROUP)
        snprintf(value, sizeof value, "default %s", standard);
    if (key->kind == READER_GROUP)
        snprintf(line, capacity, "%s: %s.", key->name, key->meaning);
    else
        snprintf(line, capacity, "%s: %s; %s; %s.", key->name, key->meaning, expected, value);
}

const char *reader_when(const struct reader_key *key)
{
    switch (key->applies) {
    case READER_AT_ONCE:
        return "A change applies at once.";
    case READER_WITH_BREAK:
        return "A change applies with the next break.";
    case READER_WITH_ROUND:
    case READER_WITH_MATCH:
    case READER_WITH_MAP:
    case READER_WITH_ROTATION:
        return "A change applies with the next round.";
    case READER_AT_RESTART:
        break;
    }
    return "A change needs a restart.";
}

// Appends the path from the root to a setting, "arenas[0].rules.bullet_speed", cut to fit.
static void append_key(const config_setting_t *setting, char *text, size_t capacity)
{
    const config_setting_t *parent = config_setting_parent(setting);
    if (parent == NULL)
        return;
    append_key(parent, text, capacity);
    const size_t used = strlen(text);
    if (config_setting_name(setting) == NULL)
        snprintf(text + used, capacity - used, "[%d]", config_setting_index(setting));
    else
        snprintf(text + used, capacity - used, "%s%.40s", config_setting_is_root(parent) ? "" : ".",
                 config_setting_name(setting));
}

void reader_location(reader_node node, char *location, size_t capacity)
{
    unsigned line = 0;
    const unsigned text_line = node.setting != NULL ? config_setting_source_line(node.setting) : 0;
    const char *file = source_location(node.reader->source, text_line, &line);
    if (line != 0)
        snprintf(location, capacity, "%s:%u", file, line);
    else
        snprintf(location, capacity, "%s", file);
}

void reader_key_location(reader_node node, char *location, size_t capacity)
{
    reader_location(node, location, capacity);
    if (node.setting == NULL || config_setting_is_root(node.setting))
        return;
    const size_t used = strlen(location);
    snprintf(location + used, capacity - used, ": ");
    append_key(node.setting, location, capacity);
}

static void report_error(reader_node node, const char *prefix, const char *format,
                         va_list arguments)
{
    char location[LOCATION_BYTES], message[MESSAGE_BYTES];
    reader_key_location(node, location, sizeof location);
    vsnprintf(message, sizeof message, format, arguments);
    diagnostics_add(node.reader->diagnostics, location, "%s%s", prefix, message);
    if (node.setting != NULL)
        config_setting_set_hook(node.setting, (void *)(uintptr_t)node.reader); // see reader_is_good
}

void reader_error(reader_node node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report_error(node, "", format, arguments);
    va_end(arguments);
}

void reader_warn(reader_node node, const char *format, ...)
{
    char location[LOCATION_BYTES], message[MESSAGE_BYTES];
    reader_key_location(node, location, sizeof location);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diagnostics_warn(node.reader->diagnostics, location, "%s", message);
}

void reader_value_error(reader_node node, const char *format, ...)
{
    char value[VALUE_BYTES] = "nothing", prefix[VALUE_BYTES + 16];
    if (node.setting != NULL)
        describe(node.setting, value, sizeof value);
    snprintf(prefix, sizeof prefix, "got %s, want ", value);
    va_list arguments;
    va_start(arguments, format);
    report_error(node, prefix, format, arguments);
    va_end(arguments);
}
