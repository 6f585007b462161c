// SPDX-License-Identifier: MIT
// An arena's heartbeats, the getinfos that it answers, and its infoResponse.
#include "masters.h"
#include "test.h"

enum { S = 1000, MINUTE = 60 * S };

static struct masters masters;
static struct masters_list two;

static int set_up(void **state)
{
    (void)state;
    memset(&masters, 0, sizeof masters);
    two = (struct masters_list){.count = 2};
    two.items[0] = (struct masters_address){udp_address_v4(0xC0000201, 27950), 0};
    two.items[1] = (struct masters_address){udp_address_v4(0xC0000202, 27950), 3};
    return 0;
}

static bool beat(int64_t now_ms)
{
    return masters_beat(&masters, true, false, now_ms);
}

TEST(a_heartbeat_is_sent_at_once_and_every_two_minutes, set_up, NULL)
{
    masters_set_list(&masters, &two);
    assert_true(beat(7));
    assert_false(beat(7 + MASTERS_HEARTBEAT_MS - 1));
    assert_true(beat(7 + MASTERS_HEARTBEAT_MS));
    assert_int_equal(masters.report.heartbeats, 4);
    assert_int_equal(masters.report.contacts[0].heartbeats, 2);
    assert_int_equal(masters.report.contacts[3].heartbeats, 2);
    assert_int_equal(masters.report.contacts[3].first_ms, 7);
}

TEST(a_new_address_is_sent_one_at_once_and_a_known_one_is_not, set_up, NULL)
{
    masters_set_list(&masters, &two);
    assert_true(beat(0));
    masters_set_list(&masters, &two);
    assert_false(beat(1));
    two.items[1].to.port++;
    masters_set_list(&masters, &two);
    assert_true(beat(2));
}

TEST(filling_and_emptying_are_sent_a_little_apart, set_up, NULL)
{
    masters_set_list(&masters, &two);
    assert_true(masters_beat(&masters, true, false, 0));
    assert_false(masters_beat(&masters, false, false, MASTERS_CHANGE_MS - 1));
    assert_true(masters_beat(&masters, false, false, MASTERS_CHANGE_MS));
    assert_true(masters_beat(&masters, false, true, 2 * MASTERS_CHANGE_MS));
    assert_false(masters_beat(&masters, false, true, 3 * MASTERS_CHANGE_MS));
    // What was undone before it could be sent is none.
    assert_false(masters_beat(&masters, false, false, 3 * MASTERS_CHANGE_MS - 1));
    assert_false(masters_beat(&masters, false, true, 4 * MASTERS_CHANGE_MS));
}

TEST(each_heartbeat_pays_for_a_few_answers, set_up, NULL)
{
    masters_set_list(&masters, &two);
    assert_false(masters_admit(&masters, two.items[0].to, 0));
    assert_true(beat(0));
    for (int i = 0; i < MASTERS_CREDIT; i++)
        assert_true(masters_admit(&masters, two.items[0].to, 1));
    assert_false(masters_admit(&masters, two.items[0].to, 1));
    assert_true(masters_admit(&masters, two.items[1].to, 1)); // has its own
    struct udp_address stranger = two.items[1].to;
    stranger.port++;
    assert_false(masters_admit(&masters, stranger, 1));
    assert_int_equal(masters.report.asked, MASTERS_CREDIT + 1);
    assert_int_equal(masters.report.limited, 2);
    // Addresses that stay keep what they have left, and no more.
    masters_set_list(&masters, &two);
    assert_false(masters_admit(&masters, two.items[0].to, 2));
    assert_true(masters_admit(&masters, two.items[1].to, 2));
    assert_true(beat(MASTERS_HEARTBEAT_MS));
    assert_true(masters_admit(&masters, two.items[0].to, MASTERS_HEARTBEAT_MS));
}

