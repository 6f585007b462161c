// SPDX-License-Identifier: MIT
// Journal entries: a socket of the test acts as journald.
#define _GNU_SOURCE
#include "journal.h"

#include "log.h"
#include "test.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { ENTRY_BYTES = 4096, LINE_BYTES = 1024, MANY = 10000 };

static int receiver; // of the entries
static int stream;   // the other end of standard error
static char directory[] = "/tmp/raim-journal-XXXXXX";
static char path[64];

// Makes standard error a stream socket that $JOURNAL_STREAM names, as a service manager does.
static int open_journal(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat status;
    char names[64];
    int ends[2];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/socket", directory);
    assert_false(journal_open(path)); // no socket listens yet
    receiver = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memcpy(address.sun_path, path, strlen(path));
    assert_int_equal(bind(receiver, (const struct sockaddr *)&address, sizeof address), 0);
    assert_true(journal_open(path));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    dup2(ends[1], STDERR_FILENO);
    stream = ends[0];
    assert_int_equal(fstat(STDERR_FILENO, &status), 0);
    snprintf(names, sizeof names, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    setenv("JOURNAL_STREAM", names, 1);
    log_init(); // keeps the journal that is open
    return 0;
}

static int close_journal(void **state)
{
    (void)state;
    unlink(path);
    rmdir(directory);
    return 0;
}

// Returns the next entry, or "" if there is none.
static const char *next_entry(void)
{
    static char entry[ENTRY_BYTES];
    const ssize_t size = recv(receiver, entry, sizeof entry - 1, MSG_DONTWAIT);
    entry[size < 0 ? 0 : size] = '\0';
    return entry;
}

static void check(const char *fields)
{
    static const char begin[] = "SYSLOG_IDENTIFIER=raimd\nPRIORITY=6\nMESSAGE=";
    const char *entry = next_entry();
    assert_memory_equal(entry, begin, sizeof begin - 1);
    assert_string_equal(entry + sizeof begin - 1, fields);
    assert_string_equal(next_entry(), "");
}

TEST(event_is_the_beginning_of_the_format)
{
    log_info("stopped");
    check("stopped\nEVENT=stopped\n");
    log_info("out of memory");
    check("out of memory\nEVENT=out of memory\n");
    log_info("stopping signal=%s", "TERM");
    check("stopping signal=TERM\nEVENT=stopping\n");
    log_info("status failed: %s", "cannot bind: x=1");
    check("status failed: cannot bind: x=1\nEVENT=status failed\n");
    log_info("identity is temporary; key=%d", 1);
    check("identity is temporary; key=1\nEVENT=identity is temporary\n");
    log_info("configuration %s", "applied: arena=x");
    check("configuration applied: arena=x\nEVENT=configuration\n");
    log_info("two  spaces");
    check("two  spaces\nEVENT=two  spaces\n");
    log_info("signal=%s accepted", "HUP");
    check("signal=HUP accepted\n");
    log_info("%s", "arena started arena=duel");
    check("arena started arena=duel\n");
    log_info(":");
    check(":\n");
}

TEST(arena_and_player_are_those_of_the_caller)
{
    log_arena_info("duel", "arena started arena=%s port=%d", "duel", 7246);
    check("arena started arena=duel port=7246\nEVENT=arena started\nARENA=duel\n");
    // The reason of a kick must not forge the PLAYER field.
    const struct log_subject subject = {.arena = "duel", .player = "1030"};
    log_write(LOG_LEVEL_INFO, &subject, "control command=kick reason=\"%s\"", "player=7 arena=x");
    check("control command=kick reason=\"player=7 arena=x\"\n"
          "EVENT=control\nARENA=duel\nPLAYER=1030\n");
    log_write(LOG_LEVEL_INFO, &(struct log_subject){.arena = "", .player = ""}, "said arena=x");
    check("said arena=x\nEVENT=said\n");
}

TEST(priority_is_the_level)
{
    log_arena_error("a", "bad");
    assert_non_null(strstr(next_entry(), "\nPRIORITY=3\n"));
    log_arena_warning("a", "odd");
    assert_non_null(strstr(next_entry(), "\nPRIORITY=4\n"));
}

TEST(no_value_makes_a_field_of_its_own)
{
    log_arena_info("a\nPRIORITY=0", "x=%s", "1\nPRIORITY=0");
    check("x=1\\nPRIORITY=0\n");
}

TEST(longest_line_arrives_whole)
{
    char text[2 * LINE_BYTES];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    log_arena_info("duel", "long %s", text);
    const char *entry = next_entry();
    assert_in_range(strlen(entry), LINE_BYTES, ENTRY_BYTES);
    assert_non_null(strstr(entry, "xxx...\nEVENT=long\nARENA=duel\n"));
}

// The test program has an alarm: a send that waits fails it.
TEST(a_full_journal_socket_does_not_block)
{
    const struct journal_entry entry = {.priority = 6, .message = "unread"};
    int sent = 0;
    while (sent < MANY && journal_send(&entry))
        sent++;
    assert_in_range(sent, 1, MANY - 1);
    log_info("elsewhere");
    char text[LINE_BYTES] = "";
    assert_true(recv(stream, text, sizeof text - 1, MSG_DONTWAIT) > 0);
    assert_string_equal(text, "<6>elsewhere\n");
    while (next_entry()[0] != '\0')
        sent--;
    assert_int_equal(sent, 0);
    log_info("again");
    check("again\nEVENT=again\n");
}

TEST_GROUP(open_journal, close_journal)
