// SPDX-License-Identifier: MIT
// Records of arenas: what is written is read back, and what is no record is removed.
#define _GNU_SOURCE
#include "arena_store.h"
#include "files_fixture.h"
#include "log.h"
#include "store.h"

static const char *directory;
static struct store *store;

static void open_store(void)
{
    log_set_level(LOG_LEVEL_ERROR);
    directory = test_directory();
    store = store_create(directory);
    assert_non_null(store);
}

static void close_store(void)
{
    store_close(store);
}

TEST_EACH(open_store, close_store)

static struct arena_record taken[4];
static int taken_count;

static void take(void *context, struct arena_record *record)
{
    (void)context;
    taken[taken_count++] = *record;
}

static void read_all(void)
{
    taken_count = 0;
    store_flush(store);
    arena_store_read(store, NULL, take);
    store_flush(store);
}

static void free_all(void)
{
    for (int i = 0; i < taken_count; i++) {
        free(taken[i].metadata);
        free(taken[i].request);
        free(taken[i].result);
    }
}

TEST(a_record_reads_back)
{
    char metadata[] = "{\"k\":\"v\\n\"}", request[] = "{\"template\":\"duel\"}";
    struct arena_record record = {.id = "X.1",
                                  .name = "x-1-00c0ffee",
                                  .port = 7300,
                                  .max_players = 8,
                                  .made_s = 1790000000,
                                  .join_until_s = 1790000060,
                                  .was_joined = true,
                                  .is_draining = true,
                                  .drain_until_s = 1790000099,
                                  .cause = "round",
                                  .metadata = metadata,
                                  .request = request};
    arena_store_write(store, &record);
    record.was_joined = false;
    arena_store_write(store, &record);
    read_all();
    assert_int_equal(taken_count, 1);
    const struct arena_record *read = &taken[0];
    assert_string_equal(read->id, "X.1");
    assert_string_equal(read->name, "x-1-00c0ffee");
    assert_int_equal(read->port, 7300);
    assert_int_equal(read->max_players, 8);
    assert_true(read->made_s == 1790000000 && read->join_until_s == 1790000060);
    assert_true(!read->was_joined && read->is_draining && read->drain_until_s == 1790000099);
    assert_string_equal(read->cause, "round");
    assert_string_equal(read->metadata, "{\"k\":\"v\\n\"}");
    assert_string_equal(read->request, "{\"template\":\"duel\"}");
    assert_null(read->result);
    free_all();
    char result[] = "{\"round\":3,\"winner\":null,\"scores\":[]}";
    record.result = result;
    arena_store_write(store, &record);
    read_all();
    assert_int_equal(taken_count, 1);
    assert_string_equal(taken[0].result, result);
    free_all();
    arena_store_remove(store, "x-1-00c0ffee");
    read_all();
    assert_int_equal(taken_count, 0);
}

static void write_private(const char *name, const char *text)
{
    write_file(path_in(directory, name), text);
    assert_int_equal(chmod(path_in(directory, name), 0600), 0);
}

static bool exists(const char *name)
{
    return access(path_in(directory, name), F_OK) == 0;
}

#define LINES "id a\nname b\nport 1\nmax_players 1\nmade_s 1\njoin_until_s 1\nwas_joined 0\n"

// A newer raimd may have written it.
TEST(what_is_no_record_stays_and_is_counted)
{
    static const char *const texts[] = {
        "",
        "raimd-arena 1\n",
        "raimd-arena 2\n" LINES,
        "raimd-arena 1\n" LINES,
        "raimd-arena 1\n" LINES "is_draining 0\ndrain_until_s 0\ncause -\nmetadata {}\nrequest {}",
        "raimd-arena 1\n" LINES
        "is_draining 2\ndrain_until_s 0\ncause -\nmetadata {}\nrequest {}\n",
        "raimd-arena 1\nid a\nname ../b\nport 1\n",
        "raimd-arena 1\n" LINES
        "is_draining 0\ndrain_until_s 0\ncause -\nmetadata {}\nrequest {}\nresult {\n",
        "raimd-arena 1\n" LINES
        "is_draining 0\ndrain_until_s 0\ncause -\nmetadata {}\nrequest {}\nmore\n",
        "raimd-arena 1\n" LINES
        "is_draining 0\ndrain_until_s 0\ncause -\nmetadata {\"a}\nrequest {}\n",
        "raimd-arena 2\n" LINES
        "is_draining 0\ndrain_until_s 0\ncause -\nmetadata {}\nrequest {}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_private("b.arena", texts[i]);
        read_all();
        assert_int_equal(taken_count, 0);
        assert_true(exists("b.arena"));
        assert_true(store_unread(store) == i + 1);
    }
    static const char good[] = "raimd-arena 1\n" LINES
                               "is_draining 0\ndrain_until_s 0\ncause -\nmetadata {}\nrequest {}\n";
    write_private("c.arena", good); // of another name
    write_private("b.arena", good);
    write_private("other", "stays");
    read_all();
    assert_int_equal(taken_count, 1);
    free_all();
    assert_true(exists("c.arena"));
    assert_true(exists("other"));
}

TEST(what_cannot_be_read_stays)
{
    const char *path = path_in(directory, "b.arena");
    assert_int_equal(symlink("nothing", path), 0);
    read_all();
    assert_int_equal(taken_count, 0);
    assert_int_equal(unlink(path), 0);
}
