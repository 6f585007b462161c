// SPDX-License-Identifier: MIT
// Tests of connecting, waiting, retrying and giving up, and of resuming the session.
#include "client_fixture.h"

enum { S = 1000000, SILENCE_US = 1500000, AGAIN_US = 2 * S };

static struct raim_client *fresh_client(double connect_timeout_s)
{
    struct raim_client_def def = raim_client_default_def();
    def.connect_timeout_s = connect_timeout_s;
    return create_client(&def);
}

static bool wants(struct raim_client *client)
{
    return raim_client_wants_connection(client, now_us);
}

static void assert_state(const struct raim_client *client, enum raim_client_state state)
{
    assert_int_equal(raim_client_get_state(client), state);
}

static void assert_ended(struct raim_client *client, uint32_t reason)
{
    assert_false(wants(client));
    assert_state(client, RAIM_CLIENT_ENDED);
    assert_int_equal(raim_client_get_end(client).reason, reason);
}

static struct raim_welcome welcome_with_token(uint8_t first)
{
    struct raim_welcome message = good_welcome();
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        message.token[i] = (uint8_t)(first + i);
    return message;
}

static bool say_goodbye(struct raim_client *client, uint32_t reason)
{
    const struct raim_goodbye goodbye = {.reason = reason, .text = "why"};
    return receive(client, raim_goodbye_write(&goodbye, bytes, sizeof bytes));
}

// Plays, and has just heard a snapshot.
static struct raim_client *playing_client(void)
{
    const struct raim_welcome message = welcome_with_token(1);
    struct raim_client *client = enter(&message);
    assert_true(show_empty(client, FIRST_TICK));
    return client;
}

// --- The first connection ---

TEST(it_connects_once_and_is_patient)
{
    struct raim_client *client = fresh_client(3);
    assert_true(wants(client));
    assert_false(hello_of(client).resume);
    for (int i = 0; i < 29; i++) {
        now_us += S / 10;
        assert_false(wants(client));
        assert_state(client, RAIM_CLIENT_CONNECTING);
    }
    now_us += S / 10;
    assert_ended(client, RAIM_REASON_LOST);
}

TEST(a_rejection_is_final)
{
    struct raim_client *client = fresh_client(3);
    assert_true(wants(client));
    assert_true(say_goodbye(client, RAIM_REASON_FULL));
    assert_string_equal(raim_client_get_end(client).text, "why");
    raim_client_disconnected(client, now_us, RAIM_REASON_FULL);
    assert_ended(client, RAIM_REASON_FULL);

    client = fresh_client(3);
    assert_true(wants(client));
    raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
    assert_ended(client, RAIM_REASON_LOST);
}

// --- Resuming ---

TEST(silence_is_a_lost_connection)
{
    struct raim_client *client = playing_client();
    for (uint32_t tick = 1; tick <= 50; tick++) {
        now_us += S / 10;
        assert_true(show_empty(client, FIRST_TICK + tick));
        assert_false(wants(client));
    }
    now_us += SILENCE_US - 1;
    assert_false(wants(client));
    assert_state(client, RAIM_CLIENT_PLAYING);
    now_us++;
    assert_true(wants(client));
    assert_false(wants(client));
    assert_state(client, RAIM_CLIENT_RESUMING);
}

TEST(it_comes_back_as_who_it_was)
{
    struct raim_client *client = playing_client();
    struct raim_welcome message = welcome_with_token(1);
    raim_client_interpolate(client, now_us);
    assert_true(press(client) > 0);
    raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
    assert_state(client, RAIM_CLIENT_RESUMING);
    assert_int_equal(raim_client_get_end(client).reason, 0);
    assert_int_equal(press(client), 0);
    assert_false(raim_client_is_input_due(client, now_us + S));
    assert_true(wants(client));
    const struct raim_hello hello = hello_of(client);
    assert_true(hello.resume);
    assert_memory_equal(hello.token, message.token, sizeof hello.token);
    assert_string_equal(hello.name, "player");

    // What is still under way from the connection before is no news.
    assert_true(show_empty(client, FIRST_TICK + 1));
    assert_true(say_goodbye(client, RAIM_REASON_RESUMED));
    raim_client_disconnected(client, now_us, RAIM_REASON_RESUMED);
    assert_state(client, RAIM_CLIENT_RESUMING);

    message.tick += 500;
    message.event_sequence += 40;
    assert_true(welcome(client, &message));
    assert_state(client, RAIM_CLIENT_ENTERING);
    assert_true(tell_roster(
        client, &(struct raim_roster_entry){.player = OWN, .score = 5, .name = "one"}, 1));
    assert_state(client, RAIM_CLIENT_PLAYING);
    assert_int_equal(raim_client_get_stats(client)->resumes, 1);
    assert_int_equal(raim_client_get_roster_entry(client, OWN_SLOT)->score, 5);
    assert_int_equal(raim_client_tick(client), 0);
    assert_false(raim_client_can_draw(client));
    assert_true(show_empty(client, message.tick));
    // Its first input message contains no earlier inputs.
    assert_int_equal(pressed(client).count, 1);
    const struct raim_wire_event kill = {.kind = RAIM_WIRE_KILL, .player = OWN, .victim = OWN};
    assert_true(tell_events(client, FIRST_EVENT + 40, &kill, 1));
    assert_int_equal(raim_client_get_stats(client)->events_ahead, 0);
}

