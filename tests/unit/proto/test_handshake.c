// SPDX-License-Identifier: MIT
// HELLO, WELCOME, OBSTACLES and GOODBYE: what the round trips of test_messages.c do not draw.
#include "codecs.h"

static const struct codec *codec;
static union message message, told;
static uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];

// Writes the message; returns whether it is read.
static bool passes(void)
{
    return codec_read(codec, bytes, codec->write(&message, bytes, sizeof bytes), &told);
}

// A HELLO of Ada's, or a random WELCOME.
static void begin(const char *name)
{
    codec = codec_of(name);
    memset(&message, 0, sizeof message);
    if (codec->kind == RAIM_MESSAGE_HELLO)
        message.hello = (struct raim_hello){.version = RAIM_PROTOCOL_VERSION, .name = "Ada"};
    else
        codec->draw(&message);
}

TEST(hello_spends_a_bit_on_a_session_and_a_byte_on_an_access_token_that_it_lacks)
{
    static const uint8_t none[RAIM_TOKEN_BYTES];
    begin("hello");
    memset(message.hello.token, 0xA5, sizeof message.hello.token); // not sent: nothing is resumed
    const size_t size = codec->write(&message, bytes, sizeof bytes);
    assert_int_equal(size, (1 + 4 + 32 + 16 + 32 + 1 + 1 + 8 + 5 + 3 * 8 + 7) / 8);
    assert_true(passes());
    assert_memory_equal(told.hello.token, none, sizeof none);
    for (uint32_t access = 0; access <= RAIM_ACCESS_BYTES; access += RAIM_ACCESS_BYTES)
        for (int resume = 0; resume <= 1; resume++) {
            message.hello.access_size = access;
            message.hello.resume = resume != 0;
            assert_int_equal(codec->write(&message, bytes, sizeof bytes),
                             size + access + (resume ? RAIM_TOKEN_BYTES : 0));
            assert_true(passes());
        }
}

TEST(hello_of_another_version_tells_its_version_whatever_follows)
{
    begin("hello");
    for (int i = 0; i < 50000; i++) {
        const uint32_t version = chance_bits(16);
        if (version == RAIM_PROTOCOL_VERSION)
            continue;
        raim_writer writer = raim_message_write(RAIM_MESSAGE_HELLO, bytes, sizeof bytes);
        raim_write_bits(&writer, RAIM_HELLO_MAGIC, 32);
        raim_write_bits(&writer, version, 16);
        for (int j = chance_int(0, 50); j > 0; j--)
            raim_write_bits(&writer, chance_bits(8), 8);
        memset(&told, 0xA5, sizeof told);
        assert_true(codec_read(codec, bytes, raim_writer_finish(&writer), &told));
        assert_int_equal(told.hello.version, version);
        assert_false(told.hello.watch || told.hello.resume);
        assert_int_equal(told.hello.access_size, 0);
        assert_string_equal(told.hello.name, "");
    }
}

TEST(hello_without_the_magic_is_rejected)
{
    begin("hello");
    const size_t size = codec->write(&message, bytes, sizeof bytes);
    for (int bit = 4; bit < 36; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(codec_read(codec, bytes, size, &told));
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

TEST(welcome_names_a_slot_and_bullets_that_there_are)
{
    begin("welcome");
    message.welcome.max_players = 8;
    message.welcome.shots = 1;
    message.welcome.player = 3 * RAIM_WIRE_PLAYERS + 7;
    assert_true(passes());
    message.welcome.player++;
    assert_false(passes());
    message.welcome.player = 0;
    for (uint32_t players = 1; players <= RAIM_WIRE_PLAYERS; players++) {
        message.welcome.max_players = players;
        message.welcome.shots = RAIM_WIRE_BULLETS / players;
        assert_true(passes());
        if (++message.welcome.shots <= RAIM_WIRE_BULLETS) // or it cannot even be written
            assert_false(passes());
    }
    message.welcome.shots = 1;
    message.welcome.version = RAIM_PROTOCOL_VERSION + 1;
    assert_false(passes());
}

TEST(obstacle_has_3_to_16_points)
{
    for (uint32_t points = 3; points < 3 + 16; points++) {
        raim_writer writer = raim_message_write(RAIM_MESSAGE_OBSTACLES, bytes, sizeof bytes);
        raim_write_bool(&writer, true);
        raim_write_bits(&writer, points - 3, 4);
        raim_write_bits(&writer, 0, points);
        for (uint32_t i = 0; i < 2 * points; i++)
            raim_write_signed(&writer, chance_signed(20), 20);
        raim_write_bool(&writer, false);
        assert_int_equal(
            codec_read(codec_of("obstacles"), bytes, raim_writer_finish(&writer), &told),
            points <= 16);
    }
}

TEST(goodbye_of_a_client_is_no_servers)
{
    begin("client_goodbye");
    message.client_goodbye.token[RAIM_TOKEN_BYTES - 1] = 1;
    const size_t size = codec->write(&message, bytes, sizeof bytes);
    assert_false(codec_read(codec_of("goodbye"), bytes, size, &told));
}

// --- INPUT ---

TEST(repeated_inputs_cost_one_bit)
{
    struct raim_input_message input = {.count = 1};
    const size_t alone = raim_input_write(&input, bytes, sizeof bytes);
    input.count = RAIM_MAX_INPUTS;
    assert_true(raim_input_write(&input, bytes, sizeof bytes) <= alone + 1);
}

TEST(an_age_of_the_view_costs_six_bits_of_those_who_fire_and_makes_another_input)
{
    struct raim_input_message input = {.count = RAIM_MAX_INPUTS};
    for (int i = 0; i < RAIM_MAX_INPUTS; i++) // no two are alike
        input.inputs[i].aim = (uint16_t)(i + 1);
    const size_t holding = raim_input_write(&input, bytes, sizeof bytes);
    for (int i = 0; i < RAIM_MAX_INPUTS; i++)
        input.inputs[i].fire = true;
    assert_int_equal(raim_input_write(&input, bytes, sizeof bytes),
                     holding + 6 * RAIM_MAX_INPUTS / 8);
    input = (struct raim_input_message){.count = 2, .inputs = {{.fire = true}, {.fire = true}}};
    const size_t same = raim_input_write(&input, bytes, sizeof bytes);
    for (uint8_t age = 1; age <= RAIM_WIRE_REWIND; age++) {
        input.inputs[1].view_age = age;
        const size_t size = raim_input_write(&input, bytes, sizeof bytes);
        assert_true(size > same);
        assert_true(codec_read(codec_of("input"), bytes, size, &told));
        assert_int_equal(told.input.inputs[1].view_age, age);
    }
}

TEST(input_moves_by_no_more_than_one)
{
    for (uint32_t x = 0; x < 4; x++)
        for (uint32_t y = 0; y < 4; y++) {
            raim_writer writer = raim_message_write(RAIM_MESSAGE_INPUT, bytes, sizeof bytes);
            raim_write_bits(&writer, 1, 32); // tick
            raim_write_bits(&writer, 0, 20); // no snapshot, no events, one input
            raim_write_bits(&writer, x, 2);
            raim_write_bits(&writer, y, 2);
            raim_write_bits(&writer, 0, 17); // fire, aim
            assert_int_equal(
                codec_read(codec_of("input"), bytes, raim_writer_finish(&writer), &told),
                x < 3 && y < 3);
        }
}
