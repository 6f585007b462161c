// SPDX-License-Identifier: MIT
// PROTOCOL.md: its examples equal the writers' output, its rules are in the wire's order, and its
// numbers are those of the code.
#include "codecs.h"
#include "connectionless.h"
#include "document_fixture.h"
#include "rules.h"
#include "snapshot.h"

#include <jansson.h>

#define TOKEN                                                                                      \
    0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF

static int load(void **state)
{
    (void)state;
    return load_document(RAIM_SOURCE_DIR "/proto/PROTOCOL.md");
}

static void assert_example(const char *name, const uint8_t *bytes, size_t size)
{
    assert_block("hex", name, bytes, size);
}

TEST(examples_of_requesting_are_what_is_written)
{
    uint8_t bytes[RAIM_CONNECTIONLESS_BYTES];
    const size_t size = raim_connect_request_write(&(struct raim_connect_request){0}, bytes);
    assert_int_equal(size, 512);
    assert_block("datagram", "connect_request", bytes, 24);
    for (size_t i = 24; i < size; i++) // the document says so
        assert_int_equal(bytes[i], 0);
    const struct raim_cookie cookie = {.cookie = 0x12345678, .arena = "duel"};
    assert_block("datagram", "cookie", bytes, raim_cookie_write(&cookie, bytes));
    // test_invitation verifies the proof.
    const struct raim_invite invite = {
        .nonce = {1, 2, 3, 4, 5, 6, 7, 8},
        .proof = {0xF0, 0x77, 0x73, 0x85, 0xC4, 0x07, 0xBF, 0x98},
    };
    assert_block("datagram", "invite", bytes, raim_invite_write(&invite, bytes));
}

TEST(examples_of_entering_are_what_is_written)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    uint32_t written;
    const struct raim_hello hello = {.version = RAIM_PROTOCOL_VERSION, .name = "Ada"};
    assert_example("hello", bytes, raim_hello_write(&hello, bytes, sizeof bytes));
    const struct raim_hello watch = {
        .version = RAIM_PROTOCOL_VERSION, .watch = true, .target = 1024 + 2, .name = "Bob"};
    assert_example("hello watch", bytes, raim_hello_write(&watch, bytes, sizeof bytes));
    const struct raim_hello resume = {
        .version = RAIM_PROTOCOL_VERSION, .resume = true, .token = {TOKEN}, .name = "Ada"};
    assert_example("hello resume", bytes, raim_hello_write(&resume, bytes, sizeof bytes));
    const struct raim_hello access = {.version = RAIM_PROTOCOL_VERSION,
                                      .access_size = 3,
                                      .access = {0xC0, 0xC1, 0xC2},
                                      .name = "Ada"};
    assert_example("hello access", bytes, raim_hello_write(&access, bytes, sizeof bytes));

    const struct raim_welcome welcome = {
        .version = RAIM_PROTOCOL_VERSION,
        .player = 1024 + 2,
        .token = {TOKEN},
        .grace_s = 30,
        .tick = 1000,
        .event_sequence = 5,
        .epoch = 1,
        .tick_hz = 60,
        .max_players = 16,
        .shots = 6,
        .max_rewind = 9,
        .view_width = 1600,
        .view_height = 861,
        .sight = true,
        .obstacle_count = 1,
        .roster_count = 2,
        .border = {-32000, -16000, 32000, 16000},
        .rule_count = 8,
        .rules = {20, 300, 4, 900, 1.2, 0.25, 2, 1},
        .map_name = "duel",
        .phase = {.round = 2, .has_end = true, .end_tick = 19000, .score_limit = 20},
        .arena = "arena-1",
        .motd = "gl hf",
    };
    assert_example("welcome", bytes, raim_welcome_write(&welcome, bytes, sizeof bytes));

    const struct raim_wire_obstacle obstacle = {
        .count = 3, .seams = 4, .points = {{0, 0}, {0, -1}, {3200, 0}}};
    assert_example("obstacles", bytes,
                   raim_obstacles_write(&obstacle, 1, &written, bytes, sizeof bytes));

    const struct raim_roster_entry entries[] = {
        {.player = 1024, .bot = true, .score = 3, .deaths = 10, .name = "Bot 1"},
        {.player = 1024 + 2, .name = "Ada"},
    };
    assert_example("roster", bytes, raim_roster_write(entries, 2, &written, bytes, sizeof bytes));
}