TEST(it_tries_every_two_seconds_within_the_grace_time)
{
    struct raim_client *client = playing_client();
    const uint64_t received_us = now_us;
    uint64_t tried_us = 0;
    int tries = 0;
    while (now_us < received_us + GRACE_S * (uint64_t)S - 1) {
        if (wants(client)) {
            assert_true(tries == 0 ? now_us - received_us == SILENCE_US
                                   : now_us - tried_us == AGAIN_US);
            tried_us = now_us;
            tries++;
            hello_of(client);
        }
        // What becomes of a try makes no difference.
        if (tries % 2 != 0 && now_us == tried_us + S / 2)
            raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
        assert_true(raim_client_get_state(client) != RAIM_CLIENT_ENDED);
        now_us += S / 100;
    }
    assert_int_equal(tries, 15);
    now_us = received_us + GRACE_S * (uint64_t)S;
    assert_ended(client, RAIM_REASON_LOST);
}

TEST(without_grace_a_lost_connection_is_the_end)
{
    struct raim_welcome message = welcome_with_token(1);
    message.grace_s = 0;
    struct raim_client *client = enter(&message);
    raim_client_disconnected(client, now_us, RAIM_REASON_LOST);
    assert_ended(client, RAIM_REASON_LOST);
}

TEST(what_the_server_ends_stays_ended)
{
    static const uint32_t reasons[] = {RAIM_REASON_SHUTDOWN, RAIM_REASON_RESUMED, RAIM_REASON_FULL};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        struct raim_client *client = playing_client();
        assert_true(say_goodbye(client, reasons[i]));
        raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
        assert_ended(client, reasons[i]);

        client = playing_client();
        raim_client_disconnected(client, now_us, reasons[i]);
        assert_ended(client, reasons[i]);
    }
    struct raim_client *client = playing_client();
    assert_true(raim_client_write_goodbye(client, bytes, sizeof bytes) > 0);
    raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
    assert_ended(client, RAIM_REASON_LEFT);

    // A rejection while resuming, too.
    client = playing_client();
    raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
    assert_true(wants(client));
    assert_true(say_goodbye(client, RAIM_REASON_VERSION));
    assert_ended(client, RAIM_REASON_VERSION);
}

TEST(a_restart_is_waited_for)
{
    for (int by_goodbye = 0; by_goodbye <= 1; by_goodbye++) {
        struct raim_client *client = playing_client();
        const struct raim_welcome message = welcome_with_token(1);
        if (by_goodbye)
            assert_true(say_goodbye(client, RAIM_REASON_RESTART));
        else
            raim_client_disconnected(client, now_us, RAIM_REASON_RESTART);
        assert_state(client, RAIM_CLIENT_RESUMING);
        assert_true(raim_client_awaits_restart(client));
        const uint64_t reported_us = now_us;
        // That it is disconnected thereafter is no news.
        now_us += S / 10;
        raim_client_disconnected(client, now_us, RAIM_REASON_RESTART);
        now_us = reported_us + 3 * S / 10 - 1;
        assert_false(wants(client));
        now_us++;
        assert_true(wants(client));
        const struct raim_hello hello = hello_of(client);
        assert_true(hello.resume);
        assert_memory_equal(hello.token, message.token, sizeof hello.token);
        // It may try too early, and find the server on its way out still.
        assert_true(say_goodbye(client, RAIM_REASON_RESTART));
        now_us += AGAIN_US - 1;
        assert_false(wants(client));
        now_us++;
        assert_true(wants(client));
        if (by_goodbye) {
            enter_again(client, &message);
            assert_int_equal(raim_client_get_stats(client)->resumes, 1);
            assert_false(raim_client_awaits_restart(client));
            raim_client_disconnected(client, now_us, RAIM_REASON_NONE);
            assert_false(raim_client_awaits_restart(client));
            continue;
        }
        now_us = reported_us + GRACE_S * (uint64_t)S;
        assert_ended(client, RAIM_REASON_LOST);
    }
}

