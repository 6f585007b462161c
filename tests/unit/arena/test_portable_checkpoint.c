// SPDX-License-Identifier: MIT
// The portable checkpoint as a document: what is written is read, what another version wrote is
// kept, and damage is noticed at every byte.
#define _GNU_SOURCE
#include "chance.h"
#include "digest.h"
#include "portable_checkpoint.h"
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PLAYERS = 20 };

static void random_bytes(void *into, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)into)[i] = (uint8_t)chance_int(0, 255);
}

// Of letters that JSON, or its writer, might not like.
static void random_text(char *into, size_t size)
{
    static const char *const letters[] = {"a", "\"", "\\", "/", "\x7f", "ß", "語", "😀", "}", "\t"};
    into[0] = '\0';
    while (strlen(into) + 5 < size && chance_int(0, 9) > 0)
        strcat(into, letters[chance_int(0, 9)]);
}

static uint32_t random_count(void)
{
    return (uint32_t)raim_random_next(&chance) >> chance_int(0, 31);
}

static struct raim_portable_player random_player(void)
{
    struct raim_portable_player player = {
        .id = random_count(),
        .bot = chance_int(0, 1) == 1,
        .muted = chance_int(0, 1) == 1,
        .winner = chance_int(0, 1) == 1,
        .score = random_count(),
        .deaths = random_count(),
        .shots = random_count(),
        .hits = random_count(),
        .played_ticks = random_count(),
        .inputs_due = random_count(),
        .inputs_missed = random_count(),
        .chat_debt_ticks = random_count(),
        .scope = random_count(),
        .port = random_count(),
    };
    random_bytes(player.address, sizeof player.address);
    random_text(player.name, sizeof player.name);
    random_text(player.subject, sizeof player.subject);
    random_bytes(player.token, sizeof player.token);
    return player;
}

static struct portable_checkpoint *random_block(void)
{
    const uint32_t players = (uint32_t)chance_int(0, PLAYERS);
    const uint32_t departed = (uint32_t)chance_int(0, PLAYERS);
    struct portable_checkpoint *block = calloc(1, portable_checkpoint_size(players + departed));
    block->format = PORTABLE_CHECKPOINT_FORMAT;
    block->saved.ms = raim_random_next(&chance) >> 1;
    block->saved.boot = raim_random_next(&chance);
    strcpy(block->arena, "arena");
    random_text(block->map.path, 200);
    random_text(block->match.map, sizeof block->match.map);
    block->map.index = chance_int(0, 100);
    block->match.tick_hz = random_count();
    block->match.tick = random_count();
    block->match.events = random_count();
    block->match.round = random_count();
    block->match.phase = random_count();
    block->match.paused = random_count();
    block->match.has_end = chance_int(0, 1) == 1;
    block->match.left_ticks = random_count();
    block->match.score_limit = random_count();
    block->match.played_ticks = random_count();
    block->match.start_ms = (int64_t)(raim_random_next(&chance) >> 1);
    random_text(block->match.vote, sizeof block->match.vote);
    block->match.omitted = random_count();
    block->match.players = players;
    block->match.departed = departed;
    for (uint32_t i = 0; i < players + departed; i++)
        block->rows[i] = random_player();
    return block;
}

static char *encode(const struct portable_checkpoint *block, const char *kept, size_t *size)
{
    const size_t block_size = portable_checkpoint_size(portable_checkpoint_rows(block));
    char *bytes = malloc(block_size + strlen(kept));
    memcpy(bytes, block, block_size);
    memcpy(bytes + block_size, kept, strlen(kept));
    *size = block_size + strlen(kept);
    char *text = portable_checkpoint_encode(bytes, size);
    assert_non_null(text);
    assert_int_equal(strlen(text), *size);
    free(bytes);
    return text;
}

// In memory of exactly its size.
static struct portable_checkpoint *decode(const char *text, size_t size, char **kept,
                                          const char **why)
{
    char *exact = malloc(size + (size == 0));
    memcpy(exact, text, size);
    struct portable_checkpoint *block = portable_checkpoint_decode(exact, size, kept, why);
    free(exact);
    return block;
}

static void assert_rejected(const char *text, size_t size, const char *expected)
{
    char *kept;
    const char *why;
    assert_null(decode(text, size, &kept, &why));
    assert_null(kept);
    assert_string_equal(why, expected);
}

// The members of a document, `{"key":value` and so on, with their digest.
static void seal(const char *members, char *text, size_t capacity)
{
    const unsigned long long digest = raim_digest(members, strlen(members));
    snprintf(text, capacity, "%s,\"digest\":\"%016llx\"}", members, digest);
}

static struct portable_checkpoint *decode_members(const char *members, char **kept)
{
    char text[1024];
    const char *why;
    seal(members, text, sizeof text);
    return decode(text, strlen(text), kept, &why);
}