static void assert_vote_examples(uint8_t *bytes, size_t capacity)
{
    const struct raim_vote_request call = {
        .action = RAIM_VOTE_CALL,
        .subject = {.kind = RAIM_VOTE_KICK, .player = 1024, .reason = "spam"}};
    const struct raim_vote_request map = {.action = RAIM_VOTE_CALL,
                                          .subject = {.kind = RAIM_VOTE_MAP, .map = "ruins"}};
    const struct raim_vote_request cast = {
        .action = RAIM_VOTE_CAST, .number = 3, .choice = RAIM_VOTE_YES};
    const struct raim_vote_request withdraw = {.action = RAIM_VOTE_WITHDRAW, .number = 3};
    assert_example("call vote", bytes, raim_vote_request_write(&call, bytes, capacity));
    assert_example("call vote map", bytes, raim_vote_request_write(&map, bytes, capacity));
    assert_example("cast vote", bytes, raim_vote_request_write(&cast, bytes, capacity));
    assert_example("withdraw vote", bytes, raim_vote_request_write(&withdraw, bytes, capacity));

    static const struct raim_vote_offer offer = {
        .kinds = RAIM_VOTE_EVERY_KIND, .map_count = 2, .maps = {"duel", "ruins"}};
    assert_example("vote offer", bytes, raim_vote_offer_write(&offer, bytes, capacity));
    const struct raim_vote_report began = {.kind = RAIM_VOTE_BEGAN,
                                           .number = 3,
                                           .subject = call.subject,
                                           .caller = 1024 + 2,
                                           .caller_name = "Ada",
                                           .target_name = "Bob",
                                           .left_ms = 25000};
    struct raim_vote_report tally = {.kind = RAIM_VOTE_TALLY,
                                     .number = 3,
                                     .tally = {.yes = 2, .no = 1, .electors = 5, .needed = 3},
                                     .choice = RAIM_VOTE_YES};
    const struct raim_vote_report rejected = {
        .kind = RAIM_VOTE_REJECTED, .rejection = RAIM_VOTE_TOO_SOON, .amount = 12};
    assert_example("vote began", bytes, raim_vote_report_write(&began, bytes, capacity));
    assert_example("vote tally", bytes, raim_vote_report_write(&tally, bytes, capacity));
    assert_example("vote rejected", bytes, raim_vote_report_write(&rejected, bytes, capacity));
    tally.kind = RAIM_VOTE_ENDED;
    tally.tally.yes = 3;
    tally.outcome = RAIM_VOTE_PASSED;
    assert_example("vote ended", bytes, raim_vote_report_write(&tally, bytes, capacity));
}

TEST(examples_of_playing_are_what_is_written)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_input_message input = {
        .tick = 1006,
        .has_snapshot = true,
        .snapshot = 1002,
        .events = 5,
        .count = 3,
        .inputs = {{.move_x = 1, .fire = true, .view_age = 6, .aim = 0x4000},
                   {.move_x = 1, .aim = 0x4000},
                   {.move_x = 1, .aim = 0x4000}},
    };
    assert_example("input", bytes, raim_input_write(&input, bytes, sizeof bytes));
    const struct raim_pings pings = {.epoch = 1, .count = 3, .values = {0, 4, 63}};
    assert_example("pings", bytes, raim_pings_write(&pings, bytes, sizeof bytes));
    assert_vote_examples(bytes, sizeof bytes);
    static struct raim_events_message events = {.epoch = 1, .sequence = 5, .count = 7};
    events.events[0] = (struct raim_wire_event){.kind = RAIM_WIRE_KILL,
                                                .player = 1024 + 2,
                                                .victim = 1024,
                                                .score = 1,
                                                .deaths = 11,
                                                .rewind = 6};
    events.events[1] = (struct raim_wire_event){
        .kind = RAIM_WIRE_LEFT, .player = 1024, .reason = RAIM_REASON_LOST};
    events.events[2] =
        (struct raim_wire_event){.kind = RAIM_WIRE_CHAT, .player = 1024 + 2, .text = "gg"};
    events.events[3] = (struct raim_wire_event){.kind = RAIM_WIRE_PHASE,
                                                .phase = {.phase = RAIM_PHASE_BREAK,
                                                          .round = 2,
                                                          .has_end = true,
                                                          .end_tick = 1603,
                                                          .score_limit = 20,
                                                          .winner = 1024 + 2,
                                                          .next_map = "ruins"}};
    events.events[4] = (struct raim_wire_event){
        .kind = RAIM_WIRE_CHAT, .by_operator = true, .text = "restart at 8"};
    events.events[5] = (struct raim_wire_event){
        .kind = RAIM_WIRE_OTHER, .type = 200, .size = 2, .text = "\x01\xFF"};
    events.events[6] = (struct raim_wire_event){
        .kind = RAIM_WIRE_JOINED,
        .entry = {.player = 2048, .bot = true, .name = "Bot 2"},
    };
    assert_example("events", bytes, write_events(&events, bytes, sizeof bytes));
}

