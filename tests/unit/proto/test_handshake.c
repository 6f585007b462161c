// SPDX-License-Identifier: MIT
// HELLO, WELCOME, OBSTACLES and GOODBYE: round trips, and rejection of malformed messages.
#include "chance_phase.h"
#include "handshake.h"

#include <math.h>

enum { ROUNDS = 50000, MANY_OBSTACLES = 200, HELLO_BYTES = 320 };

static raim_reader open_message(const uint8_t *bytes, size_t size, enum raim_message_kind kind,
                                bool *is_kind)
{
    raim_reader reader = raim_reader_make(bytes, size);
    *is_kind = raim_message_read(&reader) == kind;
    return reader;
}

// --- HELLO ---

static bool read_hello(const uint8_t *bytes, size_t size, struct raim_hello *hello)
{
    bool is_hello;
    raim_reader reader = open_message(bytes, size, RAIM_MESSAGE_HELLO, &is_hello);
    return is_hello && raim_hello_read(&reader, hello);
}

static void assert_same_hello(const struct raim_hello *a, const struct raim_hello *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->capabilities, b->capabilities);
    assert_int_equal(a->watch, b->watch);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->resume, b->resume);
    assert_memory_equal(a->token, b->token, RAIM_TOKEN_BYTES);
    assert_int_equal(a->access_size, b->access_size);
    assert_memory_equal(a->access, b->access, RAIM_ACCESS_BYTES);
    assert_string_equal(a->name, b->name);
}

static void chance_token(uint8_t token[RAIM_TOKEN_BYTES])
{
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        token[i] = (uint8_t)chance_magnitude(8);
}

static bool accepts_hello(const uint8_t *bytes, size_t size)
{
    struct raim_hello hello, again;
    uint8_t written[HELLO_BYTES];
    if (!read_hello(bytes, size, &hello))
        return false;
    if (hello.version != RAIM_PROTOCOL_VERSION)
        return size >= 7 && hello.name[0] == '\0';
    const size_t length = raim_hello_write(&hello, written, sizeof written);
    assert_true(read_hello(written, length, &again));
    assert_same_hello(&again, &hello);
    return true;
}

TEST(hello_survives_the_wire)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .watch = chance_bool()}, told;
        uint8_t bytes[HELLO_BYTES];
        hello.capabilities = chance_magnitude(32);
        hello.target = hello.watch ? chance_magnitude(16) : 0;
        hello.resume = chance_bool();
        if (hello.resume)
            chance_token(hello.token);
        hello.access_size = chance_magnitude(8);
        for (uint32_t j = 0; j < hello.access_size; j++)
            hello.access[j] = (uint8_t)chance_magnitude(8);
        chance_text(hello.name, RAIM_MAX_NAME_BYTES);
        const size_t size = raim_hello_write(&hello, bytes, sizeof bytes);
        assert_true(read_hello(bytes, size, &told));
        assert_same_hello(&told, &hello);
        hostile_attack(accepts_hello, bytes, size);
    }
}

TEST(hello_holds_a_name_of_24_bytes_and_none_of_25)
{
    for (uint32_t length = 0; length < 32; length++) {
        uint8_t bytes[64];
        raim_writer writer = raim_message_write(RAIM_MESSAGE_HELLO, bytes, sizeof bytes);
        raim_write_bits(&writer, RAIM_HELLO_MAGIC, 32);
        raim_write_bits(&writer, RAIM_PROTOCOL_VERSION, 16);
        raim_write_bits(&writer, 0, 32); // no capability
        raim_write_bits(&writer, 0, 2);  // plays, a new session
        raim_write_bits(&writer, 0, 8);  // without an access token
        raim_write_bits(&writer, length, 5);
        for (uint32_t i = 0; i < length; i++)
            raim_write_bits(&writer, 'x', 8);
        struct raim_hello hello;
        assert_int_equal(read_hello(bytes, raim_writer_finish(&writer), &hello), length <= 24);
        assert_int_equal(strlen(hello.name), length <= 24 ? length : 0);
    }
}

