// SPDX-License-Identifier: MIT
// Speaks the native protocol of systemd-journald: a datagram of FIELD=value lines.
#define _GNU_SOURCE // SOCK_CLOEXEC
#include "journal.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// What a line may be about.
static const struct subject {
    const char *word;
    const char *field;
} subjects[] = {
    {"arena", "ARENA"},
    {"player", "PLAYER"},
};

static int journal = -1;

struct span {
    const char *start;
    size_t size;
};

bool journal_open(void)
{
    static const struct sockaddr_un address = {
        .sun_family = AF_UNIX,
        .sun_path = "/run/systemd/journal/socket",
    };
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

bool journal_send(int priority, const char *line)
{
    char entry[JOURNAL_ENTRY_BYTES];
    const size_t size = journal_write_entry(entry, priority, line);
    return send(journal, entry, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
}

// The words before the first key=value, up to the first colon or semicolon that ends one.
static struct span find_event(const char *line)
{
    size_t size = 0;
    for (const char *word = line; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (memchr(word, '=', length) != NULL)
            break;
        size = (size_t)(word - line) + length;
        if (size > 0 && strchr(":;", line[size - 1]) != NULL)
            return (struct span){.start = line, .size = size - 1};
        word += length + strspn(word + length, " ");
    }
    return (struct span){.start = line, .size = size};
}

// The value of the first key of this name, without the punctuation behind it; empty if there is
// none.
static struct span find_value(const char *line, const char *key)
{
    const size_t key_size = strlen(key);
    for (const char *word = line; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        if (length > key_size && word[key_size] == '=' && memcmp(word, key, key_size) == 0) {
            const char *value = word + key_size + 1;
            return (struct span){.start = value, .size = strcspn(value, " :;,")};
        }
        word += length + strspn(word + length, " ");
    }
    return (struct span){0};
}

static struct span find_subject(const char *line, const char *word)
{
    const size_t size = strlen(word);
    const struct span named = find_value(line, word);
    if (named.size > 0 || strncmp(line, word, size) != 0 || line[size] != ' ')
        return named;
    return find_value(line, "name");
}

static size_t write_field(char *entry, size_t size, const char *field, struct span value)
{
    if (value.size == 0)
        return size;
    const size_t room = JOURNAL_ENTRY_BYTES - size;
    const int added =
        snprintf(entry + size, room, "%s=%.*s\n", field, (int)value.size, value.start);
    return added > 0 && (size_t)added < room ? size + (size_t)added : size;
}

size_t journal_write_entry(char entry[JOURNAL_ENTRY_BYTES], int priority, const char *line)
{
    size_t size = (size_t)snprintf(entry, JOURNAL_ENTRY_BYTES,
                                   "PRIORITY=%d\nSYSLOG_IDENTIFIER=raimd\n", priority);
    size = write_field(entry, size, "MESSAGE", (struct span){.start = line, .size = strlen(line)});
    size = write_field(entry, size, "EVENT", find_event(line));
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        size = write_field(entry, size, subjects[i].field, find_subject(line, subjects[i].word));
    return size;
}
