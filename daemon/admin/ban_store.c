// SPDX-License-Identifier: MIT
// Tracks which arena reads which ban list, and frees a list once no arena can read it.
#define _GNU_SOURCE
#include "ban_store.h"

#include "arena_command.h"
#include "mailbox.h"
#include "store.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Leaving arenas and new ones together. An arena beyond them gets its list later.
enum { MAX_READERS = 2 * CONFIG_MAX_ARENAS };

// An arena and the lists that it may read. It reads its messages in order, so it reads no list
// older than the one that it acknowledged last.
struct reader {
    const struct arena *arena;
    const struct bans *posted; // the newest list posted to it
    const struct bans *oldest; // the oldest list that it may read
};

struct ban_store {
    const struct arena_list *list;
    struct store *store;
    uint64_t change; // of the store, by the newest list
    struct bans_unread unread;
    struct bans *lists;   // that are in use, the newest first
    struct bans *foreign; // fetched lists that are in use, the newest first
    bool has_foreign;     // the newest of these is in force
    int reader_count;
    struct reader readers[MAX_READERS];
};

static const char file_name[] = "bans";

static bool load(struct ban_store *book, char *error, size_t capacity)
{
    char path[PATH_MAX];
    if (!store_has_directory(book->store))
        book->lists = bans_without(NULL, (struct ip_address){0}, 0, 0);
    else if (store_path(book->store, file_name, path))
        book->lists = bans_load(path, &book->unread, error, capacity);
    else
        snprintf(error, capacity, "the state directory's path is too long");
    store_note_unread(book->store, file_name, book->unread.first, book->unread.lines);
    return book->lists != NULL;
}

struct ban_store *ban_store_open(const struct arena_list *list, struct store *store, char *error,
                                 size_t capacity)
{
    struct ban_store *book = calloc(1, sizeof *book);
    snprintf(error, capacity, "out of memory");
    if (book == NULL)
        return NULL;
    book->list = list;
    book->store = store;
    if (!load(book, error, capacity)) {
        ban_store_close(book);
        return NULL;
    }
    ban_store_publish(book, 0); // before the first tick
    return book;
}

// Frees a list and every older one.
static void free_lists(struct bans *bans)
{
    while (bans != NULL) {
        struct bans *next = bans->next;
        free(bans);
        bans = next;
    }
}

void ban_store_close(struct ban_store *book)
{
    if (book == NULL)
        return;
    free_lists(book->lists);
    free_lists(book->foreign);
    free(text_buffer_take(&book->unread.text));
    free(book);
}

const struct bans *ban_store_list(const struct ban_store *book)
{
    return book->lists;
}

static void save(struct ban_store *book)
{
    size_t size = 0;
    book->change = 0;
    if (!store_has_directory(book->store))
        return;
    char *text = bans_text(book->lists, &book->unread, &size);
    book->change = store_replace(book->store, file_name, text, size, STATE_FILE_DISK);
}

const char *ban_store_replace(struct ban_store *book, struct bans *made)
{
    if (made == NULL)
        return "too many bans, or out of memory";
    made->foreign = ban_store_foreign(book);
    made->next = book->lists;
    book->lists = made;
    save(book);
    return NULL;
}

uint64_t ban_store_change(const struct ban_store *book)
{
    return book->change;
}

bool ban_store_is_stored(const struct ban_store *book, uint64_t change)
{
    return change != 0 && store_outcome(book->store, file_name, change) == STORE_WRITTEN;
}

const char *ban_store_add(struct ban_store *book, const struct ban *ban)
{
    const char *problem = ban_store_replace(book, bans_with(book->lists, ban, time(NULL)));
    if (problem == NULL)
        ban_store_publish(book, 0);
    return problem;
}

const struct bans *ban_store_foreign(const struct ban_store *book)
{
    return book->has_foreign ? book->foreign : NULL;
}

bool ban_store_set_foreign(struct ban_store *book, struct bans *foreign)
{
    struct bans *made = bans_without(book->lists, (struct ip_address){0}, 0, time(NULL));
    if (made == NULL) {
        free(foreign);
        return false;
    }
    book->has_foreign = foreign != NULL;
    if (foreign != NULL) {
        foreign->next = book->foreign;
        book->foreign = foreign;
    }
    made->foreign = foreign;
    made->next = book->lists;
    book->lists = made;
    ban_store_publish(book, 0);
    return true;
}

// NULL for an arena that no list has been posted to.
static struct reader *find_reader(const struct ban_store *book, const struct arena *arena)
{
    for (int i = 0; i < book->reader_count; i++)
        if (book->readers[i].arena == arena)
            return (struct reader *)&book->readers[i];
    return NULL;
}

static bool is_up_to_date(const struct ban_store *book, const struct arena *arena)
{
    const struct reader *reader = find_reader(book, arena);
    return reader != NULL && reader->posted == book->lists;
}

// Returns false if the mailbox is full; the next call of ban_store_publish tries again.
static bool post_list(struct ban_store *book, struct arena *arena, uint32_t request)
{
    struct command *message = mailbox_reserve(arena_mailbox(arena));
    struct reader *reader = find_reader(book, arena);
    if (message == NULL || (reader == NULL && book->reader_count == MAX_READERS))
        return false;
    if (reader == NULL) {
        reader = &book->readers[book->reader_count++];
        *reader = (struct reader){.arena = arena, .oldest = book->lists};
    }
    reader->posted = book->lists;
    *message = (struct command){.kind = COMMAND_BANS, .request = request, .bans = book->lists};
    mailbox_submit(arena_mailbox(arena));
    return true;
}

uint32_t ban_store_publish(struct ban_store *book, uint32_t request)
{
    uint32_t posted = 0;
    for (int i = 0; i < book->list->count; i++)
        if (!is_up_to_date(book, book->list->arenas[i]))
            posted += post_list(book, book->list->arenas[i], request);
    return posted;
}

static bool is_held(const struct ban_store *book, const struct bans *bans)
{
    for (int i = 0; i < book->reader_count; i++)
        if (book->readers[i].oldest == bans)
            return true;
    return false;
}

// Whether a list in use has this one beside it.
static bool is_beside(const struct ban_store *book, const struct bans *foreign)
{
    bool found = book->has_foreign && foreign == book->foreign;
    for (const struct bans *bans = book->lists; bans != NULL && !found; bans = bans->next)
        found = bans->foreign == foreign;
    return found;
}

static void free_foreign(struct ban_store *book)
{
    struct bans **link = &book->foreign;
    while (*link != NULL) {
        struct bans *foreign = *link;
        if (is_beside(book, foreign)) {
            link = &foreign->next;
            continue;
        }
        *link = foreign->next;
        free(foreign);
    }
}

// Frees the lists that are older than every list in use.
static void free_unread(struct ban_store *book)
{
    struct bans *oldest = book->lists;
    for (struct bans *bans = book->lists; bans != NULL; bans = bans->next)
        if (is_held(book, bans))
            oldest = bans;
    free_lists(oldest->next);
    oldest->next = NULL;
    free_foreign(book);
}

void ban_store_acknowledge(struct ban_store *book, const struct arena *arena,
                           const struct bans *read)
{
    struct reader *reader = find_reader(book, arena);
    if (reader == NULL)
        return; // forgotten meanwhile
    reader->oldest = read;
    free_unread(book);
}

void ban_store_forget(struct ban_store *book, const struct arena *arena)
{
    struct reader *reader = find_reader(book, arena);
    if (reader == NULL)
        return;
    *reader = book->readers[--book->reader_count];
    free_unread(book);
}
