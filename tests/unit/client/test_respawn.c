// SPDX-License-Identifier: MIT
// A client that is welcomed anew while it plays: what it is told afterwards it reads as if it had
// just come, whatever arena it was in before and whatever of that is still under way.
#include "frame_fixture.h"

#include "client_fixture.h" // behind what calls its own things `bytes`

enum { STEPS = 20000, TICK_US = 1000000 / TICK_HZ, MAX_PLACES = 24, HISTORY = 64 };

// --- A server that goes on to another arena now and then ---

static struct {
    struct raim_welcome welcome;
    struct raim_wire_limits limits;
    raim_rules rules;
    struct raim_wire_frame frames[HISTORY]; // by tick
    bool sent[HISTORY];
    bool any_acked;
    uint32_t acked, tick, sequence;
    struct raim_roster_entry members[MAX_PLACES]; // by slot; player 0: empty
    uint32_t entries, rounds;
    uint64_t errors; // that the client cannot help
} server;

static void free_frames(void)
{
    for (int i = 0; i < HISTORY; i++)
        frame_free(&server.frames[i]);
}

static void choose_members(void)
{
    const uint32_t own = (uint32_t)chance_int(0, (int)server.limits.players - 1);
    server.welcome.roster_count = 0;
    for (uint32_t place = 0; place < MAX_PLACES; place++) {
        server.members[place] = (struct raim_roster_entry){0};
        if (place >= server.limits.players || (place != own && chance_bool()))
            continue;
        server.members[place] = (struct raim_roster_entry){
            .player = (uint32_t)chance_int(1, 63) * RAIM_MAX_PLAYERS + place,
            .score = chance_magnitude(8),
            .deaths = chance_magnitude(8),
            .name = "somebody",
        };
        server.welcome.roster_count++;
    }
    server.welcome.player = server.members[own].player;
}

// Any arena but for its pace; the clock and the events go on.
static void build_arena(void)
{
    const uint32_t places = (uint32_t)chance_int(1, MAX_PLACES);
    const bool next_round = chance_bool();
    server.rules = raim_rules_default();
    server.rules.player_speed = chance_int(100, 500);
    server.rules.health = chance_int(1, 2);
    const struct raim_stride stride = raim_world_stride(&server.rules, TICK_HZ);
    server.limits = (struct raim_wire_limits){
        .players = places,
        .shots = (uint32_t)chance_int(1, 8),
        .history = HISTORY,
        .stride = stride.straight,
        .diagonal = stride.diagonal,
        .max_rewind = (uint32_t)chance_int(0, 12),
        .has_health = server.rules.health > 1,
    };
    const uint32_t round = server.welcome.phase.round;
    server.welcome = good_welcome();
    server.welcome.max_players = places;
    server.welcome.shots = server.limits.shots;
    server.welcome.max_rewind = server.limits.max_rewind;
    server.welcome.obstacle_count = chance_bits(1);
    server.welcome.phase.round = round + next_round;
    server.rounds += next_round;
    for (int i = 0; i < RAIM_RULE_COUNT; i++)
        server.welcome.rules[i] = *raim_rule_value(&server.rules, i);
    snprintf(server.welcome.motd, sizeof server.welcome.motd, "arena %u", server.entries++);
    for (int i = 0; i < RAIM_TOKEN_BYTES; i++)
        server.welcome.token[i] = (uint8_t)chance_bits(8);
    choose_members();
    free_frames();
    for (int i = 0; i < HISTORY; i++) {
        server.frames[i] = frame_make(&server.limits);
        server.sent[i] = false;
    }
    server.any_acked = false;
}

static void send_arena(struct raim_client *client)
{
    uint32_t written;
    const struct raim_wire_obstacle square = {
        4, 0, {{3200, 3200}, {6400, 3200}, {6400, 6400}, {3200, 6400}}};
    server.welcome.tick = server.tick;
    server.welcome.event_sequence = server.sequence;
    assert_true(welcome(client, &server.welcome));
    if (server.welcome.obstacle_count > 0)
        assert_true(
            receive(client, raim_obstacles_write(&square, 1, &written, bytes, sizeof bytes)));
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_ENTERING);
    for (uint32_t place = 0; place < MAX_PLACES; place++)
        if (server.members[place].player != RAIM_NOBODY)
            assert_true(tell_roster(client, &server.members[place], 1));
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
}

static const struct raim_wire_frame *baseline_of(uint32_t tick)
{
    const bool is_good = server.any_acked && tick - server.acked < HISTORY;
    return is_good ? &server.frames[server.acked % HISTORY] : NULL;
}

