// SPDX-License-Identifier: MIT
// The operator's commands, with arenas whose workers do not run and therefore do not answer, and
// with stubs for the changes of the server.
#define _GNU_SOURCE
#include "arena_command.h"
#include "arena_table_changes.h"
#include "commands.h"
#include "control.h"
#include "event_journal.h"
#include "json_writer.h"
#include "log.h"
#include "loop.h"
#include "systemd.h"
#include "test.h"

#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE_MS = 10000 };

static struct {
    struct loop *loop;
    struct config *config;
    struct arena_table table;         // of two arenas
    struct socket_activation sockets; // empty
    struct wakeup wakeup;             // never signalled
    char error[256];
} fixture;
static struct commands *commands;

// The stubs record the change, and fail with `rejection`.
static char asked[256];
static const char *rejection; // NULL: succeed

static bool change(const char *what, const char *name, const char *path, char *error,
                   size_t capacity)
{
    snprintf(asked, sizeof asked, "%s %s %s", what, name, path);
    if (rejection != NULL)
        snprintf(error, capacity, "%s", rejection);
    return rejection == NULL;
}

static const char *name_at(const struct arena_table *table, int index)
{
    return arena_config(table->running.arenas[index])->name;
}

bool arena_table_add_arena(struct arena_table *table, const char *name, char *error,
                           size_t capacity)
{
    (void)table;
    return change("add", name, "", error, capacity);
}

bool arena_table_remove_arena(struct arena_table *table, int index, char *error, size_t capacity)
{
    return change("remove", name_at(table, index), "", error, capacity);
}

bool arena_table_change_map(struct arena_table *table, int index, const char *path, char *error,
                            size_t capacity)
{
    return change("map", name_at(table, index), path, error, capacity);
}

bool arena_table_reload(struct arena_table *table, struct reload_report *report)
{
    (void)table;
    reload_report_add(report, RELOAD_REPORT_WARNING, "f:1: \"odd\"");
    if (rejection != NULL)
        reload_report_add(report, RELOAD_REPORT_MISTAKE, "f:2: %s", rejection);
    else {
        reload_report_add(report, RELOAD_REPORT_RESTART, "f:3: port: 1 -> 2");
        reload_report_add(report, RELOAD_REPORT_APPLIED, "f:4: bots: 1 -> 2");
    }
    return rejection == NULL;
}

static void open_fixture(void)
{
    memset(&fixture, 0, sizeof fixture);
    asked[0] = '\0';
    rejection = NULL;
    unsetenv("STATE_DIRECTORY");
    fixture.loop = loop_create();
    fixture.config = config_demo(NULL, &(struct diagnostics){.out = stderr});
    for (int i = 0; i < 2; i++) {
        fixture.config->arenas[i].port = 0;
        fixture.table.running.arenas[i] =
            arena_create(fixture.config, &fixture.config->arenas[i], &fixture.sockets, NULL,
                         &fixture.wakeup, fixture.error, sizeof fixture.error);
        assert_non_null(fixture.table.running.arenas[i]);
    }
    fixture.table.running.count = 2;
}

static void close_fixture(void)
{
    for (int i = 0; i < 2; i++)
        arena_destroy(fixture.table.running.arenas[i]);
    config_unload(fixture.config);
    loop_destroy(fixture.loop);
}

TEST_EACH(open_fixture, close_fixture)

// Ends the commands that wait.
static void close_commands(void *unused)
{
    (void)unused;
    commands_end(commands);
    commands_close(commands);
}

static void open_commands(void)
{
    commands =
        commands_open(fixture.loop, &fixture.table, NULL, fixture.error, sizeof fixture.error);
    assert_non_null(commands);
    test_at_end(close_commands, NULL);
}

static void note_done(struct command_call *call)
{
    (void)call;
}

// Executes a command, with a field or NULL.
static void execute_into(struct command_call *call, const char *name, const char *arena,
                         const char *field, const char *value)
{
    *call = (struct command_call){.row = command_find(name), .via = "api", .done = note_done};
    assert_non_null(call->row);
    if (arena != NULL)
        strcpy(call->fields[FIELD_ARENA], arena);
    if (field != NULL)
        strcpy(call->fields[command_field_find(call->row, field)], value);
    commands_execute(commands, call);
}

