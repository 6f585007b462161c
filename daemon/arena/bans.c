// SPDX-License-Identifier: MIT
// Makes, searches, reads and writes ban lists.
#define _GNU_SOURCE
#include "bans.h"

#include "name.h"
#include "state_file.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { LINE_BYTES = 288, IPV6_HOST_PREFIX = 64, WIDE_V4_PREFIX = 8, WIDE_V6_PREFIX = 16 };

// The leading bits of an address.
static struct ip_address leading(struct ip_address ip, uint32_t prefix)
{
    const uint64_t high = prefix == 0 ? 0 : prefix >= 64 ? UINT64_MAX : UINT64_MAX << (64 - prefix);
    const uint64_t low = prefix <= 64 ? 0 : UINT64_MAX << (128 - prefix);
    return (struct ip_address){ip.high & high, ip.low & low};
}

static bool parse_address(const char *text, struct ip_address *ip)
{
    struct in_addr v4;
    struct in6_addr v6;
    uint64_t parts[2];
    if (inet_pton(AF_INET, text, &v4) == 1) {
        *ip = ip_address_v4(ntohl(v4.s_addr));
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return false;
    memcpy(parts, &v6, sizeof parts);
    *ip = (struct ip_address){be64toh(parts[0]), be64toh(parts[1])};
    return true;
}

// The prefix of a host, when none is written: a host of an IPv6 network can use all addresses of
// its /64, but one of a link has as many neighbours there.
static uint32_t host_prefix(struct ip_address ip)
{
    const bool is_link_local = ip.high >> 54 == 0xFE80 >> 6;
    return ip_address_is_v4(ip) || ip_address_is_loopback(ip) || is_link_local ? IP_PREFIX_MAX
                                                                               : IPV6_HOST_PREFIX;
}

bool bans_parse(const char *text, struct ip_address *network, uint32_t *prefix)
{
    char address[INET6_ADDRSTRLEN];
    const size_t length = strcspn(text, "/");
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (!parse_address(address, network))
        return false;
    if (text[length] == '\0') {
        *network = ip_address_untranslated(*network);
        *prefix = host_prefix(*network);
        *network = leading(*network, *prefix);
        return true;
    }
    const char *digits = text + length + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count < 1 || count > 3 || digits[count] != '\0')
        return false;
    // The prefix of a dotted address counts from its first bit.
    const bool is_dotted = strchr(address, ':') == NULL;
    *prefix = (uint32_t)atoi(digits) + (is_dotted ? IP_V4_PREFIX : 0);
    if (*prefix > IP_PREFIX_MAX || !ip_address_equal(leading(*network, *prefix), *network))
        return false;
    if (*prefix > IP_V4_PREFIX) // 64:ff9b::/96 stays what it is: it is not all of IPv4
        *network = ip_address_untranslated(*network);
    return true;
}

void bans_print_address(struct ip_address ip, char text[BANS_NETWORK_BYTES])
{
    const uint64_t parts[] = {htobe64(ip.high), htobe64(ip.low)};
    const struct in_addr v4 = {htonl((uint32_t)ip.low)};
    if (ip_address_is_v4(ip))
        inet_ntop(AF_INET, &v4, text, BANS_NETWORK_BYTES);
    else
        inet_ntop(AF_INET6, parts, text, BANS_NETWORK_BYTES);
}

void bans_print(struct ip_address network, uint32_t prefix, char text[BANS_NETWORK_BYTES])
{
    const bool is_v4 = ip_address_is_v4(network) && prefix >= IP_V4_PREFIX;
    bans_print_address(network, text);
    const size_t length = strlen(text);
    if (!is_v4 || prefix < IP_PREFIX_MAX)
        snprintf(text + length, BANS_NETWORK_BYTES - length, "/%u",
                 prefix - (is_v4 ? IP_V4_PREFIX : 0));
}

static bool is_over(const struct ban *ban, int64_t now_s)
{
    return ban->until_s != 0 && ban->until_s <= now_s;
}

static bool covers(struct ip_address network, uint32_t prefix, struct ip_address ip)
{
    return ip_address_equal(leading(ip, prefix), network) &&
           (!ip_address_is_v4(ip) || prefix >= IP_V4_PREFIX);
}

bool bans_covers(struct ip_address network, uint32_t prefix, struct ip_address ip)
{
    return covers(network, prefix, ip) || covers(network, prefix, ip_address_untranslated(ip));
}