TEST(hello_spends_a_bit_on_a_session_unless_it_resumes_one)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "Ada"};
    memset(hello.token, 0xA5, sizeof hello.token); // not sent: nothing is resumed
    uint8_t bytes[64];
    struct raim_hello told;
    const size_t size = raim_hello_write(&hello, bytes, sizeof bytes);
    assert_int_equal(size, (1 + 4 + 32 + 16 + 32 + 1 + 1 + 8 + 5 + 3 * 8 + 7) / 8);
    assert_true(read_hello(bytes, size, &told));
    const uint8_t none[RAIM_TOKEN_BYTES] = {0};
    assert_memory_equal(told.token, none, sizeof none);
    hello.resume = true;
    assert_int_equal(raim_hello_write(&hello, bytes, sizeof bytes), size + RAIM_TOKEN_BYTES);
}

TEST(hello_spends_a_byte_on_an_access_token_unless_it_has_one)
{
    struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "Ada"}, told;
    uint8_t bytes[HELLO_BYTES];
    const size_t size = raim_hello_write(&hello, bytes, sizeof bytes);
    for (hello.access_size = 0; hello.access_size <= RAIM_ACCESS_BYTES; hello.access_size++) {
        assert_int_equal(raim_hello_write(&hello, bytes, sizeof bytes), size + hello.access_size);
        assert_true(read_hello(bytes, size + hello.access_size, &told));
        assert_same_hello(&told, &hello);
        hello.access[hello.access_size % RAIM_ACCESS_BYTES] = (uint8_t)chance_bits(8);
    }
}

TEST(hello_of_another_version_tells_its_version_whatever_follows)
{
    for (int i = 0; i < ROUNDS; i++) {
        const uint32_t version = chance_bits(16);
        if (version == RAIM_PROTOCOL_VERSION)
            continue;
        uint8_t bytes[64];
        raim_writer writer = raim_message_write(RAIM_MESSAGE_HELLO, bytes, sizeof bytes);
        raim_write_bits(&writer, RAIM_HELLO_MAGIC, 32);
        raim_write_bits(&writer, version, 16);
        for (int j = chance_int(0, 50); j > 0; j--)
            raim_write_bits(&writer, chance_bits(8), 8);
        struct raim_hello hello;
        assert_true(read_hello(bytes, raim_writer_finish(&writer), &hello));
        assert_same_hello(&hello, &(struct raim_hello){.version = version});
    }
}

TEST(hello_without_the_magic_is_rejected)
{
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "Ada"};
    uint8_t bytes[64];
    const size_t size = raim_hello_write(&hello, bytes, sizeof bytes);
    for (int bit = 4; bit < 36; bit++) {
        struct raim_hello told;
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(read_hello(bytes, size, &told));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

// --- WELCOME ---

static bool read_welcome(const uint8_t *bytes, size_t size, struct raim_welcome *welcome)
{
    bool is_welcome;
    raim_reader reader = open_message(bytes, size, RAIM_MESSAGE_WELCOME, &is_welcome);
    return is_welcome && raim_welcome_read(&reader, welcome);
}

static struct raim_welcome chance_welcome(void)
{
    struct raim_welcome welcome = {
        .version = RAIM_PROTOCOL_VERSION,
        .capabilities = chance_magnitude(32),
        .delay_ticks = chance_magnitude(16),
        .grace_s = chance_magnitude(16),
        .tick = chance_magnitude(32),
        .event_sequence = chance_magnitude(32),
        .tick_hz = (uint32_t)chance_int(10, 240),
        .max_players = (uint32_t)chance_int(1, RAIM_WIRE_PLAYERS),
        .max_rewind = (uint32_t)chance_int(0, RAIM_WIRE_REWIND),
        .view_width = chance_magnitude(16),
        .view_height = chance_magnitude(16),
        .sight = chance_bool(),
        .obstacle_count = (uint32_t)chance_int(0, RAIM_WIRE_OBSTACLES),
        .roster_count = (uint32_t)chance_int(0, RAIM_WIRE_PLAYERS),
        .rule_count = (uint32_t)chance_int(0, RAIM_WIRE_RULES),
    };
    welcome.shots = (uint32_t)chance_int(1, RAIM_WIRE_BULLETS / (int)welcome.max_players);
    if (chance_bool()) // a player, not a spectator
        welcome.player = (uint32_t)chance_int(1, 63) * RAIM_WIRE_PLAYERS +
                         (uint32_t)chance_int(0, (int)welcome.max_players - 1);
    chance_token(welcome.token);
    for (int i = 0; i < 4; i++)
        welcome.border[i] = chance_signed(RAIM_WIRE_COORDINATE_BITS);
    for (uint32_t i = 0; i < welcome.rule_count; i++)
        welcome.rules[i] = ldexp(chance_between(-1, 1), chance_int(-30, 30));
    chance_text(welcome.arena, RAIM_MAX_ARENA_BYTES);
    chance_text(welcome.map_name, RAIM_MAX_TITLE_BYTES);
    welcome.phase = chance_phase();
    chance_text(welcome.motd, RAIM_MAX_MOTD_BYTES);
    return welcome;
}

static void assert_same_welcome(const struct raim_welcome *a, const struct raim_welcome *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->capabilities, b->capabilities);
    assert_int_equal(a->player, b->player);
    assert_int_equal(a->delay_ticks, b->delay_ticks);
    assert_memory_equal(a->token, b->token, RAIM_TOKEN_BYTES);
    assert_int_equal(a->grace_s, b->grace_s);
    assert_int_equal(a->tick, b->tick);
    assert_int_equal(a->event_sequence, b->event_sequence);
    assert_int_equal(a->tick_hz, b->tick_hz);
    assert_int_equal(a->max_players, b->max_players);
    assert_int_equal(a->shots, b->shots);
    assert_int_equal(a->max_rewind, b->max_rewind);
    assert_int_equal(a->view_width, b->view_width);
    assert_int_equal(a->view_height, b->view_height);
    assert_int_equal(a->sight, b->sight);
    assert_int_equal(a->obstacle_count, b->obstacle_count);
    assert_int_equal(a->roster_count, b->roster_count);
    assert_memory_equal(a->border, b->border, sizeof a->border);
    assert_int_equal(a->rule_count, b->rule_count);
    assert_memory_equal(a->rules, b->rules, sizeof a->rules);
    assert_string_equal(a->arena, b->arena);
    assert_string_equal(a->map_name, b->map_name);
    assert_same_phase(&a->phase, &b->phase);
    assert_string_equal(a->motd, b->motd);
}

