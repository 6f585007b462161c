// SPDX-License-Identifier: MIT
// Reads a libconfig file by tables of keys. A table says everything about a group's keys, and from
// it come their values, their defaults, every complaint and the documentation.
#pragma once

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader;
struct text_buffer;
struct config_setting_t; // libconfig's

// A value in the file. `setting` is NULL where the file has none; such a node counts as empty.
typedef struct reader_node {
    const struct reader *reader;
    struct config_setting_t *setting;
} reader_node;

enum reader_kind {
    READER_INTEGER, // into a uint32_t or, by its size, a uint16_t
    READER_NUMBER,  // into a double; integers and floats alike
    READER_BOOLEAN, // into a bool
    READER_TEXT,    // by `parse`
    READER_LIST,    // by `load`; libconfig's lists and arrays alike
    READER_GROUP,   // into the struct at the offset, by the table of the group's keys
};

// When a change of a value takes effect after a reload.
enum reader_applies {
    READER_AT_RESTART,    // the value that runs is kept
    READER_AT_ONCE,       // the running match takes it
    READER_WITH_BREAK,    // the running match takes it, for its next break
    READER_WITH_ROUND,    // the running match takes it, for its next round
    READER_WITH_MATCH,    // takes a new match: with the next round; at once where there are none
    READER_WITH_MAP,      // takes a new match on another map
    READER_WITH_ROTATION, // takes a new match unless no round ends
};

// What an arena is opened for; more of it takes a restart.
enum reader_room { READER_ANY_ROOM, READER_PLAYERS, READER_SPECTATORS, READER_BOTS };

struct reader_key {
    const char *name;
    enum reader_kind kind;
    size_t offset; // of the field in the struct that reader_fill fills
    size_t size;   // of the field; 0: it is more than bytes to be copied
    bool required;
    double value, min, max; // of numbers: default and range, inclusive
    bool flag;              // of booleans: default
    const char *unit;       // of numbers, or NULL
    const char *text;       // of texts: default, or NULL
    const char *example;    // of required texts: one that would do, or NULL
    // Of texts: writes what a text says into the field; false where the text is not accepted. NULL
    // accepts all and writes nothing.
    bool (*parse)(const char *text, void *field);
    // Of texts and lists, or NULL: does the rest when the group's other keys are read; not called
    // for an absent or wrong value. Gets what reader_fill got.
    void (*load)(reader_node node, void *into, void *context);
    // Of texts and lists that name files, or NULL: whether these hold the same in both structs.
    bool (*same_files)(const void *a, const void *b);
    const char *expected; // of texts, lists and groups: what is accepted, in words
    // Of groups, and of lists whose items are groups: the table of the group's keys, or NULL.
    const struct reader_key *(*keys)(int *count);
    enum reader_applies applies;
    enum reader_room room;
    const char *meaning;
};

// Reads a file. Returns NULL after reporting every mistake that keeps it from being understood, or
// that memory ran out;
// `named_at` is the place to blame when the file cannot be read at all, or NULL for the file
// itself.
struct reader *reader_open(const char *path, const char *named_at, struct diagnostics *diagnostics);

// The same for a text in memory that goes by the name of `path`; copies both.
struct reader *reader_open_text(const char *path, const char *text,
                                struct diagnostics *diagnostics);

void reader_close(struct reader *reader);

// The file's own keys, a group.
reader_node reader_root(const struct reader *reader);

// Fills a struct from a group: each key's value or, where it is absent or wrong, its default; the
// groups within it, too. Reports wrong values, missing and unknown keys. `context` is for the keys'
// `load`.
void reader_fill(reader_node group, const struct reader_key *keys, int count, void *into,
                 void *context);

// Number of items of a list, 0 for anything else.
int reader_count(reader_node list);
reader_node reader_item(reader_node list, int index);

// The group's node of that name; where it has none, the group itself, so that there is always
// something to blame.
reader_node reader_member(reader_node group, const char *name);

// The same, but with nothing in it where the group has none of that name.
reader_node reader_find(reader_node group, const char *name);

bool reader_is_group(reader_node node);
bool reader_is_list(reader_node node);

// Reads a number in a range, or reports and returns false.
bool reader_number(reader_node node, double min, double max, double *value);

// Reads a text that is accepted, valid until reader_close, or reports `want` and returns false.
bool reader_text(reader_node node, bool (*accepts)(const char *text), const char *expected,
                 const char **text);

// Reports "file:line: key: " and the message.
__attribute__((format(printf, 2, 3))) void reader_error(reader_node node, const char *format, ...);

// Reports "file:line: key: got X, want " and the message.
__attribute__((format(printf, 2, 3))) void reader_value_error(reader_node node, const char *format,
                                                              ...);

// Reports "file:line: key: warning: " and the message.
__attribute__((format(printf, 2, 3))) void reader_warn(reader_node node, const char *format, ...);

// Writes "file:line: key", cut to fit.
void reader_key_location(reader_node node, char *location, size_t capacity);

// Writes "file:line", cut to fit; of nothing, the file.
void reader_location(reader_node node, char *location, size_t capacity);

// Writes a value as a file would have it: 60, 1.5, true, "text", ( 1, 2 ).
void reader_write_value(struct text_buffer *out, reader_node node);

// Writes a key's default in the same way, cut to fit; false, and an empty text, where it has none.
bool reader_default(const struct reader_key *key, char *text, size_t capacity);

// Writes what a key means, accepts and defaults to, as one line for the shipped files' comments.
void reader_document(const struct reader_key *key, char *line, size_t capacity);