// Answers every message of an arena.
static void complete_all(struct arena *arena)
{
    while (mailbox_peek(arena_mailbox(arena)) != NULL)
        mailbox_complete(arena_mailbox(arena));
}

// Fills the mailbox of the arena duel with commands of which nobody knows any more.
static int fill_mailbox(struct command_call *last)
{
    int taken = 0;
    for (execute_into(last, "say", "duel", "text", "hello"); last->problem == NULL;
         execute_into(last, "say", "duel", "text", "hello")) {
        assert_int_equal(last->waiting, 1);
        assert_in_range(++taken, 1, 1000);
        commands_withdraw(commands, last);
    }
    return taken;
}

TEST(a_full_mailbox_rejects_commands)
{
    open_commands();
    static struct command_call command; // waits until the end
    assert_true(fill_mailbox(&command) > 10);
    assert_int_equal(command.status, 503);
    // The other arena gets the command in any case.
    execute_into(&command, "say", NULL, "text", "hello");
    assert_null(command.problem);
    assert_int_equal(command.asked, 2);
    assert_int_equal(command.waiting, 1);
}

TEST(bans_wait_for_an_arena_that_is_busy)
{
    open_commands();
    static struct command_call command, ban;
    fill_mailbox(&command);
    execute_into(&ban, "ban", NULL, "address", "192.0.2.0/24");
    assert_int_equal(ban.waiting, 1); // for the other arena alone
    complete_all(fixture.table.running.arenas[1]);
    commands_run(commands); // there is no directory to wait for
    assert_false(ban.is_waiting);
    assert_string_equal(ban.text, "{\"bans\":1,\"stored\":false}\n");
    free(ban.text);
    // An answered message makes room for the bans.
    struct mailbox *mailbox = arena_mailbox(fixture.table.running.arenas[0]);
    for (int i = 0; i < 2; i++) {
        assert_non_null(mailbox_peek(mailbox));
        mailbox_complete(mailbox);
    }
    commands_run(commands);
    const struct command *last = NULL;
    for (const struct command *message; (message = mailbox_peek(mailbox)) != NULL; last = message)
        mailbox_complete(mailbox);
    assert_int_equal(last->kind, COMMAND_BANS);
    assert_int_equal(last->bans->count, 1);
}

// A control socket that this thread runs.
static struct control *control;
static struct sockaddr_un address;

static void close_control(void *unused)
{
    (void)unused;
    control_close(control);
    assert_int_equal(access(address.sun_path, F_OK), -1);
}

static void open_control(void)
{
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/raim-control-%d.sock", (int)getpid());
    control = control_open(fixture.loop, address.sun_path, &fixture.table, NULL, fixture.error,
                           sizeof fixture.error);
    assert_non_null(control);
    test_at_end(close_control, NULL);
}

static int connect_client(void)
{
    const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(client, (const struct sockaddr *)&address, sizeof address), 0);
    return client;
}

// The status of the first answer; 0: the connection was closed without one.
static int receive_status(int client)
{
    char text[512] = "";
    int status = 0;
    struct pollfd answer = {.fd = client, .events = POLLIN};
    struct timespec now, begin;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        loop_wait(fixture.loop, 5);
        clock_gettime(CLOCK_MONOTONIC, &now);
        assert_true(now.tv_sec - begin.tv_sec < DEADLINE_MS / 1000);
    } while (poll(&answer, 1, 0) == 0);
    if (recv(client, text, sizeof text - 1, 0) > 0)
        assert_int_equal(sscanf(text, "HTTP/1.1 %d ", &status), 1);
    close(client);
    return status;
}

// Sends a request. Returns the connection.
static int send_post(const char *path, const char *body)
{
    char request[1024];
    const int client = connect_client();
    const int size = snprintf(request, sizeof request,
                              "POST %s HTTP/1.1\r\nHost: raimd\r\nContent-Length: %zu\r\n\r\n%s",
                              path, strlen(body), body);
    assert_in_range(size, 1, sizeof request - 1);
    assert_int_equal(send(client, request, (size_t)size, 0), size);
    return client;
}

