// SPDX-License-Identifier: MIT
// Ban lists: the addresses of a network, expiry, and the file.
#define _GNU_SOURCE
#include "bans.h"
#include "chance.h"
#include "files_fixture.h"
#include "state_file.h"

#include <arpa/inet.h>

enum { NOW = 1000000 };

static const char *path; // of a file

static void set_up(void)
{
    path = path_in(test_directory(), "bans");
}

TEST_EACH(set_up, NULL)

static struct ban ban_of(const char *network, int64_t until_s, const char *why)
{
    struct ban ban = {.until_s = until_s};
    assert_true(bans_parse(network, &ban.network, &ban.prefix));
    strcpy(ban.why, why);
    return ban;
}

// Frees the list before.
static struct bans *add(struct bans *bans, const char *network, int64_t until_s, const char *why)
{
    const struct ban ban = ban_of(network, until_s, why);
    struct bans *made = bans_with(bans, &ban, NOW);
    assert_non_null(made);
    free(bans);
    return made;
}

static struct ip_address address_of(const char *text)
{
    char v6[64];
    uint8_t bytes[16];
    struct ip_address address = {0};
    snprintf(v6, sizeof v6, "%s%s", strchr(text, ':') != NULL ? "" : "::ffff:", text);
    assert_int_equal(inet_pton(AF_INET6, v6, bytes), 1);
    for (int i = 0; i < 8; i++) {
        address.high = address.high << 8 | bytes[i];
        address.low = address.low << 8 | bytes[8 + i];
    }
    return address;
}