TEST(examples_of_snapshots_are_what_is_written)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    const struct raim_wire_limits limits = {
        .players = 16, .shots = 6, .history = 64, .stride = 160, .diagonal = 113, .max_rewind = 9};
    raim_wire_player players_before[16] = {
        [0] = {.x = -3200, .y = 640, .aim = 0, .direction = 1, .life = 4},
        [2] = {.x = 0, .y = 0, .aim = 1020, .direction = 4, .life = 1, .shield = 1},
        [3] = {.x = 6400, .y = -320, .aim = 1020, .life = 2},
        [9] = {.x = 9600, .y = 0, .aim = 512, .direction = 5, .life = 5},
    };
    raim_wire_bullet bullets_before[96] = {
        [54] = {.x = 10080, .y = 0, .tick = 996, .rewind = 2, .aim = 0x8000},
    };
    uint64_t seen_before[1] = {1 << 0 | 1 << 2 | 1 << 3 | 1 << 9};
    uint64_t flying_before[2] = {(uint64_t)1 << 54};
    const struct raim_wire_frame before = {
        .tick = 1002,
        .epoch = 1,
        .self = {.slot = 2, .steers = true, .alive = true, .margin = 2},
        .players = players_before,
        .bullets = bullets_before,
        .seen_players = seen_before,
        .seen_bullets = flying_before,
    };
    assert_example("snapshot whole", bytes,
                   raim_snapshot_write(&limits, NULL, &before, bytes, sizeof bytes));

    raim_wire_player players_now[16] = {
        [0] = {.x = -3040, .y = 800, .aim = 0, .direction = 3, .life = 4},
        [2] = {.x = -226, .y = 226, .aim = 40, .direction = 4, .life = 1, .shield = 0},
        [3] = {.x = 6400, .y = -320, .aim = 3, .life = 2},
        [5] = {.x = 1000, .y = -1000, .aim = 256, .direction = 7, .life = 7},
    };
    raim_wire_bullet bullets_now[96] = {
        [13] = {.x = -226, .y = 226, .tick = 997, .rewind = 6, .aim = 0x0010},
        [50] = {.x = -9000, .y = 0, .tick = 990, .now_x = -1234, .now_y = 567, .aim = 0xC000},
    };
    uint64_t seen_now[1] = {1 << 0 | 1 << 2 | 1 << 3 | 1 << 5};
    uint64_t flying_now[2] = {1 << 13 | (uint64_t)1 << 50};
    const struct raim_wire_frame now = {
        .tick = 1004,
        .self = {.slot = 2, .steers = true, .alive = true, .timer = 15, .shots = 1, .margin = 2},
        .players = players_now,
        .bullets = bullets_now,
        .seen_players = seen_now,
        .seen_bullets = flying_now,
    };
    assert_example("snapshot delta", bytes,
                   raim_snapshot_write(&limits, &before, &now, bytes, sizeof bytes));
}

// --- Messages of plain fields ---

#define VECTORS RAIM_SOURCE_DIR "/proto/vectors.json"

static bool has_new_values;

// The member of an example's value. ./dev bless gives one to an example that lacks it.
static const json_t *value_of(json_t *value, const char *name, json_t *otherwise)
{
    if (json_object_get(value, name) == NULL && getenv("RAIM_BLESS") != NULL)
        has_new_values = json_object_set(value, name, otherwise) == 0;
    json_decref(otherwise);
    return json_object_get(value, name);
}

static uint32_t number_of(json_t *value, const char *name, uint32_t otherwise)
{
    return (uint32_t)json_integer_value(value_of(value, name, json_integer(otherwise)));
}

static void copy_text(json_t *value, const char *name, char *text, size_t most)
{
    const json_t *told = value_of(value, name, json_string("text"));
    assert_in_range(json_string_length(told), 0, most);
    memcpy(text, json_string_value(told), json_string_length(told));
}

static void copy_bytes(json_t *value, const char *name, uint8_t *bytes, size_t size)
{
    const json_t *told = value_of(value, name, json_array());
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)json_integer_value(json_array_get(told, i));
}

