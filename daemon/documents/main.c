// SPDX-License-Identifier: MIT
// Makes documents of the rows of metrics, for the build alone: `raimd-documents schema` writes a
// JSON Schema, `raimd-documents manual` a page of the manual, from a template on the standard
// input. In a schema an object with the member "$rows" gets the rows as properties: "server", those
// of the modules; "arena", those of an arena; "history", the columns of the last hour. In the
// manual the line ".rows metrics" is replaced.
#define _GNU_SOURCE
#include "arena_metrics.h"
#include "server_metrics.h"

#include <jansson.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what)
{
    fprintf(stderr, "raimd-documents: %s\n", what);
    exit(EXIT_FAILURE);
}

struct tables {
    const struct metric_table *const *items;
    int count;
};

static const struct tables server_tables = {server_metric_tables, SERVER_METRICS};
static const struct tables arena_tables = {arena_metric_tables, ARENA_METRIC_TABLES};

static void describe(json_t *schema, const char *meaning)
{
    json_object_set_new(schema, "description", json_string(meaning));
}

// An integer of 0 or more, or whatever a row is.
static json_t *value_schema(const struct metric *row)
{
    json_t *schema = json_object();
    describe(schema, row->meaning);
    json_object_set_new(schema, "type",
                        json_string(row->kind == METRIC_FLAG     ? "boolean"
                                    : row->kind == METRIC_TENTHS ? "number"
                                                                 : "integer"));
    if (row->kind != METRIC_FLAG)
        json_object_set_new(schema, "minimum", json_integer(0));
    return schema;
}

static json_t *column_schema(const struct metric *row)
{
    static const char *const words[] = {" Since the sample before.", " A second."};
    char *meaning;
    if (asprintf(&meaning, "%s%s", row->meaning,
                 row->kind == METRIC_COUNTER ? words[row->is_rate] : "") < 0)
        fail("out of memory");
    json_t *schema = json_pack("{s:s, s:s, s:i, s:{s:s, s:i}}", "description", meaning, "type",
                               "array", "maxItems", 360, "items", "type", "integer", "minimum", 0);
    free(meaning);
    return schema;
}

// The member of this name, which is added if it is missing.
static json_t *child(json_t *object, const char *name, json_t *(*make)(void))
{
    if (json_object_get(object, name) == NULL)
        json_object_set_new(object, name, make());
    return json_object_get(object, name);
}

// Adds a property that must be there, unless the template has it.
static void add_property(json_t *object, const char *key, json_t *schema)
{
    json_t *properties = child(object, "properties", json_object);
    if (json_object_get(properties, key) == NULL) {
        json_array_append_new(child(object, "required", json_array), json_string(key));
        json_object_set(properties, key, schema);
    }
    json_decref(schema);
}

static void add_table(json_t *object, const struct metric_table *table)
{
    if (table->write_group != NULL)
        return; // the template has it
    if (table->group != NULL && table->meaning != NULL) {
        json_t *group = json_object();
        describe(group, table->meaning);
        json_object_set_new(group, "type",
                            table->is_optional ? json_pack("[s, s]", "object", "null")
                                               : json_string("object"));
        json_object_set_new(group, "additionalProperties", json_false());
        add_property(object, table->group, group);
        object = json_object_get(json_object_get(object, "properties"), table->group);
    }
    for (int i = 0; i < table->count; i++)
        if (table->rows[i].key != NULL)
            add_property(object, table->rows[i].key, value_schema(&table->rows[i]));
}

static void add_columns(json_t *object)
{
    for (int table = 0; table < ARENA_METRIC_TABLES; table++)
        for (int i = 0; i < arena_metric_tables[table]->count; i++) {
            const struct metric *row = &arena_metric_tables[table]->rows[i];
            if (row->column != NULL)
                add_property(object, row->column, column_schema(row));
        }
}

static void add_rows(json_t *object, const char *which)
{
    const struct tables *tables = strcmp(which, "server") == 0  ? &server_tables
                                  : strcmp(which, "arena") == 0 ? &arena_tables
                                                                : NULL;
    if (strcmp(which, "history") == 0)
        add_columns(object);
    else if (tables == NULL)
        fail("unknown rows in the schema");
    else
        for (int i = 0; i < tables->count; i++)
            add_table(object, tables->items[i]);
}

static void expand(json_t *object)
{
    const char *which = json_string_value(json_object_get(object, "$rows"));
    const char *key;
    json_t *value;
    void *next;
    if (which != NULL)
        add_rows(object, which);
    json_object_del(object, "$rows");
    json_object_foreach_safe(object, next, key, value) if (json_is_object(value)) expand(value);
}

static void write_schema(void)
{
    json_error_t error;
    json_t *schema = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    if (schema == NULL)
        fail(error.text);
    expand(schema);
    if (json_dumpf(schema, stdout, JSON_INDENT(2)) != 0)
        fail("cannot write to the standard output");
    putchar('\n');
    json_decref(schema);
}

// The manual, in scdoc's format.

static void write_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("_*\\#[<>~", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

static void write_item(const char *name, const char *kind, const char *meaning)
{
    putchar('_');
    write_escaped(name);
    printf("_%s\n\t", kind);
    write_escaped(meaning);
    fputs("\n\n", stdout);
}

static void write_families(const struct tables *tables)
{
    for (int i = 0; i < tables->count; i++)
        for (int j = 0; j < tables->items[i]->count; j++) {
            const struct metric *row = &tables->items[i]->rows[j];
            if (row->name != NULL)
                write_item(row->name,
                           row->kind == METRIC_COUNTER     ? " (counter)"
                           : row->kind == METRIC_HISTOGRAM ? " (histogram)"
                                                           : " (gauge)",
                           row->meaning);
        }
}

static void write_manual(void)
{
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        if (strcmp(line, ".rows metrics\n") == 0) {
            write_families(&server_tables);
            write_families(&arena_tables);
        } else {
            fputs(line, stdout);
        }
    }
    free(line);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "schema") == 0)
        write_schema();
    else if (argc == 2 && strcmp(argv[1], "manual") == 0)
        write_manual();
    else
        fail("want schema or manual");
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("cannot write the schema");
    return EXIT_SUCCESS;
}
