// SPDX-License-Identifier: MIT
// Writes the key tables as a configuration file with a comment above each key.
#include "config_reference.h"

#include "config_keys.h"

#include <string.h>

enum { COLUMNS = 100, INDENT = 4, LINE_BYTES = 1024 };

static void print_keys(FILE *out, const struct reader_key *keys, int count, int indent);

// Writes a text as comment lines of at most COLUMNS columns.
static void print_comment(FILE *out, const char *text, int indent)
{
    int column = fprintf(out, "%*s#", indent, "");
    while (*text != '\0') {
        const int length = (int)strcspn(text, " ");
        if (column + 1 + length > COLUMNS) {
            fputc('\n', out);
            column = fprintf(out, "%*s#", indent, "");
        }
        column += fprintf(out, " %.*s", length, text);
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

static void print_inner(FILE *out, const struct reader_key *key, int indent)
{
    const struct reader_key *keys = key->keys->rows;
    const int count = key->keys->count;
    if (key->kind == READER_GROUP) {
        fprintf(out, "%*s%s = {\n", indent, "", key->name);
        print_keys(out, keys, count, indent + INDENT);
        fprintf(out, "%*s};\n", indent, "");
        return;
    }
    fprintf(out, "%*s%s = (\n%*s{\n", indent, "", key->name, indent + INDENT, "");
    print_keys(out, keys, count, indent + 2 * INDENT);
    fprintf(out, "%*s}\n%*s);\n", indent + INDENT, "", indent, "");
}

static void print_key(FILE *out, const struct reader_key *key, int indent)
{
    char line[LINE_BYTES];
    reader_document(key, line, sizeof line);
    if (key->keys == NULL)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", reader_when(key));
    print_comment(out, line, indent);
    if (key->keys != NULL) {
        print_inner(out, key, indent);
        return;
    }
    char value[LINE_BYTES];
    if (reader_default(key, value, sizeof value))
        fprintf(out, "%*s%s = %s;\n", indent, "", key->name, value);
    else if (key->example != NULL)
        fprintf(out, "%*s%s = \"%s\";\n", indent, "", key->name, key->example);
    else
        fprintf(out, "%*s# %s = ;\n", indent, "", key->name);
}

static void print_keys(FILE *out, const struct reader_key *keys, int count, int indent)
{
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fputc('\n', out);
        print_key(out, &keys[i], indent);
    }
}

void config_reference(FILE *out)
{
    int count;
    const struct reader_key *keys = config_keys(CONFIG_ROOT, &count);
    fputs("# Every key of raimd's configuration with its default. See raimd.conf(5).\n\n", out);
    print_keys(out, keys, count, 0);
}
