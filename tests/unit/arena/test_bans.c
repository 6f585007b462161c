// SPDX-License-Identifier: MIT
// Ban lists: the addresses of a network, expiry, and the file.
#define _GNU_SOURCE
#include "bans.h"
#include "chance.h"
#include "state_file.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

enum { NOW = 1000000 };

static char directory[] = "/tmp/raim-bans-XXXXXX";
static char path[64];

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
    struct ip_address network;
    uint32_t prefix;
    char whole[64];
    snprintf(whole, sizeof whole, "%s/128", text);
    assert_true(bans_parse(strchr(text, ':') != NULL ? whole : text, &network, &prefix));
    return network;
}

static const char *why_out(const struct bans *bans, const char *address)
{
    const struct ban *ban = bans_find(bans, address_of(address), NOW);
    return ban != NULL ? ban->why : NULL;
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
    struct bans *bans = add(NULL, "192.0.2.0/24", 0, "net");
    bans = add(bans, "198.51.100.7", 0, "one");
    assert_string_equal(why_out(bans, "192.0.2.0"), "net");
    assert_string_equal(why_out(bans, "192.0.2.255"), "net");
    assert_string_equal(why_out(bans, "198.51.100.7"), "one");
    assert_null(why_out(bans, "192.0.3.0"));
    assert_null(why_out(bans, "192.0.1.255"));
    assert_null(why_out(bans, "198.51.100.6"));
    assert_null(bans_find(NULL, address_of("192.0.2.1"), NOW));
    bans = add(bans, "0.0.0.0/0", 0, "all");
    assert_string_equal(why_out(bans, "203.0.113.5"), "all");
    free(bans);
}

TEST(a_ban_of_a_host_of_ipv6_is_of_its_64)
{
    struct bans *bans = add(NULL, "2001:db8:1:2:3:4:5:6", 0, "host");
    char text[BANS_NETWORK_BYTES];
    bans_print(bans->items[0].network, bans->items[0].prefix, text);
    assert_string_equal(text, "2001:db8:1:2::/64");
    bans = add(bans, "2001:db9::1/128", 0, "one");
    bans = add(bans, "fe80::1", 0, "link");
    assert_string_equal(why_out(bans, "2001:db8:1:2:ffff::"), "host");
    assert_null(why_out(bans, "2001:db8:1:3::"));
    assert_string_equal(why_out(bans, "2001:db9::1"), "one");
    assert_null(why_out(bans, "2001:db9::2"));
    assert_string_equal(why_out(bans, "fe80::1"), "link");
    assert_null(why_out(bans, "fe80::2"));
    bans = add(bans, "2001:db8::/32", 0, "net");
    assert_string_equal(why_out(bans, "2001:db8:ffff::1"), "net");
    free(bans);
}

TEST(a_mapped_address_meets_the_ban_of_its_ipv4_address)
{
    struct bans *bans = add(NULL, "192.0.2.0/24", 0, "net");
    assert_string_equal(why_out(bans, "::ffff:192.0.2.9"), "net");
    assert_null(why_out(bans, "::192.0.2.9"));
    assert_null(why_out(bans, "::ffff:192.0.3.9"));
    bans = add(bans, "::ffff:198.51.100.7", 0, "one");
    assert_string_equal(why_out(bans, "198.51.100.7"), "one");
    free(bans);
    bans = add(NULL, "::/0", 0, "all of IPv6");
    assert_string_equal(why_out(bans, "2001:db8::1"), "all of IPv6");
    assert_null(why_out(bans, "192.0.2.1"));
    bans = add(bans, "0.0.0.0/0", 0, "all of IPv4");
    assert_string_equal(why_out(bans, "192.0.2.1"), "all of IPv4");
    free(bans);
}

