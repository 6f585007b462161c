// SPDX-License-Identifier: MIT
// Collects pages of recordings with jansson and prints them.
#include "recordings.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 38 };

struct recordings {
    json_t *list;
};

struct recordings *recordings_create(void)
{
    struct recordings *recordings = malloc(sizeof *recordings);
    if (recordings == NULL)
        return NULL;
    recordings->list = json_array();
    if (recordings->list != NULL)
        return recordings;
    free(recordings);
    return NULL;
}

void recordings_destroy(struct recordings *recordings)
{
    if (recordings == NULL)
        return;
    json_decref(recordings->list);
    free(recordings);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static long long number_at(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

bool recordings_add(struct recordings *recordings, const char *text, const char *arena,
                    char next[RECORDING_CURSOR_BYTES])
{
    json_t *page = json_loads(text, 0, NULL), *recording;
    const json_t *list = json_object_get(page, "recordings");
    size_t i;
    bool good = json_is_array(list);
    json_array_foreach(list, i, recording)
    {
        if (arena == NULL || strcmp(text_at(recording, "arena"), arena) == 0)
            good = good && json_array_append(recordings->list, recording) == 0;
    }
    const int size = snprintf(next, RECORDING_CURSOR_BYTES, "%s", text_at(page, "next"));
    json_decref(page);
    return good && size < RECORDING_CURSOR_BYTES && (*next == '\0' || recordings_is_name(next));
}

bool recordings_is_name(const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const size_t length = strspn(text, letters);
    return length > 0 && length < RECORDING_CURSOR_BYTES && text[length] == '\0' && text[0] != '.';
}

bool recordings_print_json(const struct recordings *recordings, FILE *out)
{
    json_t *document = json_pack("{sO}", "recordings", recordings->list);
    const bool good =
        document != NULL && json_dumpf(document, out, JSON_COMPACT | JSON_REAL_PRECISION(12)) == 0;
    json_decref(document);
    return good && fputc('\n', out) != EOF;
}

// Writes the text of a file, which anybody may have written, in at least `width` columns: control
// characters, which a terminal obeys, become question marks.
static void write_text(FILE *out, const char *text, int width)
{
    int written = 0;
    for (const unsigned char *byte = (const unsigned char *)text; *byte != '\0'; byte++) {
        const bool is_c1 = byte[0] == 0xC2 && byte[1] >= 0x80 && byte[1] < 0xA0;
        fputc(*byte < ' ' || *byte == 0x7F || is_c1 ? '?' : *byte, out);
        byte += is_c1;
        written += (*byte & 0xC0) != 0x80 || is_c1;
    }
    fprintf(out, "%*s", width > written ? width - written : 0, "");
}

static void write_recording(FILE *out, const json_t *recording)
{
    const long long length_s = (long long)json_number_value(json_object_get(recording, "length_s"));
    const bool is_readable = json_is_string(json_object_get(recording, "map"));
    char length[32];
    snprintf(length, sizeof length, "%lld:%02lld", length_s / 60, length_s % 60);
    write_text(out, text_at(recording, "name"), NAME_WIDTH);
    fprintf(out, " %6s %7lld %4lld %6.1f %-4s ", length, number_at(recording, "players"),
            number_at(recording, "bots"), (double)number_at(recording, "bytes") / 1e6,
            json_is_true(json_object_get(recording, "kept")) ? "yes" : "");
    write_text(out, is_readable ? text_at(recording, "winner") : "(unreadable)", 0);
    fputc('\n', out);
}

bool recordings_print(const struct recordings *recordings, FILE *out)
{
    size_t i;
    const json_t *recording;
    fprintf(out, "%-*s LENGTH PLAYERS BOTS     MB KEPT WINNER\n", NAME_WIDTH, "NAME");
    json_array_foreach(recordings->list, i, recording) write_recording(out, recording);
    return ferror(out) == 0;
}

bool recordings_print_name(const char *text, FILE *out)
{
    json_t *answer = json_loads(text, 0, NULL);
    const char *name = json_string_value(json_object_get(answer, "recording"));
    const bool good = name != NULL && recordings_is_name(name) && fprintf(out, "%s\n", name) > 0;
    json_decref(answer);
    return good;
}