TEST(a_master_that_asks_lists_the_arena, set_up, NULL)
{
    const struct masters_contact *contact = &masters.report.contacts[3];
    masters_set_list(&masters, &two);
    assert_int_equal(masters_standing(contact, MINUTE), MASTERS_WAITING);
    assert_true(beat(MINUTE));
    assert_int_equal(masters_standing(contact, MINUTE + MASTERS_SILENT_MS - 1), MASTERS_WAITING);
    assert_int_equal(masters_standing(contact, MINUTE + MASTERS_SILENT_MS), MASTERS_SILENT);
    assert_true(masters_admit(&masters, two.items[1].to, 9 * MINUTE));
    assert_int_equal(masters_standing(contact, 9 * MINUTE), MASTERS_LISTED);
    masters_count_listing(&masters, 9 * MINUTE);
    assert_int_equal(masters.report.listing, 1);
    assert_int_equal(masters_standing(contact, 9 * MINUTE + MASTERS_SILENT_MS), MASTERS_SILENT);
    masters_count_listing(&masters, 9 * MINUTE + MASTERS_SILENT_MS);
    assert_int_equal(masters.report.listing, 0);
}

TEST(the_answer_is_an_infostring)
{
    uint8_t reply[MASTERS_MAX_INFO];
    const struct masters_info info = {.hostname = "A \"\\;% \xc3\xa9",
                                      .map = "duel",
                                      .clients = 3,
                                      .bots = 2,
                                      .max_clients = 8,
                                      .needs_password = true};
    static const char expected[] =
        "\xFF\xFF\xFF\xFFinfoResponse\n\\gamename\\Raim\\protocol\\7\\hostname\\A ___% \xc3\xa9"
        "\\mapname\\duel\\clients\\3\\bots\\2\\sv_maxclients\\8\\needpass\\1\\challenge\\A_ch4L";
    assert_int_equal(masters_write_info(&info, "A_ch4L", reply), sizeof expected - 1);
    assert_memory_equal(reply, expected, sizeof expected - 1);
}

TEST(the_longest_answer_fits)
{
    uint8_t reply[MASTERS_MAX_INFO];
    char text[400], challenge[MASTER_CHALLENGE_BYTES];
    memset(text, 'x', sizeof text - 1);
    memcpy(text + 94, "\xc3\xa9", 2); // would be cut in half
    text[sizeof text - 1] = '\0';
    memset(challenge, 'c', sizeof challenge - 1);
    challenge[sizeof challenge - 1] = '\0';
    const struct masters_info info = {.hostname = text,
                                      .map = text,
                                      .clients = UINT32_MAX,
                                      .bots = UINT32_MAX,
                                      .max_clients = UINT32_MAX};
    const size_t size = masters_write_info(&info, challenge, reply);
    assert_in_range(size, 300, MASTERS_MAX_INFO - 1);
    for (size_t i = 4; i < size; i++)
        assert_true(reply[i] < 0x80);
}

#define ASSERT_READS(text, expected)                                                               \
    do {                                                                                           \
        char challenge[MASTER_CHALLENGE_BYTES];                                                    \
        assert_true(master_request_read((const uint8_t *)(text), sizeof(text) - 1, challenge));    \
        assert_string_equal(challenge, expected);                                                  \
    } while (0)

#define ASSERT_REJECTS(text)                                                                       \
    do {                                                                                           \
        char challenge[MASTER_CHALLENGE_BYTES];                                                    \
        assert_false(master_request_read((const uint8_t *)(text), sizeof(text) - 1, challenge));   \
    } while (0)

#define GETINFO "\xFF\xFF\xFF\xFFgetinfo "
#define SIXTY_FOUR "0123456789012345678901234567890123456789012345678901234567890123"

TEST(a_getinfo_has_a_challenge)
{
    ASSERT_READS(GETINFO "A_ch4Lleng3", "A_ch4Lleng3");
    ASSERT_READS(GETINFO "a\n", "a");
    ASSERT_READS(GETINFO "~!\0", "~!");
    ASSERT_READS(GETINFO SIXTY_FOUR, SIXTY_FOUR);
    ASSERT_REJECTS(GETINFO SIXTY_FOUR "4");
    ASSERT_REJECTS(GETINFO);
    ASSERT_REJECTS(GETINFO "\n");
    ASSERT_REJECTS("\xFF\xFF\xFF\xFFgetinfo");
    ASSERT_REJECTS("\xFF\xFF\xFF\xFEgetinfo a");
    ASSERT_REJECTS("\xFF\xFF\xFF\xFFgetstatus a");
    ASSERT_REJECTS(GETINFO "a b");
    ASSERT_REJECTS(GETINFO "a\\b");
    ASSERT_REJECTS(GETINFO "a;b");
    ASSERT_REJECTS(GETINFO "a\0b");
    ASSERT_REJECTS(GETINFO "\xc3\xa9");
    ASSERT_REJECTS("");
}