bool bans_is_wide(struct ip_address network, uint32_t prefix)
{
    const bool is_v4 = ip_address_is_v4(network) && prefix >= IP_V4_PREFIX;
    return is_v4 ? prefix < IP_V4_PREFIX + WIDE_V4_PREFIX : prefix < WIDE_V6_PREFIX;
}

// The search: the last network that begins at or below an address, or one around that, is the
// smallest one that covers the address.

static int compare_addresses(struct ip_address a, struct ip_address b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

// Orders networks by their first address, the larger network first.
static int compare_keys(const void *a, const void *b)
{
    const struct ban_key *one = a, *other = b;
    const int order = compare_addresses(one->network, other->network);
    return order != 0 ? order : (one->prefix > other->prefix) - (one->prefix < other->prefix);
}

struct bans *bans_allocate(uint32_t capacity)
{
    const size_t items = sizeof(struct bans) + capacity * sizeof(struct ban);
    struct bans *bans = calloc(1, items + capacity * sizeof(struct ban_key));
    if (bans != NULL)
        bans->keys = (struct ban_key *)((char *)bans + items);
    return bans;
}

void bans_sort(struct bans *bans)
{
    for (uint32_t i = 0; i < bans->count; i++)
        bans->keys[i] = (struct ban_key){
            .network = bans->items[i].network, .prefix = bans->items[i].prefix, .item = i};
    if (bans->count > 0)
        qsort(bans->keys, bans->count, sizeof *bans->keys, compare_keys);
    for (uint32_t i = 0; i < bans->count; i++) {
        uint32_t parent = i > 0 ? i - 1 : BANS_NO_PARENT;
        while (parent != BANS_NO_PARENT &&
               !ip_address_equal(leading(bans->keys[i].network, bans->keys[parent].prefix),
                                 bans->keys[parent].network))
            parent = bans->keys[parent].parent;
        bans->keys[i].parent = parent;
    }
}

// The number of keys that begin at or below an address.
static uint32_t count_below(const struct bans *bans, struct ip_address ip)
{
    uint32_t low = 0, high = bans->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_addresses(bans->keys[middle].network, ip) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct ban *find(const struct bans *bans, struct ip_address ip, int64_t now_s)
{
    const uint32_t below = count_below(bans, ip);
    uint32_t at = below > 0 ? below - 1 : BANS_NO_PARENT;
    for (; at != BANS_NO_PARENT; at = bans->keys[at].parent) {
        const struct ban_key *key = &bans->keys[at];
        const struct ban *ban = &bans->items[key->item];
        if (covers(key->network, key->prefix, ip) && !is_over(ban, now_s))
            return ban;
    }
    return NULL;
}

const struct ban *bans_find(const struct bans *bans, struct ip_address ip, int64_t now_s)
{
    const struct ip_address untranslated = ip_address_untranslated(ip);
    const struct ban *ban = NULL;
    for (; bans != NULL && ban == NULL; bans = bans->foreign) {
        ban = find(bans, ip, now_s);
        if (ban == NULL && !ip_address_equal(ip, untranslated))
            ban = find(bans, untranslated, now_s);
    }
    return ban;
}

const char *bans_reason(const struct bans *bans, struct ip_address ip)
{
    struct timespec now;
    if (bans == NULL || (bans->count == 0 && bans->foreign == NULL))
        return NULL;
    clock_gettime(CLOCK_REALTIME, &now);
    const struct ban *ban = bans_find(bans, ip, now.tv_sec);
    return ban != NULL ? ban->why : NULL;
}

static bool is_of(const struct ban *ban, struct ip_address network, uint32_t prefix)
{
    return ip_address_equal(ban->network, network) && ban->prefix == prefix;
}

bool bans_has(const struct bans *bans, struct ip_address network, uint32_t prefix, int64_t now_s)
{
    for (uint32_t i = 0; bans != NULL && i < bans->count; i++)
        if (is_of(&bans->items[i], network, prefix) && !is_over(&bans->items[i], now_s))
            return true;
    return false;
}

struct bans *bans_without(const struct bans *bans, struct ip_address network, uint32_t prefix,
                          int64_t now_s)
{
    const size_t count = bans != NULL ? bans->count : 0;
    // One item more than needed, for bans_with.
    struct bans *made = bans_allocate((uint32_t)count + 1);
    if (made == NULL)
        return NULL;
    made->foreign = bans != NULL ? bans->foreign : NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_of(&bans->items[i], network, prefix) && !is_over(&bans->items[i], now_s))
            made->items[made->count++] = bans->items[i];
    bans_sort(made);
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
    bans_sort(made);
    return made;
}

// The file: the line of its form, and a line "NETWORK UNTIL BY WHY" per ban. Without a WHO it
// has "-". Files of the first form have no line of their form, and "NETWORK UNTIL WHY".

static const char form_start[] = "raimd bans "; // of this form and those to come
static const char form_line[] = "raimd bans 2\n";

// Takes the next word of a line and the blank after it; NULL: there is none.
static char *take_word(char **line)
{
    char *word = *line, *end = strchr(word, ' ');
    if (end == NULL)
        return NULL;
    *end = '\0';
    *line = end + 1;
    return word;
}

static bool parse_line(char *line, bool has_by, struct ban *ban)
{
    line[strcspn(line, "\n")] = '\0';
    char *rest = line, *end;
    const char *network = take_word(&rest), *until = network != NULL ? take_word(&rest) : NULL;
    const char *by = has_by && until != NULL ? take_word(&rest) : "-";
    if (until == NULL || by == NULL)
        return false;
    errno = 0;
    const long long until_s = strtoll(until, &end, 10);
    if (end == until || *end != '\0' || errno != 0 || until_s < 0 ||
        strlen(rest) > RAIM_MAX_TEXT_BYTES || strlen(by) >= BANS_BY_BYTES)
        return false;
    *ban = (struct ban){.until_s = until_s};
    strcpy(ban->why, rest);
    strcpy(ban->by, strcmp(by, "-") != 0 ? by : "");
    return bans_parse(network, &ban->network, &ban->prefix);
}

// Keeps a line that cannot be read as a ban.
static void keep_line(struct bans_unread *unread, const char *line, size_t size, uint32_t number)
{
    text_buffer_add(&unread->text, line, size);
    if (line[size - 1] != '\n')
        text_buffer_add(&unread->text, "\n", 1);
    unread->first = unread->lines++ == 0 ? number : unread->first;
}

// Adds the bans of a file to a list that has room for BANS_MAX. Returns false where it cannot be
// read, or memory runs out.
static bool read_lines(FILE *file, struct bans *bans, struct bans_unread *unread)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t size;
    bool has_by = false;
    for (uint32_t number = 1; (size = getline(&line, &capacity, file)) > 0; number++) {
        char copy[LINE_BYTES];
        if (number == 1 && strncmp(line, form_start, strlen(form_start)) == 0) {
            has_by = true;
            continue;
        }
        const bool is_short = (size_t)size < sizeof copy && strlen(line) == (size_t)size;
        if (is_short)
            strcpy(copy, line);
        if (is_short && bans->count < BANS_MAX &&
            parse_line(copy, has_by, &bans->items[bans->count]))
            bans->count++;
        else
            keep_line(unread, line, (size_t)size, number);
    }
    free(line);
    return feof(file) && !ferror(file) && !unread->text.no_memory;
}