// Makes and writes the snapshot of the server's tick.
static size_t write_frame(void)
{
    const struct raim_wire_limits *limits = &server.limits;
    const struct raim_wire_frame *baseline = baseline_of(server.tick);
    struct raim_wire_frame *frame = &server.frames[server.tick % HISTORY];
    memset(frame->seen_players, 0, raim_set_words(limits->players) * 8);
    memset(frame->seen_bullets, 0, raim_set_words(raim_wire_bullets(limits)) * 8);
    chance_frame(limits, frame, server.tick, 2);
    if (baseline != NULL)
        chance_succession(limits, baseline, frame);
    frame->self.slot = (uint16_t)(server.welcome.player % RAIM_MAX_PLAYERS);
    frame->self.steers = chance_int(0, 9) > 0;
    server.sent[server.tick % HISTORY] = true;
    const size_t size = raim_snapshot_write(limits, baseline, frame, bytes, sizeof bytes);
    assert_true(size > 0);
    return size;
}

static void assert_shows(const struct raim_client *client, const struct raim_wire_frame *frame)
{
    struct raim_client_player seen[MAX_PLACES];
    const uint32_t count = raim_client_players(client, seen, MAX_PLACES);
    uint32_t row = 0;
    assert_int_equal(raim_client_tick(client), frame->tick);
    FOR_EACH_SLOT (place, frame->seen_players, server.limits.players) {
        assert_true(row < count && seen[row].slot == place);
        assert_true(seen[row].position.x == frame->players[place].x / 32.0);
        assert_true(seen[row].position.y == frame->players[place].y / 32.0);
        assert_int_equal(seen[row].life, frame->players[place].life);
        row++;
    }
    assert_int_equal(row, count);
}

static void assert_knows(const struct raim_client *client)
{
    const struct raim_client_stats *stats = raim_client_get_stats(client);
    for (uint32_t place = 0; place < server.limits.players; place++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, place);
        assert_int_equal(member->id, server.members[place].player);
        assert_int_equal(member->score, server.members[place].score);
        assert_int_equal(member->deaths, server.members[place].deaths);
    }
    assert_int_equal(raim_client_get_phase(client).round, server.welcome.phase.round);
    assert_string_equal(raim_client_motd(client), server.welcome.motd);
    assert_int_equal(raim_client_own_slot(client), server.welcome.player % RAIM_MAX_PLAYERS);
    assert_int_equal(stats->decode_errors, server.errors);
    assert_int_equal(stats->entries, server.entries);
    assert_int_equal(stats->rounds, server.rounds);
    assert_true(stats->events_ahead == 0 && stats->events_repeated == 0);
}

// A kill, or another round.
static void send_event(struct raim_client *client)
{
    struct raim_wire_event event = {.kind = RAIM_WIRE_KILL, .player = server.welcome.player};
    if (chance_int(0, 4) == 0) {
        server.welcome.phase.round++;
        server.rounds++;
        event = (struct raim_wire_event){.kind = RAIM_WIRE_PHASE, .phase = server.welcome.phase};
        for (uint32_t place = 0; place < MAX_PLACES; place++)
            server.members[place].score = server.members[place].deaths = 0;
    } else {
        struct raim_roster_entry *own = &server.members[event.player % RAIM_MAX_PLAYERS];
        event.victim = event.player;
        event.score = ++own->score;
        event.deaths = ++own->deaths;
    }
    assert_true(tell_events(client, server.sequence++, &event, 1));
}

// What the client acknowledges is what the server sent it; returns whether it acknowledged any.
static bool receive_input(struct raim_client *client)
{
    const size_t size = press(client);
    if (size == 0)
        return server.any_acked;
    const struct raim_input_message message = read_message(size);
    if (message.has_snapshot) {
        assert_true(server.sent[message.snapshot % HISTORY]);
        assert_int_equal(server.frames[message.snapshot % HISTORY].tick, message.snapshot);
        server.acked = message.snapshot;
    } else {
        assert_int_equal(message.inputs[0].move_x, 0);
    }
    server.any_acked = message.has_snapshot;
    return message.has_snapshot;
}

static void go_on(struct raim_client *client)
{
    // A snapshot of the arena before comes last of all, or one of the next arena first.
    uint8_t late[RAIM_MAX_MESSAGE_BYTES];
    const size_t late_size = write_frame();
    memcpy(late, bytes, late_size);
    build_arena();
    server.tick++;
    if (chance_bool()) {
        server.errors += !receive(client, write_frame());
        if (raim_client_is_input_due(client, now_us)) {
            const bool is_taken = raim_client_tick(client) == server.tick;
            const size_t size = press(client);
            server.any_acked = is_taken && size > 0 && read_message(size).has_snapshot;
            server.acked = server.tick;
        }
        server.tick++;
    }
    send_arena(client);
    memcpy(bytes, late, late_size);
    assert_true(receive(client, late_size));
    assert_int_equal(raim_client_tick(client), 0);
    // Without a word about what it had before.
    assert_false(receive_input(client));
}