TEST(networks_are_read_as_they_are_written)
{
    static const char *const good[] = {
        "192.0.2.1",    "0.0.0.0/0", "10.0.0.0/8",    "0.0.0.0",        "255.255.255.255",
        "192.0.2.2/31", "::/0",      "2001:db8::/32", "2001:db8::/64",  "2001:db8::1/128",
        "::1/128",      "8000::/1",  "fe80::/10",     "2001:db8::2/127"};
    static const char *const bad[] = {"",
                                      "192.0.2",
                                      "192.0.2.1/24",
                                      "192.0.2.0/33",
                                      "192.0.2.0/",
                                      "192.0.2.0/-1",
                                      "192.0.2.0/8x",
                                      "192.0.2.1 ",
                                      "::1/64",
                                      "/8",
                                      "1.2.3.4/332",
                                      "1.2.3.256",
                                      "2001:db8::/129",
                                      "2001:db8::1/64",
                                      "2001:db8::/",
                                      "[::1]",
                                      ":::",
                                      "::ffff:0:0/95",
                                      "fe80::1%lo",
                                      "2001:db8::/0"};
    struct ip_address network;
    uint32_t prefix;
    char text[BANS_NETWORK_BYTES];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(bans_parse(good[i], &network, &prefix));
        bans_print(network, prefix, text);
        assert_string_equal(text, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (bans_parse(bad[i], &network, &prefix))
            fail_msg("\"%s\" was taken for a network", bad[i]);
}

TEST(a_ban_keeps_out_its_network_and_no_other)
{
    static const struct {
        const char *ban, *inside, *outside; // "": none
    } rows[] = {
        {"192.0.2.0/24", "192.0.2.0", "192.0.1.255"},
        {"192.0.2.0/24", "192.0.2.255", "192.0.3.0"},
        {"198.51.100.7", "198.51.100.7", "198.51.100.6"},
        {"0.0.0.0/0", "203.0.113.5", "2001:db8::1"},
        {"2001:db8::/32", "2001:db8:ffff::1", "2001:db9::1"},
        {"2001:db9::1/128", "2001:db9::1", "2001:db9::2"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::", "2001:db8:1:3::"}, // a host: its /64
        {"fe80::1", "fe80::1", "fe80::2"},
        // An IPv4 address that is mapped to IPv6 or translated is the IPv4 address.
        {"192.0.2.0/24", "::ffff:192.0.2.9", "::192.0.2.9"},
        {"192.0.2.0/24", "::ffff:192.0.2.9", "::ffff:192.0.3.9"},
        {"::ffff:198.51.100.7", "198.51.100.7", "198.51.100.8"},
        {"::/0", "2001:db8::1", "192.0.2.1"},
        {"1.2.3.4", "64:ff9b::102:304", "64:ff9b:1::102:304"},
        {"1.2.3.0/24", "64:ff9b::1.2.3.9", "64:ff9b::1.2.4.9"},
        {"64:ff9b::1.2.3.4", "1.2.3.4", "64:ff9b::1.2.3.5"},
        {"64:ff9b::1.2.3.0/120", "1.2.3.200", "1.2.4.200"},
        {"64:ff9b::/96", "64:ff9b::1.2.3.4", "1.2.3.4"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bans *bans = add(NULL, rows[i].ban, 0, "why");
        if (bans_find(bans, address_of(rows[i].inside), NOW) == NULL ||
            bans_find(bans, address_of(rows[i].outside), NOW) != NULL)
            fail_msg("%s", rows[i].ban);
        free(bans);
    }
    assert_null(bans_find(NULL, address_of("192.0.2.1"), NOW));
    const struct ban host = ban_of("2001:db8:1:2:3:4:5:6", 0, "");
    char text[BANS_NETWORK_BYTES];
    bans_print(host.network, host.prefix, text);
    assert_string_equal(text, "2001:db8:1:2::/64");
}

TEST(a_ban_ends_in_its_second)
{
    struct bans *bans = add(NULL, "192.0.2.1", NOW + 10, "");
    assert_non_null(bans_find(bans, address_of("192.0.2.1"), NOW + 9));
    assert_null(bans_find(bans, address_of("192.0.2.1"), NOW + 10));
    const struct ban other = ban_of("192.0.2.2", 0, "");
    struct bans *later = bans_with(bans, &other, NOW + 10);
    assert_int_equal(later->count, 1); // expired bans are dropped
    free(later);
    free(bans);
}

TEST(a_network_is_banned_once_with_the_newest_reason)
{
    struct bans *bans = add(NULL, "192.0.2.0/24", NOW + 5, "first");
    bans = add(bans, "192.0.2.0/24", 0, "second");
    assert_int_equal(bans->count, 1);
    assert_string_equal(bans->items[0].why, "second");
    struct ip_address network;
    uint32_t prefix;
    assert_true(bans_parse("192.0.2.0/24", &network, &prefix));
    assert_true(bans_has(bans, network, prefix, NOW));
    assert_false(bans_has(bans, network, 25, NOW));
    struct bans *without = bans_without(bans, network, prefix, NOW);
    assert_int_equal(without->count, 0);
    free(without);
    free(bans);
}

TEST(too_many_bans_are_rejected)
{
    struct bans *bans = bans_allocate(BANS_MAX);
    bans->count = BANS_MAX;
    for (uint32_t i = 0; i < BANS_MAX; i++)
        bans->items[i] = (struct ban){.network.low = i, .prefix = 128};
    struct ban ban = {.network.low = BANS_MAX, .prefix = 128};
    assert_null(bans_with(bans, &ban, NOW));
    ban.network.low = 7; // replaces a ban of an equal network
    struct bans *made = bans_with(bans, &ban, NOW);
    assert_int_equal(made->count, BANS_MAX);
    free(made);
    free(bans);
}

TEST(a_saved_list_is_loaded)
{
    struct bans_unread unread = {0};
    char error[256] = "";
    struct bans *bans = NULL;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 30; i++) {
            struct ban ban = {.prefix = (uint32_t)chance_int(1, 128)};
            const uint32_t bits = ban.prefix;
            const bool is_v4 = bits > 96 && chance_int(0, 1);
            ban.network.high = is_v4 ? 0 : raim_random_next(&chance);
            ban.network.low = is_v4 ? ip_address_v4((uint32_t)raim_random_next(&chance)).low
                                    : raim_random_next(&chance);
            ban.network.high &= bits >= 64 ? UINT64_MAX : UINT64_MAX << (64 - bits);
            ban.network.low &= bits <= 64 ? 0 : UINT64_MAX << (128 - bits);
            ban.until_s = chance_int(0, 1) ? 0 : NOW + chance_int(1, 1000000);
            const int length = chance_int(0, RAIM_MAX_TEXT_BYTES);
            for (int c = 0; c < length; c++)
                ban.why[c] = (char)chance_int(' ', '~');
            const int giver = chance_int(0, BANS_BY_BYTES - 1);
            for (int c = 0; c < giver; c++)
                ban.by[c] = (char)chance_int('a', 'z');
            struct bans *made = bans_with(bans, &ban, NOW);
            free(bans);
            bans = made;
        }
        size_t size;
        char *text = bans_text(bans, &unread, &size);
        assert_true(state_file_replace(path, text, size, STATE_FILE_PROCESS));
        free(text);
        struct bans *loaded = bans_load(path, &unread, error, sizeof error);
        assert_non_null(loaded);
        assert_int_equal(loaded->count, bans->count);
        assert_memory_equal(loaded->items, bans->items, bans->count * sizeof bans->items[0]);
        free(loaded);
    }
    free(bans);
}

// What a search over all bans, one after the other, finds.
static bool is_covered(const struct bans *bans, struct ip_address ip)
{
    for (uint32_t i = 0; i < bans->count; i++)
        if (bans_covers(bans->items[i].network, bans->items[i].prefix, ip) &&
            (bans->items[i].until_s == 0 || bans->items[i].until_s > NOW))
            return true;
    return false;
}

static struct ip_address random_address(void)
{
    const uint32_t low = (uint32_t)raim_random_next(&chance);
    // Of few values, so that networks lie within others.
    switch (chance_int(0, 2)) {
    case 0:
        return ip_address_v4(low & 0xC0C0C0C0);
    case 1:
        return (struct ip_address){UINT64_C(0x0064FF9B00000000), low & 0xC0C0C0C0};
    default:
        return (struct ip_address){raim_random_next(&chance) & UINT64_C(0xC000C000C0000000),
                                   low & 3};
    }
}

TEST(the_search_finds_what_a_look_at_every_ban_finds)
{
    uint32_t found = 0;
    for (int round = 0; round < 200; round++) {
        struct bans *bans = bans_allocate(64);
        for (int i = chance_int(0, 64); i > 0; i--) {
            const uint32_t bits = (uint32_t)chance_int(0, 128);
            struct ban ban = {.network = random_address(), .prefix = bits};
            ban.network.high &= bits == 0 ? 0 : bits >= 64 ? UINT64_MAX : UINT64_MAX << (64 - bits);
            ban.network.low &= bits <= 64 ? 0 : UINT64_MAX << (128 - bits);
            ban.until_s = chance_int(0, 3) > 0 ? 0 : NOW - 1;
            bans->items[bans->count++] = ban;
        }
        bans_sort(bans);
        for (int i = 0; i < 200; i++) {
            const struct ip_address ip = random_address();
            const struct ban *ban = bans_find(bans, ip, NOW);
            assert_int_equal(ban != NULL, is_covered(bans, ip));
            assert_true(ban == NULL || bans_covers(ban->network, ban->prefix, ip));
            found += ban != NULL;
        }
        free(bans);
    }
    assert_in_range(found, 1000, 39000);
}

TEST(networks_that_nobody_means_are_wide)
{
    static const char *const wide[] = {"0.0.0.0/0", "10.0.0.0/7", "::/0", "2000::/15",
                                       "::ffff:0:0/96"};
    static const char *const narrow[] = {"10.0.0.0/8", "1.2.3.4", "2000::/16", "2001:db8::1"};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        const struct ban ban = ban_of(wide[i], 0, "");
        assert_true(bans_is_wide(ban.network, ban.prefix));
    }
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++) {
        const struct ban ban = ban_of(narrow[i], 0, "");
        assert_false(bans_is_wide(ban.network, ban.prefix));
    }
}