struct bans *bans_load(const char *path, struct bans_unread *unread, char *error, size_t capacity)
{
    const char *problem;
    struct stat status;
    struct bans *bans = bans_allocate(BANS_MAX);
    if (bans == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    const int descriptor = state_file_open(path, O_RDONLY, STATE_FILE_SHARED, &problem);
    if (descriptor < 0 && errno == ENOENT)
        return bans;
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    bool good = file != NULL && fstat(descriptor, &status) == 0;
    if (!good) {
        snprintf(error, capacity, "cannot read \"%s\": %s", path,
                 descriptor < 0 ? problem : strerror(errno));
    } else if (status.st_size > BANS_MAX_FILE_BYTES) {
        snprintf(error, capacity, "cannot read \"%s\": it has more than %d bytes", path,
                 BANS_MAX_FILE_BYTES);
        good = false;
    } else if (!(good = read_lines(file, bans, unread))) {
        snprintf(error, capacity, "cannot read \"%s\"", path);
    }
    if (file != NULL)
        fclose(file);
    if (good) {
        bans_sort(bans);
        return bans;
    }
    free(bans);
    return NULL;
}

char *bans_text(const struct bans *bans, const struct bans_unread *unread, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL)
        return NULL;
    fputs(form_line, out);
    for (uint32_t i = 0; i < bans->count; i++) {
        const struct ban *ban = &bans->items[i];
        char network[BANS_NETWORK_BYTES];
        bans_print(ban->network, ban->prefix, network);
        fprintf(out, "%s %" PRId64 " %s %s\n", network, ban->until_s,
                ban->by[0] != '\0' ? ban->by : "-", ban->why);
    }
    if (unread->text.size > 0)
        fwrite(unread->text.text, 1, unread->text.size, out);
    const bool whole = !ferror(out);
    if (fclose(out) == 0 && whole)
        return text;
    free(text);
    return NULL;
}