static bool accepts_welcome(const uint8_t *bytes, size_t size)
{
    struct raim_welcome welcome, again;
    uint8_t written[RAIM_MAX_MESSAGE_BYTES];
    if (!read_welcome(bytes, size, &welcome))
        return false;
    const size_t length = raim_welcome_write(&welcome, written, sizeof written);
    assert_true(read_welcome(written, length, &again));
    assert_same_welcome(&welcome, &again);
    return true;
}

TEST(welcome_survives_the_wire)
{
    for (int i = 0; i < ROUNDS; i++) {
        const struct raim_welcome welcome = chance_welcome();
        struct raim_welcome told;
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        const size_t size = raim_welcome_write(&welcome, bytes, sizeof bytes);
        assert_true(read_welcome(bytes, size, &told));
        assert_same_welcome(&welcome, &told);
        hostile_attack(accepts_welcome, bytes, size);
    }
}

TEST(welcome_for_a_place_that_the_arena_lacks_is_rejected)
{
    struct raim_welcome welcome = chance_welcome(), told;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    welcome.max_players = 8;
    welcome.shots = 1;
    welcome.player = 3 * RAIM_WIRE_PLAYERS + 7;
    assert_true(read_welcome(bytes, raim_welcome_write(&welcome, bytes, sizeof bytes), &told));
    welcome.player = 3 * RAIM_WIRE_PLAYERS + 8;
    assert_false(read_welcome(bytes, raim_welcome_write(&welcome, bytes, sizeof bytes), &told));
}

TEST(welcome_with_more_bullets_than_the_wire_can_name_is_rejected)
{
    struct raim_welcome welcome = chance_welcome(), told;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    welcome.player = 0;
    for (welcome.max_players = 1; welcome.max_players <= RAIM_WIRE_PLAYERS; welcome.max_players++) {
        welcome.shots = RAIM_WIRE_BULLETS / welcome.max_players;
        assert_true(read_welcome(bytes, raim_welcome_write(&welcome, bytes, sizeof bytes), &told));
        if (++welcome.shots > RAIM_WIRE_BULLETS)
            continue; // cannot even be written
        assert_false(read_welcome(bytes, raim_welcome_write(&welcome, bytes, sizeof bytes), &told));
    }
}

TEST(welcome_of_another_version_is_rejected)
{
    struct raim_welcome welcome = chance_welcome(), told;
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    welcome.version = RAIM_PROTOCOL_VERSION + 1;
    assert_false(read_welcome(bytes, raim_welcome_write(&welcome, bytes, sizeof bytes), &told));
}

