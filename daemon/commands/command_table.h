// SPDX-License-Identifier: MIT
// The table of commands and their fields: names, types, ranges, levels and help. raimd executes
// them and raimctl sends them; both are compiled with this table. Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a command is about. Over HTTP a MATCHMAKER's are about arenas made on request.
enum command_scope { COMMAND_SERVER, COMMAND_ARENA, COMMAND_PLAYER, COMMAND_MATCHMAKER };

// Who may give a command in the game or by RCON; each level includes those below.
enum command_level {
    COMMAND_NOBODY, // it is given over HTTP alone
    COMMAND_HELP,
    COMMAND_MODERATE,
    COMMAND_OPERATE,
};

#define FIELD(name, ...) FIELD_##name,
enum command_field {
#include "command_fields.h"
    COMMAND_FIELDS
};
#undef FIELD

#define COMMAND_BIT(field) (UINT32_C(1) << (field))

enum command_type {
    TYPE_STRING,  // of min to max bytes
    TYPE_INTEGER, // from min to max
    TYPE_BOOLEAN,
    TYPE_CHOICE,  // one of `choices`
    TYPE_LIST,    // of strings
    TYPE_TEXTS,   // an object whose members are strings
    TYPE_NUMBERS, // an object whose members are numbers
};

struct command_field_row {
    const char *name; // of the member in JSON
    enum command_type type;
    int64_t min, max;
    const char *choices; // with "|" between them
    const char *word;    // stands for a value in a synopsis
    const char *option;  // of raimctl without "--"; NULL: a word, in the order of the fields
    const char *wrong;   // the problem of another value
    const char *help;
};

struct command_row {
    const char *name; // one or two words
    enum command_scope scope;
    enum command_level level;
    const char *method, *path; // of HTTP; path NULL: /v1/commands/NAME; one may end in "/{id}"
    uint32_t needs, takes;     // fields
    const char *failure;       // the problem if no arena has done it; NULL: none can fail
    const char *answer;        // schema of the answer in openapi.json
    const char *help;
};

extern const struct command_row command_rows[];
extern const int command_count;
extern const struct command_field_row command_fields[COMMAND_FIELDS];

// Finds a command by its name; NULL: there is none.
const struct command_row *command_find(const char *name);

// Finds the command of a request of HTTP; NULL: there is none. `id` is what stands for "{id}", else
// "". `allow` lists the methods of the path; "": the path is unknown.
#define COMMAND_ALLOW_BYTES 32
const struct command_row *command_route(const char *method, const char *path, const char **id,
                                        char allow[COMMAND_ALLOW_BYTES]);

// Writes the name of a command with "-" for spaces, as in its path and in the log.
#define COMMAND_SLUG_BYTES 32
void command_slug(const struct command_row *row, char slug[COMMAND_SLUG_BYTES]);

// Writes the path of HTTP of a command, with `id` in place of "{id}".
#define COMMAND_PATH_BYTES 128
void command_path(const struct command_row *row, const char *id, char path[COMMAND_PATH_BYTES]);

// Whether a command has a field.
bool command_has(const struct command_row *row, enum command_field field);

// Finds a field of a command by its name in JSON; COMMAND_FIELDS: it has none of this name.
enum command_field command_field_find(const struct command_row *row, const char *name);

// Whether a command changes something, and is no question.
bool command_changes(const struct command_row *row);

// Whether a field is a word of a command in the game and by RCON, where "@ARENA" or the place of
// the admin tells the arena, and an address may be that of a player.
bool command_is_word_of_text(const struct command_row *row, enum command_field field);

// Whether a line must have this word.
bool command_needs_word_of_text(const struct command_row *row, enum command_field field);

// Whether an integer or a choice is good; other values are taken as they are.
bool command_check(enum command_field field, const char *value);
