// SPDX-License-Identifier: MIT
// Encoding of queries and replies, challenges, and the admission of queries.
#include "a2s_cache.h"
#include "a2s_reply.h"
#include "chance.h"
#include "query_guard.h"
#include "test.h"

// A literal's bytes without its closing NUL.
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1
#define INFO_REQUEST "\xFF\xFF\xFF\xFFTSource Engine Query\0"

// --- Reading ---

static void assert_reads(const uint8_t *data, size_t size, enum query_kind kind, uint32_t challenge)
{
    const struct query query = query_read(data, size);
    assert_int_equal(query.kind, kind);
    assert_int_equal(query.challenge, challenge);
}

TEST(a_truncated_request_is_no_query)
{
    for (size_t size = 0; size < sizeof INFO_REQUEST - 1; size++) {
        uint8_t *exact = malloc(size + 1); // one more: malloc(0) may be NULL
        assert_non_null(exact);
        memcpy(exact + 1, INFO_REQUEST, size);
        assert_reads(exact + 1, size, QUERY_NONE, QUERY_NO_CHALLENGE);
        free(exact);
    }
    for (size_t size = 0; size < 9; size++)
        assert_reads((const uint8_t *)"\xFF\xFF\xFF\xFFU\x01\x02\x03\x04", size, QUERY_NONE,
                     QUERY_NO_CHALLENGE);
}

TEST(others_are_no_queries)
{
    assert_reads(BYTES("\xFF\xFF\xFF\xFEU\x01\x02\x03\x04"), QUERY_NONE, QUERY_NO_CHALLENGE);
    assert_reads(BYTES("\xFF\xFF\x00\x00U\x01\x02\x03\x04"), QUERY_NONE, QUERY_NO_CHALLENGE);
    assert_reads(BYTES("\xFF\xFF\xFF\xFFTSource engine Query\0"), QUERY_NONE, QUERY_NO_CHALLENGE);
    assert_reads(BYTES("\xFF\xFF\xFF\xFFTSource Engine Query!"), QUERY_NONE, QUERY_NO_CHALLENGE);
    assert_reads(BYTES("\xFF\xFF\xFF\xFFgetstatus\n"), QUERY_NONE, QUERY_NO_CHALLENGE);
    for (unsigned letter = 0; letter < 256; letter++) {
        const uint8_t data[9] = {0xFF, 0xFF, 0xFF, 0xFF, (uint8_t)letter, 1, 2, 3, 4};
        if (letter != 'U' && letter != 'V')
            assert_reads(data, sizeof data, QUERY_NONE, QUERY_NO_CHALLENGE);
    }
}

// --- Writing ---

static void assert_bytes(const uint8_t *reply, size_t size, const uint8_t *golden,
                         size_t golden_size)
{
    assert_int_equal(size, golden_size);
    assert_memory_equal(reply, golden, golden_size);
}

TEST(replies_to_the_byte)
{
    uint8_t reply[A2S_MAX_REPLY];
    assert_bytes(reply, query_write_challenge(0xF4030201, reply),
                 BYTES("\xFF\xFF\xFF\xFF"
                       "A\x01\x02\x03\xF4"));

    const struct a2s_info info = {.name = "du\xC3\xA9l",
                                  .map = "ruins",
                                  .folder = "raim",
                                  .game = "arena",
                                  .version = "1.2.3",
                                  .players = 7,
                                  .max_players = 20,
                                  .bots = 4,
                                  .locked = true,
                                  .port = 7246,
                                  .keywords = "ffa,eu"};
    assert_bytes(reply, a2s_write_info(&info, reply),
                 BYTES("\xFF\xFF\xFF\xFFI\x11"
                       "du\xC3\xA9l\0ruins\0raim\0arena\0"
                       "\0\0\x07\x14\x04"
                       "dl\1\0"
                       "1.2.3\0\xA0\x4E\x1C"
                       "ffa,eu\0"));

    const struct a2s_player players[] = {{"Ada \xC3\x9C", 258, 90.5f},
                                         {"Bot 1", 0, A2S_BOT_SECONDS}};
    assert_bytes(reply, a2s_write_players(players, 2, reply),
                 BYTES("\xFF\xFF\xFF\xFF"
                       "D\x02"
                       "\0Ada \xC3\x9C\0\x02\x01\0\0\x00\x00\xB5\x42"
                       "\0Bot 1\0\0\0\0\0\x00\x00\x80\xBF"));
    assert_bytes(reply, a2s_write_players(NULL, 0, reply),
                 BYTES("\xFF\xFF\xFF\xFF"
                       "D\0"));

    const struct a2s_rule rules[] = {{"sight", "true"}, {"player_speed", "300"}};
    assert_bytes(reply, a2s_write_rules(rules, 2, reply),
                 BYTES("\xFF\xFF\xFF\xFF"
                       "E\x02\0"
                       "sight\0true\0player_speed\0"
                       "300\0"));
}