// Takes a member of a message of plain fields from a value.
#define TAKE(encoding, ...) TAKE_##encoding(__VA_ARGS__)
#define TAKE_U(name, bits) message->name = number_of(value, #name, 1);
#define TAKE_PLAYER(name, bits) message->name = number_of(value, #name, 1026);
#define TAKE_BOOL(name, bits) message->name = number_of(value, #name, 1) != 0;
#define TAKE_RANGED(name, least, most) message->name = number_of(value, #name, least);
#define TAKE_COUNT(name, bits) message->name = number_of(value, #name, 1);
#define TAKE_TEXT(name, most) copy_text(value, #name, message->name, most);
#define TAKE_BYTES(name, size) copy_bytes(value, #name, message->name, size);

#define EXAMPLE(name, kind, LIST)                                                                  \
    static size_t write_##name(json_t *value, uint8_t *bytes, size_t capacity)                     \
    {                                                                                              \
        struct raim_##name it = {0}, *message = &it;                                               \
        LIST(TAKE)                                                                                 \
        return raim_##name##_write(message, bytes, capacity);                                      \
    }
RAIM_PLAIN_MESSAGES(EXAMPLE)

#define EXAMPLE_ROW(name, kind, LIST) {#name, write_##name},
static const struct {
    const char *name; // of its example; others add words, such as "notice challenge"
    size_t (*write)(json_t *value, uint8_t *bytes, size_t capacity);
} plain[] = {RAIM_PLAIN_MESSAGES(EXAMPLE_ROW)};
enum { PLAIN = sizeof plain / sizeof *plain };

TEST(examples_of_plain_fields_are_what_is_written)
{
    uint8_t bytes[RAIM_MAX_MESSAGE_BYTES];
    json_t *vectors = json_load_file(VECTORS, 0, NULL);
    for (size_t i = 0; i < PLAIN; i++) {
        const size_t length = strlen(plain[i].name);
        bool is_shown = false;
        for (size_t j = 0; j <= json_array_size(vectors); j++) {
            json_t *vector = json_array_get(vectors, j);
            const char *name = json_string_value(json_object_get(vector, "name"));
            if (vector == NULL && !is_shown) { // the last round
                name = plain[i].name;
                vector = json_pack("{s:s, s:s, s:{}}", "name", name, "hex", "", "value");
                json_array_append_new(vectors, vector);
            }
            if (vector == NULL || strncmp(name, plain[i].name, length) != 0 ||
                strchr(" ", name[length]) == NULL)
                continue;
            is_shown = true;
            json_t *value = json_object_get(vector, "value");
            assert_example(name, bytes, plain[i].write(value, bytes, sizeof bytes));
        }
    }
    if (has_new_values)
        assert_int_equal(json_dump_file(vectors, VECTORS, 0), 0);
    json_decref(vectors);
}

#define MESSAGE_ROW(kind, sender, channel) {#kind, #sender, channel},
static const struct {
    const char *kind, *sender;
    int channel;
} messages[] = {RAIM_MESSAGES(MESSAGE_ROW)};
enum { MESSAGES = sizeof messages / sizeof *messages };

TEST(messages_are_listed_with_their_senders_and_channels)
{
    const char *at = strstr(document, "\nkind  message ");
    for (uint32_t i = 0; i < MESSAGES; i++) {
        char row[64];
        snprintf(row, sizeof row, "\n%-5u %-13s  %-6s  %d  ", i + 1, messages[i].kind,
                 messages[i].sender, messages[i].channel);
        at = assert_row(at, row);
    }
}

struct dissected {
    const char *type, *name;
    uint32_t arguments[2];
};

// A row of the dissector's table; returns its length.
static size_t print_row(char *text, size_t capacity, const char *name,
                        const struct dissected *fields, size_t count)
{
    size_t length = (size_t)snprintf(text, capacity, "    %s = {", name);
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, capacity - length, "%s{\"%s\", \"%s\", %u, %u}",
                                   i > 0 ? ", " : "", fields[i].name, fields[i].type,
                                   fields[i].arguments[0], fields[i].arguments[1]);
    return length + (size_t)snprintf(text + length, capacity - length, "},\n");
}