TEST(a_restart_before_the_welcome_is_the_end)
{
    struct raim_client *client = fresh_client(3);
    assert_true(wants(client));
    assert_true(say_goodbye(client, RAIM_REASON_RESTART));
    assert_string_equal(raim_client_get_end(client).text, "why");
    assert_ended(client, RAIM_REASON_RESTART);
}

TEST(every_hello_has_the_access_token)
{
    uint8_t access[RAIM_ACCESS_BYTES], copy[RAIM_ACCESS_BYTES];
    for (size_t i = 0; i < sizeof access; i++)
        access[i] = copy[i] = (uint8_t)(200 + i);
    struct raim_client_def def = raim_client_default_def();
    def.access = copy;
    def.access_size = sizeof copy;
    struct raim_client *client = client_of(&def);
    memset(copy, 0, sizeof copy); // not borrowed
    const struct raim_welcome message = welcome_with_token(1);
    for (int i = 0; i < 2; i++) {
        const struct raim_hello hello = hello_of(client);
        assert_int_equal(hello.resume, i > 0);
        assert_int_equal(hello.access_size, sizeof access);
        assert_memory_equal(hello.access, access, sizeof access);
        enter_again(client, &message);
        raim_client_disconnected(client, now_us, RAIM_REASON_LOST);
        now_us += AGAIN_US;
        assert_true(wants(client));
    }
    client = fresh_client(3);
    assert_int_equal(hello_of(client).access_size, 0);
}

TEST(a_spectator_waits_for_its_first_snapshot_and_comes_back_anew)
{
    struct raim_client *client = spectator();
    // The message arrives late and concerns an arena that was not watched before.
    now_us += 100 * (uint64_t)S;
    assert_false(wants(client));
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    frame.self.steers = false;
    assert_true(show(client, &frame));
    now_us += SILENCE_US;
    assert_true(wants(client));
    assert_false(hello_of(client).resume);
    struct raim_welcome message = good_welcome();
    message.player = RAIM_NOBODY;
    enter_again(client, &message);
}

TEST(the_picture_stays_while_it_tries)
{
    struct raim_client *client = playing_client();
    struct raim_client_player seen[PLAYERS];
    struct raim_wire_frame frame = empty_frame(FIRST_TICK + 1);
    raim_set_add(frame.seen_players, OWN_SLOT);
    frame.players[OWN_SLOT] = (raim_wire_player){.x = 3200, .y = 6400};
    assert_true(show(client, &frame));
    raim_client_interpolate(client, now_us);
    raim_client_disconnected(client, now_us, RAIM_REASON_LOST);
    raim_client_interpolate(client, now_us + S);
    assert_true(raim_client_can_draw(client));
    assert_int_equal(raim_client_interpolated_players(client, seen, PLAYERS), 1);
    assert_true(raim_client_eye(client).x == 100 && raim_client_eye(client).y == 200);
    assert_non_null(raim_client_map(client));

    // A player that is dead on resuming has no sent position; the camera stays where it was.
    const struct raim_welcome message = welcome_with_token(1);
    assert_true(wants(client));
    enter_again(client, &message);
    frame = empty_frame(FIRST_TICK);
    frame.self.alive = false;
    assert_true(show(client, &frame));
    raim_client_interpolate(client, now_us);
    assert_true(raim_client_eye(client).x == 100 && raim_client_eye(client).y == 200);
}

TEST(a_server_that_drops_every_session_sets_no_pace)
{
    struct raim_client *client = playing_client();
    struct raim_welcome message = welcome_with_token(1);
    int attempts = 0;
    // Ten seconds, in each millisecond of which the server welcomes and drops the client.
    for (int i = 0; i < 10000; i++, now_us += 1000) {
        raim_client_disconnected(client, now_us, RAIM_REASON_LOST);
        if (!wants(client))
            continue;
        attempts++;
        assert_true(hello_of(client).resume);
        assert_true(welcome(client, &message));
    }
    assert_in_range(attempts, 5, 6);
}