TEST(numbers_beyond_a_byte_are_clamped)
{
    uint8_t reply[A2S_MAX_REPLY];
    const struct a2s_info info = {.name = "",
                                  .map = "",
                                  .folder = "",
                                  .game = "",
                                  .version = "",
                                  .players = 256,
                                  .max_players = 1200,
                                  .bots = 255,
                                  .keywords = ""};
    assert_int_equal(a2s_write_info(&info, reply), 23);
    assert_memory_equal(reply + 12, "\xFF\xFF\xFF", 3);
}

TEST(players_that_do_not_fit_are_left_out_whole)
{
    // 34 bytes each behind 6: 35 fit.
    struct a2s_player players[1000];
    for (int i = 0; i < 1000; i++)
        players[i] = (struct a2s_player){"abcdefghijklmnopqrstuvwx", (uint32_t)i, 1};
    uint8_t *reply = malloc(A2S_MAX_REPLY);
    assert_non_null(reply);
    for (uint32_t count = 0; count < 1000; count++) {
        const uint32_t fit = count < 35 ? count : 35;
        assert_int_equal(a2s_write_players(players, count, reply), 6 + 34 * fit);
        assert_int_equal(reply[5], fit);
    }
    // 10 bytes each: 119 fit, and the last byte but four is used.
    for (int i = 0; i < 1000; i++)
        players[i].name = "";
    assert_int_equal(a2s_write_players(players, 1000, reply), 6 + 10 * 119);
    assert_int_equal(reply[5], 119);
    free(reply);
}

TEST(rules_that_do_not_fit_are_left_out_whole)
{
    struct a2s_rule rules[600];
    for (int i = 0; i < 600; i++)
        rules[i] = (struct a2s_rule){"k", ""};
    uint8_t *reply = malloc(A2S_MAX_REPLY);
    assert_non_null(reply);
    assert_int_equal(a2s_write_rules(rules, 600, reply), 7 + 3 * 397);
    assert_int_equal(reply[5] | reply[6] << 8, 397);
    free(reply);
}

// --- Challenges ---

static struct challenge init_challenge(void)
{
    static const uint8_t secret[CHALLENGE_SECRET_BYTES] = {1};
    struct challenge challenge;
    challenge_init(&challenge, secret);
    return challenge;
}

TEST(a_challenge_is_of_one_address_and_port)
{
    struct challenge challenge = init_challenge();
    const uint32_t mine =
        challenge_compute(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), 0);
    assert_true(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), mine, 0));
    assert_false(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(2, 1000), mine, 0));
    assert_false(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1001), mine, 0));
    assert_false(
        challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), mine + 1, 0));
    assert_false(challenge_verify(&challenge, CHALLENGE_COOKIE, udp_address_v4(1, 1000), mine, 0));
    assert_false(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000),
                                  QUERY_NO_CHALLENGE, 0));
    assert_false(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), 0, 0));
}

TEST(a_challenge_is_of_one_secret)
{
    static const uint8_t secret[CHALLENGE_SECRET_BYTES] = {2};
    struct challenge challenge = init_challenge(), other;
    challenge_init(&other, secret);
    const uint32_t mine =
        challenge_compute(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), 0);
    assert_false(challenge_verify(&other, CHALLENGE_QUERY, udp_address_v4(1, 1000), mine, 0));
}