static int post(const char *path, const char *body)
{
    return receive_status(send_post(path, body));
}

TEST(a_request_that_no_arena_answers_ends_in_time)
{
    open_control();
    assert_int_equal(post("/v1/commands/say", "{\"text\":\"hello\"}"), 504);
    // A waiting request does not prevent closing.
    const int waiting = send_post("/v1/commands/say", "{\"text\":\"hello\"}");
    for (int i = 0; i < 20; i++)
        loop_wait(fixture.loop, 5);
    close(waiting);
}

TEST(bodies_are_objects_with_the_fields_of_the_command)
{
    open_control();
    static const char path[] = "/v1/commands/log-level";
    assert_int_equal(post(path, "{\"level\":\"warning\"}"), 200);
    static const char *const bodies[] = {
        "",
        "{}",
        "[]",
        "null",
        "level=info",
        "{\"level\":\"info\"",
        "{\"level\":\"info\",\"level\":\"info\"}",
        "{\"level\":\"info\",\"arena\":\"duel\"}",
        "{\"level\":null}",
        "{\"level\":1}",
        "{\"level\":[\"info\"]}",
        "{\"level\":\"\"}",
        "{\"level\":\"in\\u0000fo\"}",
        "{\"level\":\"in\\nfo\"}",
        "{\"Level\":\"info\"}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        assert_int_equal(post(path, bodies[i]), 400);
    assert_int_equal(post("/log", "{\"level\":\"info\"}"), 404);
    assert_int_equal(log_get_level(), LOG_LEVEL_WARNING);
    assert_int_equal(post(path, "{\"level\":\"info\"}"), 200);
}

TEST(bodies_have_an_end)
{
    open_control();
    static const char huge[] =
        "POST /v1/commands/say HTTP/1.1\r\nHost: raimd\r\nContent-Length: 99999999999\r\n"
        "Content-Type: application/x-www-form-urlencoded\r\n\r\n";
    int client = connect_client();
    assert_int_equal(send(client, huge, strlen(huge), 0), strlen(huge));
    assert_int_equal(receive_status(client), 413);
    // Chunks do not announce the length of the body.
    static const char chunked[] = "POST /v1/commands/say HTTP/1.1\r\nHost: raimd\r\n"
                                  "Transfer-Encoding: chunked\r\n"
                                  "Content-Type: application/x-www-form-urlencoded\r\n\r\n";
    static const char chunk[] = "10\r\n0123456789abcdef\r\n";
    client = connect_client();
    assert_int_equal(send(client, chunked, strlen(chunked), 0), strlen(chunked));
    size_t sent = 0;
    while (sent < 10 << 20 && send(client, chunk, strlen(chunk), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) {
        sent += strlen(chunk);
        loop_wait(fixture.loop, 5);
    }
    assert_in_range(sent, 1, 1 << 20);
    assert_int_equal(receive_status(client), 0);
}

TEST(idle_connections_do_not_block_the_operator)
{
    open_control();
    int silent[300];
    for (int i = 0; i < 300; i++) {
        silent[i] = connect_client();
        assert_int_equal(send(silent[i], "POST /say", 9, MSG_NOSIGNAL), 9);
        if (i % 8 == 0)
            loop_wait(fixture.loop, 5);
    }
    assert_int_equal(post("/v1/commands/log-level", "{\"level\":\"warning\"}"), 200);
    for (int i = 0; i < 300; i++)
        close(silent[i]);
}

// Executes a command and withdraws it. The caller frees its text.
static struct command_call execute(const char *name, const char *arena, const char *field,
                                   const char *value)
{
    struct command_call call;
    execute_into(&call, name, arena, field, value);
    commands_withdraw(commands, &call);
    return call;
}

static void assert_answer(struct command_call command, unsigned status, const char *text)
{
    assert_int_equal(command.status, status);
    if (command.problem != NULL)
        assert_string_equal(command.problem, text);
    else if (command.text != NULL)
        assert_string_equal(command.text, text);
    else
        assert_null(text);
    free(command.text);
}

TEST(changes_of_the_server_are_executed)
{
    open_commands();
    assert_answer(execute("arena add", "third", NULL, NULL), 0, NULL);
    assert_string_equal(asked, "add third ");
    assert_answer(execute("arena remove", "duel", NULL, NULL), 0, NULL);
    assert_string_equal(asked, "remove duel ");
    assert_answer(execute("arena map", "duel", "map", "maps/ruins.conf"), 0, NULL);
    assert_string_equal(asked, "map duel maps/ruins.conf");
    asked[0] = '\0';
    assert_answer(execute("arena add", "duel", NULL, NULL), 409, "this arena runs already");
    assert_answer(execute("arena remove", "third", NULL, NULL), 404, "no such arena");
    assert_answer(execute("arena map", "third", "map", "x"), 404, "no such arena");
    assert_answer(execute("arena map", "duel", NULL, NULL), 400, "a field is missing");
    assert_string_equal(asked, "");
    rejection = "f:1: got \"x\"\xff\nmore";
    static const char answer[] = "{\"error\":\"f:1: got \\\"x\\\"?\\u000amore\"}";
    assert_answer(execute("arena add", "third", NULL, NULL), 409, answer);
    assert_answer(execute("arena remove", "duel", NULL, NULL), 409, answer);
    assert_answer(execute("arena map", "duel", "map", "x"), 409, answer);
}

TEST(a_reload_reports_its_changes)
{
    open_commands();
    assert_answer(execute("reload", NULL, NULL, NULL), 0,
                  "{\"warnings\":[\"f:1: \\\"odd\\\"\"],\"applied\":[\"f:4: bots: 1 -> 2\"],"
                  "\"restart\":[\"f:3: port: 1 -> 2\"]}");
    rejection = "wrong";
    assert_answer(
        execute("reload", NULL, NULL, NULL), 409,
        "{\"error\":\"the new configuration was rejected; the running configuration is unchanged\","
        "\"mistakes\":[\"f:2: wrong\"],\"warnings\":[\"f:1: \\\"odd\\\"\"]}");
}

// Answers the drain in an arena's mailbox.
static void begin_drain(struct arena *arena)
{
    struct mailbox *mailbox = arena_mailbox(arena);
    const struct command *message;
    while ((message = mailbox_peek(mailbox))->kind != COMMAND_DRAIN)
        mailbox_complete(mailbox);
    assert_true(message->on);
    mailbox_complete(mailbox);
    commands_run(commands);
}

TEST(a_drain_is_over_when_every_arena_has_begun_it)
{
    open_commands();
    assert_false(commands_is_drained(commands));
    assert_int_equal(execute("drain", NULL, NULL, NULL).waiting, 2);
    assert_false(commands_is_drained(commands));
    assert_false(loop_wait(fixture.loop, 0)); // only the arenas' answers end it
    begin_drain(fixture.table.running.arenas[0]);
    assert_false(commands_is_drained(commands));
    begin_drain(fixture.table.running.arenas[1]);
    assert_true(commands_is_drained(commands));
}

TEST(a_drain_does_not_wait_for_a_removed_arena)
{
    open_commands();
    struct arena *gone = fixture.table.running.arenas[1];
    execute("drain", NULL, NULL, NULL);
    begin_drain(fixture.table.running.arenas[0]);
    commands_forget(commands, gone);
    assert_true(commands_is_drained(commands));
}

TEST(a_drain_has_a_deadline)
{
    open_commands();
    assert_int_equal(execute("drain", NULL, "timeout_s", "1").waiting, 2);
    assert_false(commands_is_drained(commands));
    assert_true(loop_wait(fixture.loop, DEADLINE_MS));
    assert_true(commands_is_drained(commands));
    assert_int_equal(execute("drain", NULL, "timeout_s", "1000000000").waiting, 2);
    assert_false(commands_is_drained(commands));
    assert_false(loop_wait(fixture.loop, 0));
}

static void ban(const char *network)
{
    free(execute("ban", NULL, "address", network).text);
    commands_run(commands);
}

// Takes the ban list from the next message of an arena, which then reads it.
static const struct bans *read_bans(struct mailbox *mailbox)
{
    const struct command *message = mailbox_peek(mailbox);
    assert_int_equal(message->kind, COMMAND_BANS);
    const struct bans *bans = message->bans;
    mailbox_complete(mailbox);
    return bans;
}

// AddressSanitizer detects a list that is freed too early.
TEST(lists_of_bans_stay_while_an_arena_may_read_them)
{
    open_commands();
    struct mailbox *quick = arena_mailbox(fixture.table.running.arenas[0]);
    struct mailbox *slow = arena_mailbox(fixture.table.running.arenas[1]);
    const struct bans *first = read_bans(quick);
    ban("192.0.2.1");
    const struct bans *second = read_bans(quick);
    static struct command_call later[2], pause;
    execute_into(&later[0], "ban", NULL, "address", "192.0.2.2");
    commands_run(commands);
    assert_int_equal(first->count, 0); // the slow arena has not opened its message
    assert_int_equal(second->count, 1);
    assert_ptr_equal(read_bans(slow), first);
    assert_ptr_equal(read_bans(slow), second);
    execute_into(&later[1], "ban", NULL, "address", "192.0.2.3");
    commands_run(commands);
    assert_int_equal(second->count, 1); // the quick arena has not opened the next one
    // A forgotten arena reads nothing, and a new one in its place starts without a list.
    execute_into(&pause, "arena pause", "duel", NULL, NULL);
    assert_int_equal(pause.waiting, 1);
    commands_forget(commands, fixture.table.running.arenas[0]);
    for (int i = 0; i < 2; i++) { // a ban also succeeds if no arena has to read it
        assert_int_equal(later[i].waiting, 1);
        assert_int_equal(later[i].answered, 1);
    }
    assert_false(pause.is_waiting);
    assert_int_equal(pause.answered, 0);
    ban("192.0.2.4");
    const struct bans *last = NULL;
    while (mailbox_peek(quick) != NULL)
        last = read_bans(quick);
    assert_int_equal(last->count, 4);
    for (int i = 0; i < 2; i++)
        free(later[i].text);
}

// --- Command log ---

// Who commanded what: the event, and names of any bytes.

TEST(a_name_cannot_forge_a_line)
{
    static const char *const names[][2] = {
        {"ada", "ada"},
        {"", ""},
        {"eve via=raimctl\n", "eve_via=raimctl_"},
        {"\"\\\xff\x7f", "____"},
    };
    char by[COMMAND_BY_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        command_log_set_by(by, names[i][0]);
        assert_string_equal(by, names[i][1]);
    }
    char longer[2 * COMMAND_BY_BYTES];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    command_log_set_by(by, longer);
    assert_int_equal(strlen(by), COMMAND_BY_BYTES - 1);
}

TEST(a_command_is_an_event_whose_line_is_private)
{
    struct server_events *events = server_events_open(NULL);
    const uint64_t begin = event_journal_newest(server_events_journal(events));
    const struct command_note note = {.by = "ada",
                                      .via = "game",
                                      .command = "ban",
                                      .arena = "duel",
                                      .player = "",
                                      .fields = " address=192.0.2.1 reason=\"a\\b\""};
    command_log_write(events, &note);
    const struct journal_event *event = event_journal_next(server_events_journal(events), begin);
    assert_string_equal(event->kind, "command");
    assert_true(json_text_is_object(event->text));
    assert_non_null(strstr(event->text, "\"arena\":\"duel\""));
    const char *private = strstr(event->text, "\"private\"");
    assert_non_null(private);
    assert_true(strstr(event->text, "192.0.2.1") > private);
    assert_true(strstr(event->text, "\"by\":\"ada\",\"via\":\"game\",\"command\":\"ban\"") <
                private);
    command_log_write(NULL, &note); // nobody keeps events
    server_events_close(events);
}
