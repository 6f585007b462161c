// SPDX-License-Identifier: MIT
// Table-driven reader of libconfig files. A table of struct reader_key describes the keys of a
// group and drives reading, defaults, error messages and documentation. A reader belongs to one
// thread at a time.
#pragma once

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader;
struct text_buffer;
struct config_setting_t; // libconfig's

// A value in the file. `setting` is NULL if the file has no such value; the node then counts as
// empty.
typedef struct reader_node {
    const struct reader *reader;
    struct config_setting_t *setting;
} reader_node;

enum reader_kind {
    READER_INTEGER, // stored in a uint32_t or, by `size`, in a uint16_t or a double
    READER_NUMBER,  // stored in a double; accepts integers and floats
    READER_BOOLEAN, // stored in a bool
    READER_TEXT,    // stored by `parse`
    READER_LIST,    // stored by `load`; accepts libconfig's lists and arrays
    READER_GROUP,   // stored in the struct at the offset, as the table `keys` says
};

// When a change of a value takes effect after a reload.
enum reader_applies {
    READER_AT_RESTART,    // the old value stays in use until a restart
    READER_AT_ONCE,       // the running match adopts it
    READER_WITH_BREAK,    // the running match adopts it at its next break
    READER_WITH_ROUND,    // the running match adopts it at its next round
    READER_WITH_MATCH,    // a new match is needed: at the next round, or at once without rounds
    READER_WITH_MAP,      // a new match on another map is needed
    READER_WITH_ROTATION, // a new match is needed, unless no round ends
};

// A capacity that is allocated when an arena starts; raising it needs a new arena.
enum reader_scope { READER_ANY_SCOPE, READER_PLAYERS, READER_SPECTATORS, READER_BOTS };

// The keys of a group.
struct reader_table {
    const struct reader_key *rows;
    int count;
};

struct reader_key {
    const char *name;
    enum reader_kind kind;
    size_t offset; // of the field in the struct that reader_fill fills
    size_t size;   // of the field; 0: a copy of the bytes does not copy the value
    bool required;
    double value, min, max; // of numbers: default and range, inclusive
    bool flag;              // of booleans: default
    const char *unit;       // of numbers, or NULL
    const char *text;       // of texts: default, or NULL
    const char *example;    // of required texts: an accepted value, or NULL
    // Of texts: parses the text into the field; returns false if the text is not accepted. NULL
    // accepts every text and stores nothing.
    bool (*parse)(const char *text, void *field);
    // Of texts and lists, or NULL: loads the value after all keys of the group are read; not called
    // for an absent or wrong value. Receives `into` and `context` of reader_fill.
    void (*load)(reader_node node, void *into, void *context);
    // Of texts and lists that name files, or NULL: whether the loaded files are equal in both
    // structs.
    bool (*same_files)(const void *a, const void *b);
    const char *expected;            // of texts, lists and groups: accepted values, for messages
    const struct reader_table *keys; // of groups, and of lists of groups: those within; or NULL
    bool is_secret; // of texts: messages do not repeat a wrong one, which may be a password
    enum reader_applies applies;
    enum reader_scope scope;
    const char *meaning;
};

// Reads and parses a file. Returns NULL after reporting every syntax error or that memory ran out.
// `named_at` is the location to report if the file cannot be read: where it is named, or NULL for
// the file itself.
struct reader *reader_open(const char *path, const char *named_at, struct diagnostics *diagnostics);

// Reads a text in memory; messages call it `path`. Copies both. Returns NULL after reporting every
// mistake.
struct reader *reader_open_text(const char *path, const char *text,
                                struct diagnostics *diagnostics);

void reader_close(struct reader *reader);

// The root group of the file.
reader_node reader_root(const struct reader *reader);

// Fills a struct from a group and its inner groups. A key that is absent or wrong gets its default.
// Reports wrong values, missing keys and unknown keys, unless a mistake was reported for them
// before. `context` is passed to the keys' `load`.
void reader_fill(reader_node group, const struct reader_key *keys, int count, void *into,
                 void *context);

// Number of items of a list, 0 for anything else.
int reader_count(reader_node list);
reader_node reader_item(reader_node list, int index);

// The member of a group with this name, or the group itself if it has none: a location for error
// messages.
reader_node reader_member(reader_node group, const char *name);

// The member of a group with this name, or an empty node.
reader_node reader_find(reader_node group, const char *name);

bool reader_is_group(reader_node node);
bool reader_is_list(reader_node node);

// Reads a number from min to max, inclusive. Returns false after reporting any other value.
bool reader_number(reader_node node, double min, double max, double *value);

// Reads a text that `accepts` (NULL: any) accepts; valid until reader_close. Returns false after
// reporting any other value as not `expected`.
bool reader_text(reader_node node, bool (*accepts)(const char *text), const char *expected,
                 const char **text);

// Whether no mistake was reported for a value, or there is none.
bool reader_is_good(reader_node node);

// Reports "file:line: key: MESSAGE" as a mistake.
__attribute__((format(printf, 2, 3))) void reader_error(reader_node node, const char *format, ...);

// Reports "file:line: key: got X, want MESSAGE" as a mistake; X is the value.
__attribute__((format(printf, 2, 3))) void reader_value_error(reader_node node, const char *format,
                                                              ...);

// Reports "file:line: key: warning: MESSAGE".
__attribute__((format(printf, 2, 3))) void reader_warn(reader_node node, const char *format, ...);

// Writes "file:line: key", cut to fit.
void reader_key_location(reader_node node, char *location, size_t capacity);

// Writes "file:line", cut to fit; for an empty node, the file.
void reader_location(reader_node node, char *location, size_t capacity);

// Writes a value in the file's syntax: 60, 1.5, true, "text", ( 1, 2 ).
void reader_write_value(struct text_buffer *out, reader_node node);

// Writes a key's default in the file's syntax, cut to fit. Returns false and writes an empty text
// if the key has no default.
bool reader_default(const struct reader_key *key, char *text, size_t capacity);

// Writes a key's meaning, accepted values and default as one line, cut to fit.
void reader_document(const struct reader_key *key, char *line, size_t capacity);

// A sentence about when a change of the key takes effect after a reload.
const char *reader_when(const struct reader_key *key);