static struct bans_unread unread;
static char error[256];

static struct bans *load(void)
{
    unread = (struct bans_unread){0};
    error[0] = '\0';
    return freed(bans_load(path, &unread, error, sizeof error));
}

TEST(a_missing_file_holds_no_bans)
{
    assert_int_equal(load()->count, 0);
}

TEST(a_file_of_the_first_form_is_read)
{
    write_file(path, "192.0.2.0/24 0 come back later\n2001:db8::/32 7 \n");
    const struct bans *bans = load();
    assert_int_equal(bans->count, 2);
    assert_string_equal(bans->items[0].why, "come back later");
    assert_string_equal(bans->items[0].by, "");
    assert_int_equal(bans->items[1].until_s, 7);
}

// What a file of another version or a damaged one holds beside bans is kept, through every change.
TEST(lines_that_are_no_bans_are_kept_as_they_are)
{
    static const char *const lines[] = {"192.0.2\n",
                                        "1.2.3.4 0\n",
                                        "1.2.3.4 -5 a x\n",
                                        "1.2.3.4/8 0 a x\n",
                                        "player 17 0 a kicked\n",
                                        "\n",
                                        "192.0.2.7 later a x"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[512], expected[512];
        const bool is_last = i == sizeof lines / sizeof *lines - 1;
        const char *behind = is_last ? "" : "192.0.2.2 0 a y\n";
        snprintf(text, sizeof text, "raimd bans 3\n192.0.2.1 0 a x\n%s%s", lines[i], behind);
        write_file(path, text);
        const struct bans *bans = load();
        assert_int_equal(bans->count, is_last ? 1 : 2);
        assert_int_equal(unread.lines, 1);
        assert_int_equal(unread.first, 3);
        assert_string_equal(bans->items[0].by, "a");
        size_t size;
        const char *saved = freed(bans_text(bans, &unread, &size));
        snprintf(expected, sizeof expected, "raimd bans 2\n192.0.2.1 0 a x\n%s%s%s", behind,
                 lines[i], is_last ? "\n" : "");
        assert_string_equal(saved, expected);
        free(text_buffer_take(&unread.text));
    }
}

