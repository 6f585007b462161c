// SPDX-License-Identifier: MIT
// Reads the synopses of commands, and names in documents of raimd with jansson.
#define _GNU_SOURCE
#include "command_texts.h"

#include "commands.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 128 };

// Prints a word if it begins with what is typed.
static void offer(const char *typed, const char *word)
{
    if (strncmp(word, typed, strlen(typed)) == 0)
        puts(word);
}

// Offers the member `key` of each object in the list `list` of a document.
static void offer_names(const char *socket, const char *path, const char *list, const char *key,
                        const char *typed)
{
    struct reply reply;
    size_t i;
    const json_t *object;
    if (!request_init() ||
        !request_send(socket, &(struct request){.path = path, .seconds = 2}, &reply))
        return;
    json_t *document = json_loads(reply.text, 0, NULL);
    json_array_foreach(json_object_get(document, list), i, object)
    {
        const char *name = json_string_value(json_object_get(object, key));
        if (name != NULL)
            offer(typed, name);
    }
    json_decref(document);
    free(reply.text);
}

// Offers the values that a word of a synopsis stands for, "ARENA" or "yes|no". Returns the exit
// status.
static int offer_values(const char *word, const struct ctl_command *command, const char *socket,
                        const char *typed)
{
    char text[WORD_BYTES];
    snprintf(text, sizeof text, "%s", word);
    const bool is_recording = strncmp(command->name, "recording ", 10) == 0;
    if (strstr(text, "FILE") != NULL || strstr(text, "DIRECTORY") != NULL)
        return EXIT_COMPLETE_FILES;
    if (strstr(text, "ARENA") != NULL)
        offer_names(socket, "/v1/status", "arenas", "name", typed);
    else if (strcmp(text, "ID") == 0)
        offer_names(socket, "/v1/arenas", "arenas", "id", typed);
    else if (strcmp(text, "NAME") == 0 && is_recording)
        offer_names(socket, "/recordings", "recordings", "name", typed);
    else if (islower((unsigned char)text[0]))
        for (char *at = strtok(text, "|"); at != NULL; at = strtok(NULL, "|"))
            offer(typed, at);
    return EXIT_SUCCESS;
}

// Whether a command in front of this one has the same first word, of `length` bytes.
static bool was_offered(int index, size_t length)
{
    const char *name = commands_at(index)->name;
    for (int i = 0; i < index; i++)
        if (strncmp(commands_at(i)->name, name, length) == 0 &&
            strchr(" ", commands_at(i)->name[length]) != NULL)
            return true;
    return false;
}

// Offers the first words of names; or the second ones, where the first is given.
static void offer_commands(const char *first, const char *typed)
{
    for (int i = 0; i < commands_count(); i++) {
        char word[WORD_BYTES];
        const char *name = commands_at(i)->name;
        const size_t length = strcspn(name, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        if (first[0] == '\0' && !was_offered(i, length))
            offer(typed, word);
        else if (strcmp(first, word) == 0 && name[length] == ' ')
            offer(typed, name + length + 1);
    }
}

// The word of a synopsis that stands for the value of an option; "": it has none, or is unknown.
static void find_value(const char *synopsis, const char *option, char word[WORD_BYTES])
{
    char name[COMMANDS_OPTION_BYTES];
    const char *at = synopsis, *value;
    bool has_value;
    word[0] = '\0';
    while (commands_next_option(&at, name, &has_value, &value)) {
        if (!has_value || strcmp(name, option) != 0)
            continue;
        const char *other = strstr(value, "|--"); // "TIME|--until DATE"
        size_t length = strcspn(value, " ]");
        if (other != NULL && (size_t)(other - value) < length)
            length = (size_t)(other - value);
        snprintf(word, WORD_BYTES, "%.*s", (int)length, value);
    }
}

// What stands in front of the word that is completed.
struct typed {
    const char *socket, *option; // option NULL: the word is no value of one
    char *words[WORD_BYTES];
    int count;
};

// Whether an option takes a value, in any command.
static bool takes_value(const char *option)
{
    char word[WORD_BYTES];
    for (int i = 0; i < commands_count(); i++) {
        find_value(commands_at(i)->synopsis, option, word);
        if (word[0] != '\0')
            return true;
    }
    return false;
}

static void read_typed(struct typed *typed, int count, char **words)
{
    for (int i = 0; i < count - 1; i++) {
        const bool is_socket = strcmp(words[i], "-s") == 0 || strcmp(words[i], "--socket") == 0;
        if (words[i][0] != '-') {
            if (typed->count < WORD_BYTES)
                typed->words[typed->count++] = words[i];
        } else if (is_socket || takes_value(words[i] + 2)) {
            if (i + 1 == count - 1)
                typed->option = is_socket ? "socket" : words[i] + 2;
            else if (is_socket)
                typed->socket = words[i + 1];
            i++;
        }
    }
}

int command_texts_complete(int count, char **words, const char *socket)
{
    struct typed typed = {.socket = socket};
    char word[WORD_BYTES];
    int used = 0;
    if (count < 1)
        return EXIT_SUCCESS;
    read_typed(&typed, count, words);
    const char *last = words[count - 1];
    const struct ctl_command *command =
        typed.count > 0 ? commands_find(typed.count, typed.words, &used) : NULL;
    if (typed.option != NULL && strcmp(typed.option, "socket") == 0)
        return EXIT_COMPLETE_FILES;
    if (command == NULL) {
        offer_commands(typed.count > 0 ? typed.words[0] : "", last);
        if (typed.count == 0)
            for (const char *const *at =
                     (const char *const[]){"--socket", "--version", "--help", "--usage", NULL};
                 *at != NULL; at++)
                offer(last, *at);
        return EXIT_SUCCESS;
    }
    if (typed.option != NULL) {
        find_value(command->synopsis, typed.option, word);
        return offer_values(word, command, typed.socket, last);
    }
    const char *at = command->synopsis, *value;
    bool has_value;
    char name[COMMANDS_OPTION_BYTES + 2] = "--";
    while (commands_next_option(&at, name + 2, &has_value, &value))
        offer(last, name);
    if (last[0] == '-' || !commands_word(command->synopsis, typed.count - used, word, sizeof word))
        return EXIT_SUCCESS;
    char *end = word + strlen(word);
    if (word[0] == '[' && end[-1] == ']')
        end[-1] = '\0';
    return offer_values(word + (word[0] == '['), command, typed.socket, last);
}

// Prints a synopsis with the words that stand for values underlined.
static void print_synopsis(FILE *out, const char *synopsis)
{
    for (const char *at = synopsis; *at != '\0';) {
        size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (length > 0)
            fprintf(out, "_%.*s_", (int)length, at);
        else
            fputc(at[length++], out);
        at += length;
    }
}

static void print_options(FILE *out, const struct command_row *row)
{
    for (int i = 0; i < COMMAND_FIELDS; i++)
        if (command_has(row, (enum command_field)i) && command_fields[i].option != NULL &&
            i != FIELD_FROM)
            fprintf(out, " *--%s*: %s.", command_fields[i].option, command_fields[i].help);
}

void command_texts_print_manual(FILE *out)
{
    for (int i = 0; i < commands_count(); i++) {
        const struct ctl_command *command = commands_at(i);
        fprintf(out, "*%s* ", command->name);
        print_synopsis(out, command->synopsis);
        fprintf(out, "\n\t%s.", command->help);
        if (command->row != NULL)
            print_options(out, command->row);
        fputs("\n\n", out);
    }
}
