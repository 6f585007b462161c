// SPDX-License-Identifier: MIT
// A match with a guard that accepts the access token "let me in" once.
#include "peer_fixture.h"

static const char word[] = "let me in";

struct doorman {
    int asked, admitted;
    const char *name;                  // that it gives; NULL: none
    enum raim_match_admission without; // of a rejection without a token; ADMITTED: the usual one
    uint32_t knows_password;           // a bit for each handle
};

static enum raim_match_admission admit(void *context, const struct raim_match_visitor *visitor,
                                       char name[RAIM_MAX_NAME_BYTES + 1])
{
    struct doorman *doorman = context;
    doorman->asked++;
    if (doorman->knows_password & 1U << visitor->client)
        return RAIM_MATCH_ADMITTED;
    if (visitor->size == 0)
        return doorman->without != RAIM_MATCH_ADMITTED ? doorman->without : RAIM_MATCH_WANTS_ACCESS;
    if (visitor->size != sizeof word || memcmp(visitor->token, word, visitor->size) != 0 ||
        doorman->admitted > 0)
        return RAIM_MATCH_WANTS_ACCESS;
    doorman->admitted++;
    if (doorman->name != NULL)
        strcpy(name, doorman->name);
    return RAIM_MATCH_ADMITTED;
}

static struct doorman doorman;
static struct raim_match_guard guard = {.context = &doorman, .admit = admit};

static struct test_match *open_guarded(const char *name, uint32_t max_players)
{
    struct raim_match_def def = usual_def();
    doorman = (struct doorman){.name = name};
    def.guard = &guard;
    def.tuning.max_players = max_players;
    def.tuning.max_spectators = 1;
    def.tuning.resume_grace_s = 5;
    return open_test_match(def);
}

static struct raim_hello hello_with(const char *token)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "player"};
    if (token != NULL) {
        hello.access_size = (uint32_t)strlen(token) + 1;
        memcpy(hello.access, token, hello.access_size);
    }
    return hello;
}