TEST(a_file_that_nobody_can_have_written_is_rejected)
{
    write_file(path, "192.0.2.1 0 x\n");
    assert_int_equal(truncate(path, BANS_MAX_FILE_BYTES + 1), 0);
    assert_null(load());
    assert_non_null(strstr(error, "it has more than"));
    assert_int_equal(unread.lines, 0);
}

// --- Ban list ---

// Ban lists by URL: their lines, and what is rejected whole.

static struct bans *read_text(const char *text)
{
    char *copy = strdup(text);
    error[0] = '\0';
    struct bans *bans = freed(ban_list_read(copy, strlen(copy), error, sizeof error));
    free(copy);
    return bans;
}

TEST(a_line_has_a_network_an_end_and_a_reason)
{
    struct bans *bans = read_text("# lists may say something\n"
                                  "\n"
                                  "192.0.2.0/24\r\n"
                                  "2001:db8::/48 2027-01-31 spam\n"
                                  "198.51.100.7 2027-01-31T18:00:00Z third time\n"
                                  "203.0.113.9 2 reasons\n"
                                  "203.0.113.8 2027-01-31");
    static const struct {
        int64_t until_s;
        const char *why;
    } wanted[] = {{0, ""},
                  {1801353600, "spam"},
                  {1801353600 + 18 * 3600, "third time"},
                  {0, "2 reasons"},
                  {1801353600, ""}};
    assert_int_equal(bans->count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(bans->items[i].until_s, wanted[i].until_s);
        assert_string_equal(bans->items[i].why, wanted[i].why);
        assert_string_equal(bans->items[i].by, "list");
    }
    assert_non_null(bans_find(bans, ip_address_v4(0xC0000207), 0));
    assert_null(bans_find(bans, ip_address_v4(0xC0000307), 0));
    assert_int_equal(read_text("")->count, 0);
}

TEST(a_list_with_one_bad_line_is_rejected_with_its_number)
{
    static const char *const bad[] = {
        "somewhere",           "1.2.3.4/33",      "1.2.3.4/8",      "1.2.3.4 2027-13-01",
        "1.2.3.4 2027-01-31x", "0.0.0.0/0",       "::/0",           "8.0.0.0/7 wide",
        "2000::/15",           "1.2.3.4 \x1b[2J", "1.2.3.4  blank", " 1.2.3.4",
        "1.2.3.4 \xff",        "<html>",          "{\"bans\": []}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128];
        snprintf(text, sizeof text, "192.0.2.1\n%s\n192.0.2.2\n", bad[i]);
        if (read_text(text) != NULL)
            fail_msg("accepted: %s", bad[i]);
        assert_memory_equal(error, "line 2: ", 8);
    }
    char text[300] = "192.0.2.1 ";
    memset(text + strlen(text), 'x', 121);
    assert_null(read_text(text));
}

TEST(65536_networks_are_read_and_no_more)
{
    const size_t capacity = (BAN_LIST_MAX + 1) * 20;
    char *text = freed(calloc(1, capacity + 1));
    size_t size = 0;
    for (int i = 0; i < BAN_LIST_MAX; i++)
        size += (size_t)snprintf(text + size, capacity - size, "10.%d.%d.0/24\n", i >> 8, i & 255);
    struct bans *bans = read_text(text);
    assert_non_null(bans);
    assert_int_equal(bans->count, BAN_LIST_MAX);
    for (uint32_t i = 0; i < BAN_LIST_MAX; i += 97)
        assert_non_null(bans_find(bans, ip_address_v4(0x0A000001 + (i << 8)), 0));
    snprintf(text + size, capacity - size, "192.0.2.1\n");
    assert_null(read_text(text));
    assert_non_null(strstr(error, "65537"));
    char *huge = freed(malloc(BAN_LIST_MAX_BYTES + 2));
    memset(huge, '#', BAN_LIST_MAX_BYTES + 1);
    huge[BAN_LIST_MAX_BYTES + 1] = '\0';
    assert_null(ban_list_read(huge, BAN_LIST_MAX_BYTES + 1, error, sizeof error));
    memcpy(text, "1.2.3.4\0", 8);
    assert_null(ban_list_read(text, 8, error, sizeof error));
}
