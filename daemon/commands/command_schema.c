// SPDX-License-Identifier: MIT
// Writes rows as JSON schemas and as operations of OpenAPI.
#include "command_schema.h"

#include "command_table.h"
#include "json_writer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const scopes[] = {
    [COMMAND_SERVER] = "server",
    [COMMAND_ARENA] = "arena",
    [COMMAND_PLAYER] = "player",
    [COMMAND_MATCHMAKER] = "matchmaker",
};
static const char *const levels[] = {
    [COMMAND_NOBODY] = NULL,
    [COMMAND_HELP] = "help",
    [COMMAND_MODERATE] = "moderate",
    [COMMAND_OPERATE] = "operate",
};
static const char *const types[] = {
    [TYPE_STRING] = "string",  [TYPE_INTEGER] = "integer", [TYPE_BOOLEAN] = "boolean",
    [TYPE_CHOICE] = "string",  [TYPE_LIST] = "array",      [TYPE_TEXTS] = "object",
    [TYPE_NUMBERS] = "object",
};

static void write_choices(struct json_writer *json, const char *choices)
{
    json_begin_array(json, "enum");
    for (const char *at = choices; *at != '\0';) {
        char choice[32];
        const size_t length = strcspn(at, "|");
        snprintf(choice, sizeof choice, "%.*s", (int)length, at);
        json_write_text(json, NULL, choice);
        at += length + (at[length] == '|');
    }
    json_write_end(json);
}

static void write_field(struct json_writer *json, enum command_field field)
{
    const struct command_field_row *row = &command_fields[field];
    json_begin_object(json, row->name);
    json_write_text(json, "type", types[row->type]);
    json_write_text(json, "description", row->help);
    if (row->max > 0) {
        const bool is_number = row->type == TYPE_INTEGER;
        json_write_number(json, is_number ? "minimum" : "minLength", row->min);
        json_write_number(json, is_number ? "maximum" : "maxLength", row->max);
    }
    if (row->type == TYPE_CHOICE)
        write_choices(json, row->choices);
    if (row->type == TYPE_LIST)
        json_write_document(json, "items", "{\"type\":\"string\"}");
    if (row->type == TYPE_NUMBERS)
        json_write_document(json, "additionalProperties", "{\"type\":\"number\"}");
    if (row->type == TYPE_TEXTS) { // ARENA_REQUEST_MAX_METADATA
        json_write_number(json, "maxProperties", 16);
        json_write_document(json, "propertyNames", "{\"minLength\":1,\"maxLength\":63}");
        json_write_document(json, "additionalProperties",
                            "{\"type\":\"string\",\"maxLength\":255}");
    }
    json_write_end(json);
}

// Writes the schema of the body: every field but the one in the path.
static void write_schema(struct json_writer *json, const char *key, const struct command_row *row)
{
    json_begin_object(json, key);
    json_write_text(json, "type", "object");
    json_write_flag(json, "additionalProperties", false);
    json_begin_object(json, "properties");
    for (int i = 0; i < COMMAND_FIELDS; i++)
        if (i != FIELD_ID && command_has(row, (enum command_field)i))
            write_field(json, (enum command_field)i);
    json_write_end(json);
    json_begin_array(json, "required");
    for (int i = 0; i < COMMAND_FIELDS; i++)
        if (i != FIELD_ID && (row->needs & COMMAND_BIT(i)) != 0)
            json_write_text(json, NULL, command_fields[i].name);
    json_write_end(json);
    json_write_end(json);
}

char *command_list_json(void)
{
    struct json_writer json = {0};
    char path[COMMAND_PATH_BYTES];
    json_begin_object(&json, NULL);
    json_begin_array(&json, "commands");
    for (int i = 0; i < command_count; i++) {
        const struct command_row *row = &command_rows[i];
        command_path(row, "{id}", path);
        json_begin_object(&json, NULL);
        json_write_text(&json, "name", row->name);
        json_write_text(&json, "scope", scopes[row->scope]);
        json_write_text(&json, "level", levels[row->level]);
        json_write_text(&json, "method", row->method);
        json_write_text(&json, "path", path);
        json_write_text(&json, "help", row->help);
        write_schema(&json, "fields", row);
        json_write_end(&json);
    }
    json_write_end(&json);
    json_write_end(&json);
    return json_write_take(&json);
}