TEST(it_reads_all_that_it_is_reported_after_being_welcomed_again)
{
    struct raim_client *client = test_client();
    uint32_t lost = 0, shown = 0;
    server.tick = FIRST_TICK;
    server.sequence = FIRST_EVENT;
    build_arena();
    server.rounds = 0; // that it saw end
    send_arena(client);
    for (int step = 0; step < STEPS; step++) {
        server.tick++;
        now_us += TICK_US;
        if (chance_int(0, 60) == 0)
            go_on(client);
        if (chance_int(0, 9) == 0)
            send_event(client);
        const size_t size = write_frame();
        if (chance_int(0, 3) == 0 && server.any_acked) {
            lost++;
        } else {
            assert_true(receive(client, size));
            raim_client_interpolate(client, now_us);
            assert_shows(client, &server.frames[server.tick % HISTORY]);
            shown++;
        }
        while (raim_client_is_input_due(client, now_us))
            receive_input(client);
        assert_knows(client);
    }
    printf("%u arenas, %u snapshots read, %u lost, %llu before their welcome unreadable\n",
           server.entries, shown, lost, (unsigned long long)server.errors);
    assert_true(server.entries > 100 && shown > STEPS / 2);
    free_frames();
}

// --- What else a welcome brings ---

TEST(a_new_token_and_a_new_grace_time_count)
{
    struct raim_client *client = player();
    struct raim_welcome message = good_welcome();
    assert_true(show_empty(client, FIRST_TICK));
    memset(message.token, 7, sizeof message.token);
    message.grace_s = 5;
    message.tick += 100;
    enter_again(client, &message);
    raim_client_disconnected(client, now_us, RAIM_REASON_LOST);
    assert_true(raim_client_wants_connection(client, now_us));
    const struct raim_hello hello = hello_of(client);
    assert_true(hello.resume);
    assert_memory_equal(hello.token, message.token, sizeof hello.token);
    assert_int_equal(raim_client_get_stats(client)->resumes, 0);
    now_us += 5000000;
    raim_client_wants_connection(client, now_us);
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_ENDED);
}

TEST(a_welcome_in_the_middle_of_a_welcome_begins_again)
{
    struct raim_client *client = test_client();
    struct raim_welcome message = good_welcome();
    message.roster_count = 2;
    message.obstacle_count = 9;
    assert_true(welcome(client, &message));
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OTHER}, 1));
    message = good_welcome();
    assert_true(welcome(client, &message));
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_ENTERING);
    assert_true(tell_roster(client, &(struct raim_roster_entry){.player = OWN, .name = "one"}, 1));
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
    assert_int_equal(raim_client_get_roster_entry(client, 1)->id, RAIM_NOBODY);
}

TEST(an_unreadable_welcome_changes_nothing)
{
    struct raim_client *client = player();
    struct raim_welcome message = good_welcome();
    assert_true(show_empty(client, FIRST_TICK));
    message.tick += 100;
    const size_t size = raim_welcome_write(&message, bytes, sizeof bytes);
    assert_false(receive(client, size - 1));
    assert_int_equal(raim_client_get_state(client), RAIM_CLIENT_PLAYING);
    assert_int_equal(raim_client_tick(client), FIRST_TICK);
    message.player = RAIM_NOBODY; // a player cannot become a spectator
    assert_false(welcome(client, &message));
    assert_int_equal(raim_client_tick(client), FIRST_TICK);
    message.player = OWN;
    // One of an arena that cannot be played ends it, as at first.
    message.rules[0] = -1;
    assert_false(welcome(client, &message));
    assert_int_equal(raim_client_get_end(client).reason, RAIM_REASON_MALFORMED);
}

TEST(a_spectator_is_welcomed_anew_too)
{
    struct raim_client *client = spectator();
    struct raim_welcome message = good_welcome();
    struct raim_wire_frame frame = empty_frame(FIRST_TICK);
    frame.self.steers = false;
    assert_true(show(client, &frame));
    message.player = RAIM_NOBODY;
    message.tick += 10;
    enter_again(client, &message);
    assert_int_equal(press(client), 0); // nothing to acknowledge
    frame.tick += 11;
    assert_true(show(client, &frame));
    assert_int_equal(pressed(client).snapshot, FIRST_TICK + 11);
}