// --- OBSTACLES ---

static bool read_obstacles(const uint8_t *bytes, size_t size, struct raim_wire_obstacle *obstacles,
                           uint32_t capacity, uint32_t *count)
{
    bool is_obstacles;
    raim_reader reader = open_message(bytes, size, RAIM_MESSAGE_OBSTACLES, &is_obstacles);
    return is_obstacles && raim_obstacles_read(&reader, obstacles, capacity, count);
}

static void chance_obstacles(struct raim_wire_obstacle *obstacles, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        obstacles[i].count = (uint32_t)chance_int(3, RAIM_WIRE_POINTS);
        obstacles[i].seams = (uint32_t)chance_int(0, (1 << obstacles[i].count) - 1);
        for (uint32_t j = 0; j < obstacles[i].count; j++) {
            obstacles[i].points[j][0] = chance_signed(RAIM_WIRE_COORDINATE_BITS);
            obstacles[i].points[j][1] = chance_signed(RAIM_WIRE_COORDINATE_BITS);
        }
    }
}

static void assert_same_obstacles(const struct raim_wire_obstacle *a,
                                  const struct raim_wire_obstacle *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(a[i].count, b[i].count);
        assert_int_equal(a[i].seams, b[i].seams);
        assert_memory_equal(a[i].points, b[i].points, a[i].count * sizeof a[i].points[0]);
    }
}

static bool accepts_obstacles(const uint8_t *bytes, size_t size)
{
    static struct raim_wire_obstacle obstacles[MANY_OBSTACLES], again[MANY_OBSTACLES];
    uint8_t written[2048];
    uint32_t count, count_written, count_again;
    if (!read_obstacles(bytes, size, obstacles, MANY_OBSTACLES, &count))
        return false;
    const size_t length =
        raim_obstacles_write(obstacles, count, &count_written, written, sizeof written);
    assert_int_equal(count_written, count);
    assert_true(read_obstacles(written, length, again, MANY_OBSTACLES, &count_again));
    assert_int_equal(count_again, count);
    assert_same_obstacles(obstacles, again, count);
    return true;
}

TEST(obstacles_go_on_where_the_last_message_stopped)
{
    static struct raim_wire_obstacle obstacles[MANY_OBSTACLES], told[MANY_OBSTACLES];
    for (int i = 0; i < ROUNDS / 20; i++) {
        const uint32_t count = 1 + chance_magnitude(31) % MANY_OBSTACLES;
        const size_t capacity = (size_t)chance_int(84, RAIM_MAX_MESSAGE_BYTES);
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        chance_obstacles(obstacles, count);
        for (uint32_t done = 0, written, read; done < count; done += written) {
            const size_t size =
                raim_obstacles_write(&obstacles[done], count - done, &written, bytes, capacity);
            assert_true(size > 0 && size <= capacity);
            assert_true(read_obstacles(bytes, size, told, MANY_OBSTACLES, &read));
            assert_int_equal(read, written);
            assert_same_obstacles(&obstacles[done], told, written);
            hostile_attack(accepts_obstacles, bytes, size);

            uint8_t longer[2 * RAIM_MAX_MESSAGE_BYTES];
            uint32_t more;
            if (done + written < count) // one more would not have fitted
                assert_true(raim_obstacles_write(&obstacles[done], written + 1, &more, longer,
                                                 sizeof longer) > capacity);
        }
    }
}

TEST(no_obstacle_and_more_than_expected_are_rejected)
{
    struct raim_wire_obstacle obstacles[3], told[3];
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    uint32_t written, read;
    chance_obstacles(obstacles, 3);
    const size_t size = raim_obstacles_write(obstacles, 3, &written, bytes, sizeof bytes);
    assert_true(read_obstacles(bytes, size, told, 3, &read));
    assert_false(read_obstacles(bytes, size, told, 2, &read));
    assert_int_equal(raim_obstacles_write(obstacles, 0, &written, bytes, sizeof bytes), 0);
    assert_int_equal(raim_obstacles_write(obstacles, 3, &written, bytes, 10), 0);
    assert_int_equal(written, 0);
    const uint8_t none[] = {RAIM_MESSAGE_OBSTACLES << 1};
    assert_false(read_obstacles(none, sizeof none, told, 3, &read));
}

