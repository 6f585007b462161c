// SPDX-License-Identifier: MIT
// Makes, searches, reads and writes ban lists.
#define _GNU_SOURCE
#include "bans.h"

#include "state_file.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 256 };

// The mask of the host bits behind a prefix.
static uint32_t host_bits(uint32_t prefix)
{
    return prefix == 0 ? UINT32_MAX : prefix == 32 ? 0 : UINT32_MAX >> prefix;
}

bool bans_parse(const char *text, uint32_t *network, uint32_t *prefix)
{
    char address[INET_ADDRSTRLEN];
    struct in_addr parsed;
    const size_t length = strcspn(text, "/");
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (inet_pton(AF_INET, address, &parsed) != 1)
        return false;
    *network = ntohl(parsed.s_addr);
    *prefix = 32;
    if (text[length] == '\0')
        return true;
    const char *digits = text + length + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count < 1 || count > 2 || digits[count] != '\0')
        return false;
    *prefix = (uint32_t)atoi(digits);
    return *prefix <= 32 && (*network & host_bits(*prefix)) == 0;
}

void bans_print(uint32_t network, uint32_t prefix, char text[BANS_NETWORK_BYTES])
{
    const int length = snprintf(text, BANS_NETWORK_BYTES, "%u.%u.%u.%u", network >> 24,
                                network >> 16 & 255, network >> 8 & 255, network & 255);
    if (prefix < 32)
        snprintf(text + length, BANS_NETWORK_BYTES - (size_t)length, "/%u", prefix & 63);
}

static bool is_over(const struct ban *ban, int64_t now_s)
{
    return ban->until_s != 0 && ban->until_s <= now_s;
}

const struct ban *bans_find(const struct bans *bans, uint32_t address, int64_t now_s)
{
    for (uint32_t i = 0; bans != NULL && i < bans->count; i++) {
        const struct ban *ban = &bans->items[i];
        if ((address & ~host_bits(ban->prefix)) == ban->network && !is_over(ban, now_s))
            return ban;
    }
    return NULL;
}

static bool is_of(const struct ban *ban, uint32_t network, uint32_t prefix)
{
    return ban->network == network && ban->prefix == prefix;
}

bool bans_has(const struct bans *bans, uint32_t network, uint32_t prefix, int64_t now_s)
{
    for (uint32_t i = 0; bans != NULL && i < bans->count; i++)
        if (is_of(&bans->items[i], network, prefix) && !is_over(&bans->items[i], now_s))
            return true;
    return false;
}

struct bans *bans_without(const struct bans *bans, uint32_t network, uint32_t prefix, int64_t now_s)
{
    const size_t count = bans != NULL ? bans->count : 0;
    // One item more than needed, for bans_with.
    struct bans *made = calloc(1, sizeof *made + (count + 1) * sizeof made->items[0]);
    for (size_t i = 0; made != NULL && i < count; i++)
        if (!is_of(&bans->items[i], network, prefix) && !is_over(&bans->items[i], now_s))
            made->items[made->count++] = bans->items[i];
    return made;
}

struct bans *bans_with(const struct bans *bans, const struct ban *ban, int64_t now_s)
{
    struct bans *made = bans_without(bans, ban->network, ban->prefix, now_s);
    if (made == NULL || made->count == BANS_MAX) {
        free(made);
        return NULL;
    }
    made->items[made->count++] = *ban;
    return made;
}

// --- The file: a line "NETWORK UNTIL WHY" per ban ---

static bool parse_line(char *line, struct ban *ban)
{
    line[strcspn(line, "\n")] = '\0';
    char *until = strchr(line, ' ');
    if (until == NULL)
        return false;
    *until++ = '\0';
    char *why;
    errno = 0;
    const long long until_s = strtoll(until, &why, 10);
    if (why == until || errno != 0 || until_s < 0 || *why != ' ' ||
        strlen(why + 1) > RAIM_MAX_TEXT_BYTES)
        return false;
    *ban = (struct ban){.until_s = until_s};
    strcpy(ban->why, why + 1);
    return bans_parse(line, &ban->network, &ban->prefix);
}

struct bans *bans_load(const char *path, char *error, size_t capacity)
{
    char line[LINE_BYTES];
    const char *problem;
    struct bans *bans = calloc(1, sizeof *bans + BANS_MAX * sizeof bans->items[0]);
    if (bans == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    const int descriptor = state_file_open(path, O_RDONLY, STATE_FILE_SHARED, &problem);
    if (descriptor < 0 && errno == ENOENT)
        return bans;
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    bool good = file != NULL;
    if (!good)
        snprintf(error, capacity, "cannot read \"%s\": %s", path,
                 descriptor < 0 ? problem : strerror(errno));
    for (int number = 1; good && fgets(line, sizeof line, file) != NULL; number++) {
        good = bans->count < BANS_MAX && parse_line(line, &bans->items[bans->count]);
        bans->count += good;
        if (!good)
            snprintf(error, capacity, "%s:%d: want NETWORK UNTIL WHY, of at most %d bans", path,
                     number, BANS_MAX);
    }
    if (good && ferror(file)) {
        snprintf(error, capacity, "cannot read \"%s\"", path);
        good = false;
    }
    if (file != NULL)
        fclose(file);
    if (good)
        return bans;
    free(bans);
    return NULL;
}

// Renders the file's text, which the caller frees. Returns NULL with errno on failure.
static char *write_text(const struct bans *bans, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL)
        return NULL;
    for (uint32_t i = 0; i < bans->count; i++) {
        const struct ban *ban = &bans->items[i];
        char network[BANS_NETWORK_BYTES];
        bans_print(ban->network, ban->prefix, network);
        fprintf(out, "%s %" PRId64 " %s\n", network, ban->until_s, ban->why);
    }
    const bool whole = !ferror(out);
    if (fclose(out) == 0 && whole)
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}

bool bans_save(const struct bans *bans, const char *path, char *error, size_t capacity)
{
    size_t size;
    char *text = write_text(bans, &size);
    const bool good = text != NULL && state_file_replace(path, text, size);
    if (!good)
        snprintf(error, capacity, "cannot write \"%s\": %s", path, strerror(errno));
    free(text);
    return good;
}