// Begins a body of JSON, in whose object the schema follows.
static void begin_content(struct json_writer *json)
{
    json_begin_object(json, "content");
    json_begin_object(json, "application/json");
}

static void end_content(struct json_writer *json)
{
    json_write_end(json);
    json_write_end(json);
}

static void write_answer(struct json_writer *json, const char *status, const char *description,
                         const char *schema)
{
    char reference[64];
    snprintf(reference, sizeof reference, "#/components/schemas/%s", schema);
    json_begin_object(json, status);
    json_write_text(json, "description", description);
    begin_content(json);
    json_begin_object(json, "schema");
    json_write_text(json, "$ref", reference);
    json_write_end(json);
    end_content(json);
    json_write_end(json);
}

static void write_answers(struct json_writer *json, const struct command_row *row)
{
    static const struct {
        const char *status, *description;
    } problems[] = {
        {"401", "Over TCP with control_token_file: the bearer token is missing or wrong."},
        {"403", "Over TCP: the command wants a token or a client certificate; or a page of another "
                "origin asks."},
        {"404", "There is no such path, arena or recording."},
        {"405", "The path has other methods, see the header Allow."},
        {"409", "It cannot be done now; the error says why."},
        {"413", "The body is longer than 64 kB."},
        {"421", "The header Host names another host."},
        {"500", "Memory has run out."},
        {"504", "There was no answer in two seconds."},
    };
    const bool is_put = strcmp(row->method, "PUT") == 0;
    const char *answer = row->answer != NULL ? row->answer : "Done";
    write_answer(json, "200", "It is done, or how it is now.", answer);
    if (is_put)
        write_answer(json, "201", "It is made.", answer);
    if (strcmp(row->method, "DELETE") == 0)
        write_answer(json, "202", "It ends; the event arena_ended says when it has.", answer);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        write_answer(json, problems[i].status, problems[i].description, "Problem");
    if (row->scope == COMMAND_MATCHMAKER)
        write_answer(json, "422", "Every mistake of the request.", "Mistakes");
    else
        write_answer(json, "400", "A field is missing, unknown or has a wrong value.", "Problem");
    write_answer(json, "503",
                 "Too many requests are pending, no port is free, or new arenas are not accepted.",
                 is_put ? "Busy" : "Problem");
}

static void write_operation(struct json_writer *json, const struct command_row *row)
{
    static const char id[] =
        "[{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"description\":\"Your own id of the "
        "arena; neither \\\".\\\" nor \\\"..\\\".\",\"schema\":{\"type\":\"string\","
        "\"pattern\":\"^[A-Za-z0-9._-]{1,63}$\"}}]";
    char method[16] = "", slug[COMMAND_SLUG_BYTES];
    for (size_t i = 0; row->method[i] != '\0'; i++)
        method[i] = (char)tolower((unsigned char)row->method[i]);
    command_slug(row, slug);
    json_begin_object(json, method);
    json_write_text(json, "operationId", slug);
    json_write_text(json, "summary", row->help);
    if (command_has(row, FIELD_ID))
        json_write_document(json, "parameters", id);
    if (strcmp(row->method, "GET") != 0) {
        json_begin_object(json, "requestBody");
        begin_content(json);
        write_schema(json, "schema", row);
        end_content(json);
        json_write_end(json);
    }
    json_begin_object(json, "responses");
    write_answers(json, row);
    json_write_end(json);
    json_write_end(json);
}

static bool has_path(const struct command_row *row, const char *path)
{
    char own[COMMAND_PATH_BYTES];
    command_path(row, "{id}", own);
    return strcmp(own, path) == 0;
}

char *command_paths_json(void)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    for (int i = 0; i < command_count; i++) {
        char path[COMMAND_PATH_BYTES];
        int first = 0;
        command_path(&command_rows[i], "{id}", path);
        while (!has_path(&command_rows[first], path))
            first++;
        if (first < i)
            continue; // written with its first method
        json_begin_object(&json, path);
        for (int j = i; j < command_count; j++)
            if (has_path(&command_rows[j], path))
                write_operation(&json, &command_rows[j]);
        json_write_end(&json);
    }
    json_write_end(&json);
    return json_write_take(&json);
}