TEST(a_challenge_lasts_for_its_epoch_and_the_next)
{
    struct challenge challenge = init_challenge();
    for (int64_t start = 0; start < 10 * CHALLENGE_EPOCH_MS; start += CHALLENGE_EPOCH_MS) {
        const int64_t issued_ms = start + chance_int(0, CHALLENGE_EPOCH_MS - 1);
        const uint32_t issued =
            challenge_compute(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), issued_ms);
        const int64_t end_ms = start + 2 * CHALLENGE_EPOCH_MS;
        assert_true(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), issued,
                                     issued_ms));
        assert_true(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), issued,
                                     end_ms - 1));
        assert_int_not_equal(
            challenge_compute(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), end_ms - 1),
            issued);
        assert_false(
            challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), issued, end_ms));
    }
}

TEST(after_a_long_silence_no_old_challenge_is_good)
{
    struct challenge challenge = init_challenge();
    const uint32_t first =
        challenge_compute(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), 0);
    assert_false(challenge_verify(&challenge, CHALLENGE_QUERY, udp_address_v4(1, 1000), first,
                                  1000 * (int64_t)CHALLENGE_EPOCH_MS));
}

// --- The guard ---

static struct query_guard guard;
static enum query_kind kind;
static uint8_t reply[QUERY_CHALLENGE_REPLY];
static struct udp_address somebody;

static int set_up_guard(void **state)
{
    (void)state;
    static const uint8_t secret[CHALLENGE_SECRET_BYTES] = {1};
    query_guard_init(&guard, raim_random_next(&chance), secret);
    kind = QUERY_NONE;
    somebody = udp_address_v4(0x0A000001, 27005);
    return 0;
}

static enum query_verdict judge(const void *data, size_t size, int64_t now_ms)
{
    return query_guard_judge(&guard, somebody, data, size, now_ms, &kind, reply);
}

// Judges the request with the last challenge issued.
static enum query_verdict judge_answer(char letter, int64_t now_ms)
{
    uint8_t request[] = "\xFF\xFF\xFF\xFF?\1\2\3\4";
    request[4] = (uint8_t)letter;
    memcpy(request + 5, reply + 5, 4);
    return judge(request, 9, now_ms);
}

TEST(a_wrong_challenge_is_not_admitted, set_up_guard, NULL)
{
    assert_int_equal(judge(BYTES(INFO_REQUEST), 1000), QUERY_CHALLENGED);
    assert_memory_equal(reply,
                        "\xFF\xFF\xFF\xFF"
                        "A",
                        5);
    uint8_t request[sizeof INFO_REQUEST + 3] = INFO_REQUEST;
    memcpy(request + 25, reply + 5, 4);
    assert_int_equal(judge(request, sizeof request, 1000), QUERY_ADMITTED);
    assert_int_equal(kind, QUERY_INFO);
    // A challenge is valid for every kind of query, and only for its address.
    assert_int_equal(judge_answer('U', 1001), QUERY_ADMITTED);
    assert_int_equal(kind, QUERY_PLAYERS);
    assert_int_equal(judge_answer('V', 1002), QUERY_ADMITTED);
    assert_int_equal(kind, QUERY_RULES);
    somebody.port++;
    assert_int_equal(judge_answer('V', 1003), QUERY_CHALLENGED);
    assert_int_equal(judge_answer('V', 1003), QUERY_ADMITTED);
}

TEST(no_query_is_rejected_without_a_token, set_up_guard, NULL)
{
    for (int i = 0; i < 100000; i++)
        assert_int_equal(judge(BYTES("\xFF\xFF\xFF\xFFgetstatus\n"), 0), QUERY_REJECTED);
    assert_int_equal(judge(BYTES(INFO_REQUEST), 0), QUERY_CHALLENGED);
}

TEST(a_flood_is_limited_and_the_next_network_is_not, set_up_guard, NULL)
{
    int challenged = 0;
    for (int i = 0; i < 1000; i++)
        challenged += judge(BYTES(INFO_REQUEST), 0) == QUERY_CHALLENGED;
    assert_int_equal(challenged, QUERY_GUARD_PER_NETWORK.burst);
    assert_int_equal(judge_answer('U', 0), QUERY_LIMITED);
    // Another network, which by chance may hash to the same bucket; not three of them, unless they
    // are neighbours, whom the same secret brings there together (once in 3,000).
    int others = 0;
    for (int i = 0; i < 3; i++) {
        somebody.ip = ip_address_v4((uint32_t)chance_int(0x0B0000, 0xDFFFFF) << 8);
        others += judge(BYTES(INFO_REQUEST), 0) == QUERY_CHALLENGED;
    }
    assert_true(others > 0);
}