static const char giver[] = "list";

// Reads a time of UTC at the beginning of a text and moves past it. Returns false for another
// text, which then is a reason, unless it begins like a time.
static bool read_until(char **text, int64_t *until_s, const char **problem)
{
    static const char *const forms[] = {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"};
    const size_t length = strcspn(*text, " ");
    const bool looks_like_it = length >= 10 && strspn(*text, "0123456789") == 4 &&
                               (*text)[4] == '-' && strspn(*text + 5, "0123456789") == 2 &&
                               (*text)[7] == '-';
    for (size_t i = 0; looks_like_it && i < sizeof forms / sizeof *forms; i++) {
        struct tm when = {0};
        const char *end = strptime(*text, forms[i], &when);
        if (end != *text + length || timegm(&when) <= 0)
            continue;
        *until_s = timegm(&when);
        *text += length;
        *text += **text == ' ';
        return true;
    }
    if (looks_like_it)
        *problem = "want a time like 2026-01-31 or 2026-01-31T18:00:00Z";
    return false;
}

// Reads a line without its end. Returns what is wrong with it; NULL: nothing.
static const char *read_line(char *line, struct ban *ban)
{
    char cleaned[RAIM_MAX_TEXT_BYTES + 1];
    const char *problem = NULL;
    char *rest = line + strcspn(line, " ");
    if (*rest == ' ')
        *rest++ = '\0';
    *ban = (struct ban){0};
    if (!bans_parse(line, &ban->network, &ban->prefix))
        return "want an address or a network with no bits set after its prefix";
    if (bans_is_wide(ban->network, ban->prefix))
        return "a list may ban no network wider than /8, or /16 of IPv6";
    read_until(&rest, &ban->until_s, &problem);
    if (problem != NULL)
        return problem;
    if (*rest != '\0' &&
        (!raim_text_clean(rest, cleaned, RAIM_MAX_TEXT_BYTES) || strcmp(rest, cleaned) != 0))
        return "want a reason of at most 120 bytes of UTF-8 without anything invisible";
    strcpy(ban->why, rest);
    strcpy(ban->by, giver);
    return NULL;
}

static bool is_comment(const char *line)
{
    return line[0] == '\0' || line[0] == '#';
}

// The number of lines that are no comments, which bounds the memory of the list.
static uint32_t count_networks(const char *text)
{
    uint32_t count = 0;
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        count += !(line[0] == '\n' || strncmp(line, "\r\n", 2) == 0 || line[0] == '#');
        line = end != NULL ? end + 1 : NULL;
    }
    return count;
}

struct bans *ban_list_read(char *text, size_t size, char *error, size_t capacity)
{
    if (size > BAN_LIST_MAX_BYTES || memchr(text, '\0', size) != NULL) {
        snprintf(error, capacity, "want a text of at most %zu bytes", BAN_LIST_MAX_BYTES);
        return NULL;
    }
    const uint32_t count = count_networks(text);
    if (count > BAN_LIST_MAX) {
        snprintf(error, capacity, "got %u networks, want at most %d", count, BAN_LIST_MAX);
        return NULL;
    }
    struct bans *bans = bans_allocate(count);
    if (bans == NULL) {
        snprintf(error, capacity, "out of memory");
        return NULL;
    }
    int number = 1;
    for (char *line = text, *next; line != NULL && *line != '\0'; line = next, number++) {
        char *end = strchr(line, '\n');
        next = end != NULL ? end + 1 : NULL;
        if (end == NULL)
            end = line + strlen(line);
        *end = '\0';
        if (end > line && end[-1] == '\r')
            end[-1] = '\0';
        if (is_comment(line))
            continue;
        const char *problem = read_line(line, &bans->items[bans->count]);
        if (problem != NULL) {
            snprintf(error, capacity, "line %d: %s", number, problem);
            free(bans);
            return NULL;
        }
        bans->count++;
    }
    bans_sort(bans);
    return bans;
}
