// SPDX-License-Identifier: MIT
// Ban lists by URL: their lines, and what is rejected whole.
#define _GNU_SOURCE
#include "bans.h"
#include "test.h"

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