// --- Answers ---

// An arena's replies to queries, which are written at most ten times a second.

enum { BOTS = 200 };

static struct config *config;
static struct raim_match *match;
static struct a2s_cache answers;
static struct a2s_cache_subject subject;

static int set_up(void **state)
{
    (void)state;
    config = config_demo(NULL, &(struct diagnostics){.out = stderr});
    struct raim_match_def def = raim_match_default_def();
    def.map = config->arenas[0].match.map;
    def.bots = BOTS;
    match = raim_match_create(&def);
    assert_non_null(match);
    memset(&answers, 0, sizeof answers);
    subject = (struct a2s_cache_subject){
        .config = &config->arenas[0],
        .port = 7246,
        .match = match,
        .rows = calloc(BOTS, sizeof *subject.rows),
        .row_count = BOTS,
    };
    assert_non_null(subject.rows);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(subject.rows);
    raim_match_destroy(match);
    config_unload(config);
    return 0;
}

static bool has_text(const struct a2s_cached_reply *answer, const char *text)
{
    const size_t size = strlen(text) + 1;
    for (size_t at = 0; at + size <= answer->size; at++)
        if (memcmp(answer->bytes + at, text, size) == 0)
            return true;
    return false;
}

TEST(an_answer_is_kept_for_a_tenth_of_a_second, set_up, tear_down)
{
    // The first reply is written at any time.
    assert_true(has_text(a2s_cache_get(&answers, &subject, QUERY_INFO, 0), "duel"));
    strcpy(config->arenas[0].name, "other");
    assert_false(has_text(a2s_cache_get(&answers, &subject, QUERY_INFO, 99), "other"));
    assert_true(has_text(a2s_cache_get(&answers, &subject, QUERY_INFO, 100), "other"));
}

TEST(each_question_has_its_own_answer, set_up, tear_down)
{
    assert_int_equal(a2s_cache_get(&answers, &subject, QUERY_INFO, 0)->bytes[4], 'I');
    assert_int_equal(a2s_cache_get(&answers, &subject, QUERY_PLAYERS, 0)->bytes[4], 'D');
    assert_int_equal(a2s_cache_get(&answers, &subject, QUERY_RULES, 0)->bytes[4], 'E');
    assert_true(has_text(a2s_cache_get(&answers, &subject, QUERY_RULES, 0), "spawn_protection"));
}

TEST(of_a_crowd_all_are_counted_and_some_are_listed, set_up, tear_down)
{
    const struct a2s_cached_reply *info = a2s_cache_get(&answers, &subject, QUERY_INFO, 0);
    // Protocol, name, map, folder, game and the game's number come before.
    const size_t at = 6 + sizeof "duel" + sizeof "duel" + sizeof "raim" + sizeof "raim" + 2;
    assert_int_equal(info->bytes[at], BOTS);
    assert_int_equal(info->bytes[at + 1], UINT8_MAX); // 64 and the bots
    assert_int_equal(info->bytes[at + 2], BOTS);
    const struct a2s_cached_reply *players = a2s_cache_get(&answers, &subject, QUERY_PLAYERS, 0);
    assert_in_range(players->size, 1100, A2S_MAX_REPLY);
    assert_in_range(players->bytes[5], 35, BOTS - 1);
    assert_true(has_text(players, "Bot 1"));
}

TEST(an_arena_presents_itself, set_up, tear_down)
{
    struct config_arena *arena = &config->arenas[0];
    strcpy(arena->hostname, "Caf\xC3\xA9 duel");
    strcpy(arena->region, "Europe");
    strcpy(arena->website, "https://example.org/duel");
    arena->tags = (struct config_tags){.count = 2, .words = {"ffa", "no-bots"}};
    assert_true(has_text(a2s_cache_get(&answers, &subject, QUERY_INFO, 0), "Caf\xC3\xA9 duel"));
    assert_true(has_text(a2s_cache_get(&answers, &subject, QUERY_INFO, 0), "ffa,no-bots"));
    const struct a2s_cached_reply *rules = a2s_cache_get(&answers, &subject, QUERY_RULES, 0);
    assert_true(has_text(rules, "Europe"));
    assert_true(has_text(rules, "https://example.org/duel"));
    assert_true(has_text(rules, "spawn_protection"));
}