TEST(the_dissector_knows_the_messages)
{
    char text[8192];
    size_t length = 0;
    for (uint32_t i = 0; i < MESSAGES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "    {\"%s\", %d},\n",
                                   messages[i].kind, messages[i].channel);
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/proto/raim.lua"), 0);
    assert_says("local MESSAGES = {\n", text, "}\n");
    length = 0;
#define DISSECT(encoding, name, ...) {#encoding, #name, {__VA_ARGS__}},
#define PRINT_ROW(name, kind, LIST)                                                                \
    {                                                                                              \
        static const struct dissected fields[] = {LIST(DISSECT)};                                  \
        length += print_row(text + length, sizeof text - length, #name, fields,                    \
                            sizeof fields / sizeof *fields);                                       \
    }
    RAIM_PLAIN_MESSAGES(PRINT_ROW)
    assert_says("local PLAIN = {\n", text, "}\n");
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/proto/PROTOCOL.md"), 0);
}

TEST(rules_are_listed_in_the_order_of_the_wire)
{
    char rows[4096];
    size_t length = 0;
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        length += (size_t)snprintf(rows + length, sizeof rows - length, "\n| %d | `%s` | %s | %s |",
                                   i, raim_rule_at(i)->name, raim_rule_at(i)->unit,
                                   raim_rule_at(i)->meaning);
    assert_says("| index | rule | unit | meaning |\n|---|---|---|---|", rows, "\n\n");
}

// Names of rules in lines of at most 100 columns, as others list them.
static void print_rules(char *text, size_t capacity, const char *first, const char *indent)
{
    size_t length = (size_t)snprintf(text, capacity, "%s", first), column = length;
    for (int i = 0; i < RAIM_RULE_COUNT; i++) {
        const char *name = raim_rule_at(i)->name;
        const bool breaks = column + strlen(name) + 5 > 100;
        const char *gap = breaks ? indent : " ";
        const int printed = snprintf(text + length, capacity - length, "%s%s\"%s\"",
                                     i > 0 ? "," : "", i > 0 ? gap : "", name);
        column = breaks ? strlen(indent) + strlen(name) + 2 : column + (size_t)printed;
        length += (size_t)printed;
    }
}

TEST(the_dissector_and_the_python_client_name_the_rules)
{
    char names[4096];
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/proto/raim.lua"), 0);
    print_rules(names, sizeof names, "    [0] = ", "\n    ");
    assert_says("local RULES = {\n", names, ",\n}\n");
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/client/examples/python/raim.py"), 0);
    print_rules(names, sizeof names, "        ", "\n        ");
    assert_says("_fields_ = [(name, c_double) for name in (\n", names, ")]\n");
    assert_int_equal(load_document(RAIM_SOURCE_DIR "/proto/PROTOCOL.md"), 0);
}

TEST(reasons_are_listed_with_their_names)
{
    const char *at = strstr(document, "## Reasons\n");
    for (uint32_t reason = 0; reason < RAIM_REASONS; reason++) {
        char row[64];
        snprintf(row, sizeof row, "\n| %u | %s |", reason, raim_reason_name(reason));
        at = assert_row(at, row);
    }
}

TEST(limits_are_those_of_the_code)
{
    static const struct {
        const char *what;
        int value;
    } rows[] = {
        {"protocol version", RAIM_PROTOCOL_VERSION},
        {"bytes of a message", RAIM_MAX_MESSAGE_BYTES},
        {"bytes of a name", RAIM_MAX_NAME_BYTES},
        {"bytes of a map's name", RAIM_MAX_TITLE_BYTES},
        {"bytes of a goodbye's text", RAIM_MAX_TEXT_BYTES},
        {"bytes of what is said", RAIM_MAX_CHAT_BYTES},
        {"bytes of a token", RAIM_TOKEN_BYTES},
        {"bytes of an access token", RAIM_ACCESS_BYTES},
        {"bytes of the message of the day", RAIM_MAX_MOTD_BYTES},
        {"slots for players", RAIM_WIRE_PLAYERS},
        {"slots for bullets", RAIM_WIRE_BULLETS},
        {"obstacles", RAIM_WIRE_OBSTACLES},
        {"corners of an obstacle", RAIM_WIRE_POINTS},
        {"rules", RAIM_WIRE_RULES},
        {"inputs in one INPUT", RAIM_MAX_INPUTS},
        {"events in one EVENTS", RAIM_MAX_EVENTS_MESSAGE},
        {"bytes of an event", RAIM_MAX_EVENT_BYTES},
        {"snapshots remembered, in ticks", RAIM_MAX_HISTORY},
        {"margin, in ticks", RAIM_MAX_MARGIN},
        {"view_age and rewind, in ticks", RAIM_WIRE_REWIND},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char row[96];
        snprintf(row, sizeof row, "\n| %s | %d |", rows[i].what, rows[i].value);
        assert_row(document, row);
    }
}

TEST_GROUP(load, NULL)