TEST(what_is_written_is_read)
{
    for (int round = 0; round < chance_rounds(200); round++) {
        char *kept;
        const char *why;
        size_t size;
        struct portable_checkpoint *block = random_block();
        char *text = encode(block, "", &size);
        struct portable_checkpoint *again = decode(text, size, &kept, &why);
        assert_non_null(again);
        assert_null(kept);
        assert_memory_equal(again, block,
                            portable_checkpoint_size(portable_checkpoint_rows(block)));
        free(again);
        free(text);
        free(block);
    }
}

TEST(damage_at_any_byte_is_noticed)
{
    size_t size;
    struct portable_checkpoint *block = random_block();
    char *text = encode(block, "", &size);
    for (size_t i = 0; i < size; i++) {
        const char was = text[i];
        text[i] ^= (char)(1 << chance_int(0, 7));
        assert_rejected(text, size, "it is damaged");
        text[i] = was;
        assert_rejected(text, i, "it is damaged");
    }
    free(text);
    free(block);
}

TEST(missing_members_are_defaults)
{
    char *kept;
    struct portable_checkpoint *block =
        decode_members("{\"saved_ms\":5,\"players\":[{\"name\":\"Ada\",\"score\":7}]", &kept);
    assert_non_null(block);
    assert_int_equal(block->saved.ms, 5);
    assert_int_equal(block->match.tick_hz, 60);
    assert_int_equal(block->match.round, 1);
    assert_int_equal(block->match.players, 1);
    assert_string_equal(block->rows[0].name, "Ada");
    assert_int_equal(block->rows[0].score, 7);
    assert_int_equal(block->rows[0].deaths, 0);
    free(block);
}

TEST(members_of_a_newer_version_are_kept)
{
    const char *why;
    char *kept, *kept_again;
    size_t size;
    struct portable_checkpoint *block =
        decode_members("{\"teams\":[\"red\",\"blue\"],\"players\":["
                       "{\"name\":\"Bot 1\",\"bot\":true,\"team\":1},"
                       "{\"name\":\"Ada\",\"token\":\"000102030405060708090a0b0c0d0e0f\","
                       "\"weapon\":{\"kind\":\"rail\"},\"team\":0},{\"name\":\"Eve\"}],"
                       "\"departed\":[{\"name\":\"Bob\",\"team\":2}]",
                       &kept);
    assert_non_null(block);
    assert_non_null(kept);
    block->rows[1].score = 8; // it plays on meanwhile
    char *text = encode(block, kept, &size);
    assert_non_null(strstr(text, "\"teams\":[\"red\",\"blue\"]"));
    assert_non_null(strstr(text, "\"weapon\":{\"kind\":\"rail\"}"));
    assert_non_null(strstr(text, "\"team\":2"));
    struct portable_checkpoint *again = decode(text, size, &kept_again, &why);
    assert_non_null(again);
    assert_int_equal(again->rows[1].score, 8);
    assert_string_equal(kept_again, kept);
    block->match.players = 1;
    block->match.departed = 0; // who leaves takes what was kept of him along
    free(text);
    text = encode(block, kept, &size);
    assert_null(strstr(text, "weapon"));
    assert_non_null(strstr(text, "\"team\":1"));
    assert_null(strstr(text, "\"team\":2"));
    free(text);
    free(again);
    free(block);
    free(kept);
    free(kept_again);
}

TEST(what_is_no_value_of_its_member_is_rejected)
{
    static const char *const members[] = {
        "{\"round\":-1",
        "{\"round\":4294967296",
        "{\"round\":1.5",
        "{\"round\":\"1\"",
        "{\"saved_ms\":-1",
        "{\"has_end\":1",
        "{\"boot\":\"0011\"",
        "{\"boot\":\"001122334455667G\"",
        "{\"map\":\"a name that is much longer than the names of maps are allowed to be, by far\"",
        "{\"round\":1,\"round\":2",
        "{\"players\":[7]",
        "{\"players\":[{\"score\":null}]",
        "[1",
        "{\"round\":1}",
    };
    char text[256];
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        seal(members[i], text, sizeof text);
        assert_rejected(text, strlen(text), "it is damaged");
    }
    seal("{\"format\":2", text, sizeof text);
    assert_rejected(text, strlen(text), "it is of a newer version");
}

TEST(a_file_that_others_may_read_is_rejected)
{
    char path[] = "/tmp/test_portable_XXXXXX", text[64], *kept;
    const char *why;
    const int file = mkstemp(path);
    seal("{\"round\":2", text, sizeof text);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    struct portable_checkpoint *block = portable_checkpoint_read(path, &kept, &why);
    assert_non_null(block);
    assert_int_equal(block->match.round, 2);
    free(block);
    assert_int_equal(fchmod(file, 0644), 0);
    assert_null(portable_checkpoint_read(path, &kept, &why));
    assert_non_null(why);
    close(file);
    unlink(path);
    assert_null(portable_checkpoint_read(path, &kept, &why));
    assert_null(why);
}