TEST(a_translated_address_meets_the_ban_of_its_ipv4_address)
{
    static const char *const rows[][3] = {
        // a ban, an address, whether it is banned
        {"1.2.3.4", "64:ff9b::102:304", "y"},
        {"1.2.3.0/24", "64:ff9b::1.2.3.9", "y"},
        {"64:ff9b::1.2.3.4", "1.2.3.4", "y"},
        {"64:ff9b::1.2.3.4", "64:ff9b::1.2.3.5", ""}, // not the /64, which is all of IPv4
        {"64:ff9b::1.2.3.0/120", "1.2.3.200", "y"},
        {"64:ff9b::/96", "64:ff9b::1.2.3.4", "y"},
        {"64:ff9b::/96", "1.2.3.4", ""},
        {"1.2.3.4", "64:ff9b:1::102:304", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ban ban = {0};
        struct ip_address ip;
        uint32_t prefix;
        assert_true(bans_parse(rows[i][0], &ban.network, &ban.prefix));
        // A prefix of its own, because a host of IPv6 is read as its /64.
        char text[64];
        snprintf(text, sizeof text, "%s%s", rows[i][1], strchr(rows[i][1], ':') ? "/128" : "");
        assert_true(bans_parse(text, &ip, &prefix));
        if (strchr(rows[i][1], ':') != NULL && strstr(rows[i][1], "64:ff9b::") != NULL)
            ip = (struct ip_address){UINT64_C(0x0064FF9B00000000), (uint32_t)ip.low};
        struct bans *bans = bans_with(NULL, &ban, 0);
        assert_int_equal(bans_find(bans, ip, 0) != NULL, *rows[i][2] != '\0');
        free(bans);
    }
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
    assert_string_equal(why_out(bans, "192.0.2.9"), "second");
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

TEST(a_missing_file_holds_no_bans)
{
    char error[256];
    struct bans_unread unread = {0};
    unlink(path);
    struct bans *bans = bans_load(path, &unread, error, sizeof error);
    assert_non_null(bans);
    assert_int_equal(bans->count, 0);
    free(bans);
}

TEST(a_file_of_the_first_form_is_read)
{
    char error[256];
    struct bans_unread unread = {0};
    FILE *file = fopen(path, "w");
    fputs("192.0.2.0/24 0 come back later\n2001:db8::/32 7 \n", file);
    fclose(file);
    struct bans *bans = bans_load(path, &unread, error, sizeof error);
    assert_non_null(bans);
    assert_int_equal(bans->count, 2);
    assert_string_equal(bans->items[0].why, "come back later");
    assert_string_equal(bans->items[0].by, "");
    assert_int_equal(bans->items[1].until_s, 7);
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

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
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
        char error[256] = "", text[512], expected[512];
        struct bans_unread unread = {0};
        const bool is_last = i == sizeof lines / sizeof *lines - 1;
        const char *behind = is_last ? "" : "192.0.2.2 0 a y\n";
        snprintf(text, sizeof text, "raimd bans 3\n192.0.2.1 0 a x\n%s%s", lines[i], behind);
        write_file(text);
        struct bans *bans = bans_load(path, &unread, error, sizeof error);
        assert_non_null(bans);
        assert_int_equal(bans->count, is_last ? 1 : 2);
        assert_int_equal(unread.lines, 1);
        assert_int_equal(unread.first, 3);
        assert_string_equal(bans->items[0].by, "a");
        size_t size;
        char *saved = bans_text(bans, &unread, &size);
        snprintf(expected, sizeof expected, "raimd bans 2\n192.0.2.1 0 a x\n%s%s%s", behind,
                 lines[i], is_last ? "\n" : "");
        assert_string_equal(saved, expected);
        free(saved);
        free(text_buffer_take(&unread.text));
        free(bans);
    }
}

TEST(a_file_that_nobody_can_have_written_is_rejected)
{
    char error[256] = "";
    struct bans_unread unread = {0};
    write_file("192.0.2.1 0 x\n");
    assert_int_equal(truncate(path, BANS_MAX_FILE_BYTES + 1), 0);
    assert_null(bans_load(path, &unread, error, sizeof error));
    assert_non_null(strstr(error, "it has more than"));
    assert_int_equal(unread.lines, 0);
}

static int set_up_group(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/bans", directory);
    return 0;
}

static int tear_down_group(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

TEST_GROUP(set_up_group, tear_down_group)

// --- Ban list ---

// Ban lists by URL: their lines, and what is rejected whole.

static char error[256];

static struct bans *read_text(const char *text)
{
    char *copy = strdup(text);
    error[0] = '\0';
    struct bans *bans = ban_list_read(copy, strlen(copy), error, sizeof error);
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
    assert_non_null(bans);
    assert_int_equal(bans->count, 5);
    assert_int_equal(bans->items[0].until_s, 0);
    assert_string_equal(bans->items[0].why, "");
    assert_string_equal(bans->items[0].by, "list");
    assert_int_equal(bans->items[1].until_s, 1801353600);
    assert_string_equal(bans->items[1].why, "spam");
    assert_int_equal(bans->items[2].until_s, 1801353600 + 18 * 3600);
    assert_string_equal(bans->items[2].why, "third time");
    assert_int_equal(bans->items[3].until_s, 0);
    assert_string_equal(bans->items[3].why, "2 reasons");
    assert_int_equal(bans->items[4].until_s, 1801353600);
    assert_non_null(bans_find(bans, ip_address_v4(0xC0000207), 0));
    assert_null(bans_find(bans, ip_address_v4(0xC0000307), 0));
    free(bans);
    bans = read_text("");
    assert_int_equal(bans->count, 0);
    free(bans);
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
        struct bans *bans = read_text(text);
        if (bans != NULL)
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
    char *text = calloc(1, capacity + 1);
    size_t size = 0;
    for (int i = 0; i < BAN_LIST_MAX; i++)
        size += (size_t)snprintf(text + size, capacity - size, "10.%d.%d.0/24\n", i >> 8, i & 255);
    struct bans *bans = read_text(text);
    assert_non_null(bans);
    assert_int_equal(bans->count, BAN_LIST_MAX);
    for (uint32_t i = 0; i < BAN_LIST_MAX; i += 97)
        assert_non_null(bans_find(bans, ip_address_v4(0x0A000001 + (i << 8)), 0));
    free(bans);
    snprintf(text + size, capacity - size, "192.0.2.1\n");
    assert_null(read_text(text));
    assert_non_null(strstr(error, "65537"));
    char *huge = malloc(BAN_LIST_MAX_BYTES + 2);
    memset(huge, '#', BAN_LIST_MAX_BYTES + 1);
    huge[BAN_LIST_MAX_BYTES + 1] = '\0';
    assert_null(ban_list_read(huge, BAN_LIST_MAX_BYTES + 1, error, sizeof error));
    free(huge);
    memcpy(text, "1.2.3.4\0", 8);
    assert_null(ban_list_read(text, 8, error, sizeof error));
    free(text);
}