TEST(who_has_no_good_token_stays_out)
{
    struct test_match *test = open_guarded(NULL, 2);
    struct raim_hello hello = hello_with(NULL);
    connect_peer(test, 0, &hello);
    hello = hello_with("let me in, too");
    connect_peer(test, 1, &hello);
    hello.watch = true;
    connect_peer(test, 2, &hello);
    ticks(test, 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_goodbye(&test->peers[i], RAIM_REASON_ACCESS, NULL);
    assert_int_equal(rejected(test, RAIM_REJECTED_ACCESS), 3);
    assert_int_equal(counts(test).players, 0);
    assert_int_equal(counts(test).spectators, 0);
}

TEST(a_good_token_lets_play_or_watch)
{
    for (int watch = 0; watch < 2; watch++) {
        struct test_match *test = open_guarded(NULL, 2);
        struct raim_hello hello = hello_with(word);
        hello.watch = watch;
        connect_peer(test, 0, &hello);
        ticks(test, 2);
        assert_true(test->peers[0].welcome_sent);
        assert_int_equal(watch ? counts(test).spectators : counts(test).players, 1);
        close_test_match(test);
    }
}

static void assert_name(const struct test_match *test, const char *name)
{
    struct raim_match_player rows[SLOTS];
    assert_int_equal(raim_match_players(test->match, rows, SLOTS), 1);
    assert_string_equal(rows[0].name, name);
}

TEST(a_name_of_the_token_counts_and_is_cleaned)
{
    struct raim_hello hello = hello_with(word);
    struct test_match *test = open_guarded("  Ada\x1b ", 2);
    connect_peer(test, 0, &hello);
    ticks(test, 1);
    assert_name(test, "Ada");
    close_test_match(test);

    test = open_guarded(NULL, 2);
    connect_peer(test, 0, &hello);
    ticks(test, 1);
    assert_name(test, "player");
    close_test_match(test);

    static const char *const bad[] = {"\xff", "Server", "\xEE\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test = open_guarded(bad[i], 2);
        connect_peer(test, 0, &hello);
        ticks(test, 1);
        assert_goodbye(&test->peers[0], RAIM_REASON_NAME, NULL);
        assert_int_equal(counts(test).players, 0);
        close_test_match(test);
    }
}

TEST(who_resumes_is_not_asked)
{
    struct test_match *test = open_guarded(NULL, 2);
    struct raim_hello hello = hello_with(word);
    connect_peer(test, 0, &hello);
    ticks(test, 2);
    const uint32_t id = test->peers[0].welcome.player;
    hello = hello_with(NULL);
    hello.resume = true;
    memcpy(hello.token, test->peers[0].welcome.token, sizeof hello.token);
    leave(test, 0);
    ticks(test, 2);
    connect_peer(test, 1, &hello);
    ticks(test, 2);
    assert_true(test->peers[1].welcome_sent);
    assert_int_equal(test->peers[1].welcome.player, id);
    assert_int_equal(doorman.asked, 1);
    // An unknown session token does not resume.
    hello.token[0] ^= 1;
    leave(test, 1);
    ticks(test, 6 * 60);
    connect_peer(test, 2, &hello);
    ticks(test, 1);
    assert_goodbye(&test->peers[2], RAIM_REASON_ACCESS, NULL);
}

TEST(who_has_shown_the_password_needs_no_token)
{
    struct test_match *test = open_guarded(NULL, 2);
    struct raim_hello hello = hello_with(NULL);
    doorman.without = RAIM_MATCH_WANTS_PASSWORD;
    doorman.knows_password = 1U << 1;
    connect_peer(test, 0, &hello);
    connect_peer(test, 1, &hello);
    hello.watch = true;
    connect_peer(test, 2, &hello);
    ticks(test, 1);
    assert_goodbye(&test->peers[0], RAIM_REASON_PASSWORD, NULL);
    assert_goodbye(&test->peers[2], RAIM_REASON_PASSWORD, NULL);
    assert_int_equal(rejected(test, RAIM_REJECTED_PASSWORD), 2);
    assert_int_equal(counts(test).players, 1);
}

TEST(a_full_match_uses_up_no_token)
{
    struct test_match *test = open_guarded(NULL, 1);
    struct raim_hello hello = hello_with(word);
    connect_peer(test, 0, &hello);
    ticks(test, 1);
    doorman = (struct doorman){0};
    connect_peer(test, 1, &hello);
    ticks(test, 1);
    assert_goodbye(&test->peers[1], RAIM_REASON_FULL, NULL);
    assert_int_equal(doorman.asked, 0);
}

// Tuning below the def's limits.
TEST(nor_does_one_that_has_become_smaller)
{
    for (int watch = 0; watch < 2; watch++) {
        struct test_match *test = open_guarded(NULL, 3);
        struct raim_match_tuning tuning = {.max_players = 1, .resume_grace_s = 5};
        struct raim_hello hello = hello_with(word);
        connect_peer(test, 0, &hello);
        ticks(test, 1);
        raim_match_tune(test->match, &tuning);
        doorman = (struct doorman){0};
        hello.watch = watch;
        connect_peer(test, 1, &hello);
        ticks(test, 1);
        assert_goodbye(&test->peers[1], RAIM_REASON_FULL, NULL);
        assert_int_equal(doorman.asked, 0);
        close_test_match(test);
    }
}

TEST(who_makes_way_makes_none_without_a_token)
{
    struct test_match *test = open_guarded(NULL, 1);
    struct raim_hello hello = hello_with(word);
    connect_peer(test, 0, &hello);
    ticks(test, 2);
    leave(test, 0);
    ticks(test, 60); // away for longer than it has played
    doorman = (struct doorman){0};
    hello = hello_with(NULL);
    connect_peer(test, 1, &hello);
    ticks(test, 1);
    assert_goodbye(&test->peers[1], RAIM_REASON_ACCESS, NULL);
    assert_int_equal(counts(test).away, 1);
    hello = hello_with(word);
    connect_peer(test, 2, &hello);
    ticks(test, 2);
    assert_true(test->peers[2].welcome_sent);
    assert_int_equal(counts(test).away, 0);
}