TEST(obstacle_has_3_to_16_points)
{
    for (uint32_t points = 3; points < 3 + 16; points++) {
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        struct raim_wire_obstacle told;
        uint32_t read;
        raim_writer writer = raim_message_write(RAIM_MESSAGE_OBSTACLES, bytes, sizeof bytes);
        raim_write_bool(&writer, true);
        raim_write_bits(&writer, points - 3, 4);
        raim_write_bits(&writer, 0, points);
        for (uint32_t i = 0; i < 2 * points; i++)
            raim_write_signed(&writer, chance_signed(20), 20);
        raim_write_bool(&writer, false);
        const size_t size = raim_writer_finish(&writer);
        assert_int_equal(read_obstacles(bytes, size, &told, 1, &read), points <= 16);
    }
}

// --- GOODBYE ---

static bool read_goodbye(const uint8_t *bytes, size_t size, struct raim_goodbye *goodbye)
{
    bool is_goodbye;
    raim_reader reader = open_message(bytes, size, RAIM_MESSAGE_GOODBYE, &is_goodbye);
    return is_goodbye && raim_goodbye_read(&reader, goodbye);
}

static bool accepts_goodbye(const uint8_t *bytes, size_t size)
{
    struct raim_goodbye goodbye, again;
    uint8_t written[256];
    if (!read_goodbye(bytes, size, &goodbye))
        return false;
    assert_true(
        read_goodbye(written, raim_goodbye_write(&goodbye, written, sizeof written), &again));
    assert_int_equal(again.reason, goodbye.reason);
    assert_string_equal(again.text, goodbye.text);
    return true;
}

static bool read_client_goodbye(const uint8_t *bytes, size_t size,
                                struct raim_client_goodbye *client_goodbye)
{
    bool is_goodbye;
    raim_reader reader = open_message(bytes, size, RAIM_MESSAGE_GOODBYE, &is_goodbye);
    return is_goodbye && raim_client_goodbye_read(&reader, client_goodbye);
}

static bool accepts_client_goodbye(const uint8_t *bytes, size_t size)
{
    struct raim_client_goodbye client_goodbye, again;
    uint8_t written[RAIM_MAX_MESSAGE_BYTES];
    if (!read_client_goodbye(bytes, size, &client_goodbye))
        return false;
    assert_true(read_client_goodbye(
        written, raim_client_goodbye_write(&client_goodbye, written, sizeof written), &again));
    assert_int_equal(again.goodbye.reason, client_goodbye.goodbye.reason);
    assert_string_equal(again.goodbye.text, client_goodbye.goodbye.text);
    assert_memory_equal(again.token, client_goodbye.token, sizeof again.token);
    return true;
}

TEST(a_clients_goodbye_survives_the_wire_and_is_no_servers)
{
    for (int round = 0; round < 100; round++) {
        struct raim_client_goodbye client_goodbye = {.goodbye = {.reason = chance_magnitude(8)}},
                                   told;
        struct raim_goodbye goodbye;
        uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
        chance_text(client_goodbye.goodbye.text, RAIM_MAX_TEXT_BYTES);
        for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
            client_goodbye.token[i] = (uint8_t)chance_int(1, 255);
        const size_t size = raim_client_goodbye_write(&client_goodbye, bytes, sizeof bytes);
        assert_true(read_client_goodbye(bytes, size, &told));
        assert_memory_equal(told.token, client_goodbye.token, sizeof told.token);
        assert_false(read_goodbye(bytes, size, &goodbye));
        hostile_attack(accepts_client_goodbye, bytes, size);
    }
}

TEST(goodbye_survives_the_wire)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct raim_goodbye goodbye = {.reason = chance_magnitude(8)}, told;
        uint8_t bytes[256];
        chance_text(goodbye.text, RAIM_MAX_TEXT_BYTES);
        const size_t size = raim_goodbye_write(&goodbye, bytes, sizeof bytes);
        assert_true(read_goodbye(bytes, size, &told));
        assert_int_equal(told.reason, goodbye.reason);
        assert_string_equal(told.text, goodbye.text);
        hostile_attack(accepts_goodbye, bytes, size);
    }
}

TEST(every_reason_has_a_name)
{
    for (uint32_t reason = 0; reason < RAIM_REASONS; reason++)
        assert_string_not_equal(raim_reason_name(reason), "unknown");
    assert_string_equal(raim_reason_name(RAIM_REASONS), "unknown");
    assert_string_equal(raim_reason_name(UINT32_MAX), "unknown");
}
