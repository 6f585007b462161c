// SPDX-License-Identifier: MIT
// Sends journal entries as datagrams of FIELD=value lines.
//
// sd_journal_sendv of libsystemd writes the same datagram, but cannot be used here (tried with
// version 252):
// - It waits for journald. When net.unix.max_dgram_qlen entries are unread, its sendmsg blocks
//   until journald reads one: a hanging journald would stop every tick, and the watchdog would end
//   the server. No option makes it non-blocking, and its socket is not accessible.
// - It returns success when there is no journal, so that the caller could not fall back.
// Its support for entries larger than a datagram, by a memfd, is not needed for lines of 1 kB. It
// does not allocate either.
#define _GNU_SOURCE // SOCK_CLOEXEC
#include "journal.h"

#include <assert.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_PARTS = 18 }; // three for each of six fields

static int journal = -1;

struct datagram {
    struct iovec parts[MAX_PARTS];
    size_t count;
    size_t bytes;
};

bool journal_open(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert(strlen(path) < sizeof address.sun_path);
    strcpy(address.sun_path, path);
    if (journal >= 0)
        return true;
    const int opened = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (opened < 0)
        return false;
    if (connect(opened, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(opened);
        return false;
    }
    journal = opened;
    return true;
}

static void add_part(struct datagram *datagram, const char *bytes, size_t size)
{
    assert(datagram->count < MAX_PARTS);
    datagram->parts[datagram->count++] =
        (struct iovec){.iov_base = (void *)bytes, .iov_len = size}; // sendmsg only reads it
    datagram->bytes += size;
}

// Omits an empty value, and one with a line break, after which a value could forge a field.
static void add_field(struct datagram *datagram, const char *name, const char *value, size_t size)
{
    if (size == 0 || memchr(value, '\n', size) != NULL)
        return;
    add_part(datagram, name, strlen(name));
    add_part(datagram, value, size);
    add_part(datagram, "\n", 1);
}

static void add_text(struct datagram *datagram, const char *name, const char *text)
{
    if (text != NULL)
        add_field(datagram, name, text, strlen(text));
}

bool journal_send(const struct journal_entry *entry)
{
    const char priority = (char)('0' + entry->priority);
    struct datagram datagram = {.count = 0};
    add_text(&datagram, "SYSLOG_IDENTIFIER=", "raimd");
    add_field(&datagram, "PRIORITY=", &priority, 1);
    add_text(&datagram, "MESSAGE=", entry->message);
    add_field(&datagram, "EVENT=", entry->event, entry->event_bytes);
    add_text(&datagram, "ARENA=", entry->arena);
    add_text(&datagram, "PLAYER=", entry->player);
    const struct msghdr message = {.msg_iov = datagram.parts, .msg_iovlen = datagram.count};
    return sendmsg(journal, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)datagram.bytes;
}
