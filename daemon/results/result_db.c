// SPDX-License-Identifier: MIT
// Keeps results in SQLite, in WAL mode, so that others can read the file meanwhile.
#define _GNU_SOURCE
#include "result_db.h"

#include "state_file.h"

#include <sqlite3.h>

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    LAYOUT = 1, // changes with the tables
    PAGE_BYTES = 4096,
    BUSY_MS = 2000,        // for another program that holds a lock
    QUERY_MS = 1000,       // then a query is given up
    PROGRESS_STEPS = 4096, // of SQLite's machine between two looks at the clock
    PRUNE_EVERY = 64,      // rounds
    ALL_TIME = -1,         // as a day
    MS_PER_DAY = 86400000,
};

static const char tables[] =
    "CREATE TABLE players("
    "  id INTEGER PRIMARY KEY, verified INTEGER NOT NULL, name TEXT NOT NULL,"
    "  day INTEGER NOT NULL," // when it last played
    "  UNIQUE(verified, name));"
    "CREATE INDEX players_by_age ON players(verified, day);"
    "CREATE TABLE totals("
    "  day INTEGER NOT NULL, arena TEXT NOT NULL, map TEXT NOT NULL, player INTEGER NOT NULL,"
    "  rounds INTEGER NOT NULL, wins INTEGER NOT NULL, score INTEGER NOT NULL,"
    "  deaths INTEGER NOT NULL, shots INTEGER NOT NULL, hits INTEGER NOT NULL,"
    "  PRIMARY KEY(day, arena, map, player)) WITHOUT ROWID;"
    "CREATE INDEX totals_by_player ON totals(player);"
    "CREATE TABLE rounds("
    "  id INTEGER PRIMARY KEY, arena TEXT NOT NULL, start_ms INTEGER NOT NULL,"
    "  end_ms INTEGER NOT NULL, bytes INTEGER NOT NULL, line TEXT NOT NULL,"
    "  UNIQUE(arena, start_ms));"
    "CREATE INDEX rounds_by_end ON rounds(end_ms, bytes);"
    "PRAGMA user_version=1;";

// The statements that are used for every round.
enum statement {
    FIND_PLAYER,
    ADD_PLAYER,
    ADD_TOTALS,
    FIND_ROUND,
    DELETE_ROUND,
    ADD_ROUND,
    STATEMENTS,
};

static const char *const statements[STATEMENTS] = {
    [FIND_PLAYER] = "UPDATE players SET day=max(day,?3) WHERE verified=?1 AND name=?2 RETURNING id",
    [ADD_PLAYER] = "INSERT INTO players(verified,name,day) VALUES(?1,?2,?3) RETURNING id",
    [ADD_TOTALS] = "INSERT INTO totals VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10)"
                   " ON CONFLICT DO UPDATE SET rounds=rounds+?5,wins=wins+?6,score=score+?7,"
                   "deaths=deaths+?8,shots=shots+?9,hits=hits+?10",
    [FIND_ROUND] = "SELECT line FROM rounds WHERE arena=?1 AND start_ms=?2",
    [DELETE_ROUND] = "DELETE FROM rounds WHERE arena=?1 AND start_ms=?2",
    [ADD_ROUND] = "INSERT INTO rounds(arena,start_ms,end_ms,bytes,line) VALUES(?1,?2,?3,?4,?5)",
};

struct result_db {
    sqlite3 *sqlite;
    sqlite3_stmt *statements[STATEMENTS];
    bool is_damaged;
    bool is_batch;
    bool has_failed;          // in the present transaction
    uint32_t rounds_to_prune; // until the next pruning
    struct timespec deadline; // of the present query, CPU time of the thread
    char problem[RESULT_DB_PROBLEM_BYTES];
};

// --- SQLite ---

// Notes the problem of a call that failed. Returns false.
static bool fail(struct result_db *db)
{
    const int code = sqlite3_errcode(db->sqlite);
    db->is_damaged = db->is_damaged || code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
    db->has_failed = true;
    snprintf(db->problem, sizeof db->problem, "%s", sqlite3_errmsg(db->sqlite));
    return false;
}

static bool run(struct result_db *db, const char *sql)
{
    return sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK || fail(db);
}

// Binds arguments by the letters of `types`: i for int64_t, t for a text, which is borrowed until
// the statement is reset.
static void bind(sqlite3_stmt *statement, const char *types, ...)
{
    va_list arguments;
    va_start(arguments, types);
    for (int i = 1; types[i - 1] != '\0'; i++) {
        if (types[i - 1] == 'i')
            sqlite3_bind_int64(statement, i, va_arg(arguments, int64_t));
        else
            sqlite3_bind_text(statement, i, va_arg(arguments, const char *), -1, SQLITE_STATIC);
    }
    va_end(arguments);
}

// Runs a statement that returns no row. Returns false on failure.
static bool finish(struct result_db *db, sqlite3_stmt *statement)
{
    const int code = sqlite3_step(statement);
    const bool is_good = code == SQLITE_DONE || code == SQLITE_ROW || fail(db);
    sqlite3_reset(statement);
    return is_good;
}

// Runs a statement that returns a number: -1 without a row, -2 on failure.
static int64_t find_number(struct result_db *db, sqlite3_stmt *statement)
{
    const int code = sqlite3_step(statement);
    int64_t number = -1;
    if (code == SQLITE_ROW)
        number = sqlite3_column_int64(statement, 0);
    else if (code != SQLITE_DONE) {
        fail(db);
        number = -2;
    }
    sqlite3_reset(statement);
    return number;
}

// The number that a query without arguments returns; see find_number.
static int64_t ask_number(struct result_db *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t number = -2;
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL) == SQLITE_OK)
        number = find_number(db, statement);
    else
        fail(db);
    sqlite3_finalize(statement);
    return number;
}

// Called by SQLite now and then: ends a query that takes too long.
static int is_late(void *context)
{
    const struct result_db *db = context;
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec > db->deadline.tv_sec ||
           (now.tv_sec == db->deadline.tv_sec && now.tv_nsec > db->deadline.tv_nsec);
}

static void limit_time(struct result_db *db)
{
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &db->deadline);
    db->deadline.tv_sec += QUERY_MS / 1000;
    sqlite3_progress_handler(db->sqlite, PROGRESS_STEPS, is_late, db);
}

static void unlimit_time(struct result_db *db)
{
    sqlite3_progress_handler(db->sqlite, 0, NULL, NULL);
}

// --- Opening ---

static bool set_up(struct result_db *db)
{
    char limit[64];
    snprintf(limit, sizeof limit, "PRAGMA max_page_count=%d", (int)(RESULT_DB_BYTES / PAGE_BYTES));
    sqlite3_busy_timeout(db->sqlite, BUSY_MS);
    // Neither a commit nor the end of the process waits for the disk: the log of SQLite is synced
    // when it is copied into the file, once in a thousand pages.
    sqlite3_db_config(db->sqlite, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (!run(db, "PRAGMA page_size=4096") || !run(db, "PRAGMA journal_mode=WAL") ||
        !run(db, "PRAGMA synchronous=NORMAL") || !run(db, "PRAGMA temp_store=MEMORY") ||
        !run(db, "PRAGMA cache_size=-2048") || !run(db, "PRAGMA journal_size_limit=8388608") ||
        !run(db, limit))
        return false;
    const int64_t layout = ask_number(db, "PRAGMA user_version");
    if (layout == 0 && ask_number(db, "SELECT count(*) FROM sqlite_schema") == 0) {
        if (!run(db, "BEGIN IMMEDIATE") || !run(db, tables) || !run(db, "COMMIT"))
            return false;
    } else if (layout != LAYOUT) {
        if (layout >= 0)
            snprintf(db->problem, sizeof db->problem, "it has another layout");
        db->is_damaged = db->is_damaged || layout >= 0;
        return false;
    }
    for (int i = 0; i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(db->sqlite, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &db->statements[i], NULL) != SQLITE_OK)
            return fail(db);
    return true;
}

// What SQLite keeps beside a file, and plays into it when it is opened.
static const char *const companions[] = {"-wal", "-shm"};

// Whether the files beside this one, where there are any, are ours alone to write.
static bool trusts_companions(struct result_db *db, const char *path)
{
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        char beside[PATH_MAX];
        const char *problem = "its path is too long";
        struct stat status;
        const int file = snprintf(beside, sizeof beside, "%s%s", path, companions[i]) < PATH_MAX
                             ? state_file_open(beside, O_RDWR, STATE_FILE_SHARED, &problem)
                             : -1;
        if (file < 0 && errno == ENOENT)
            continue;
        const bool is_ours =
            file >= 0 && fstat(file, &status) == 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
        if (file >= 0)
            close(file);
        if (is_ours)
            continue;
        snprintf(db->problem, sizeof db->problem, "%s: %s", companions[i],
                 file >= 0 ? "other users may write to it" : problem);
        db->is_damaged = true;
        return false;
    }
    return true;
}

// Creates the file, which others may not read, or judges an existing one, because SQLite would
// follow a link. An empty path needs no file.
static bool prepare_file(struct result_db *db, const char *path)
{
    const char *problem = NULL;
    int file = path[0] != '\0' ? state_file_open(path, O_RDWR, STATE_FILE_SHARED, &problem) : -1;
    if (path[0] != '\0' && file < 0 && errno == ENOENT) {
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        problem = strerror(errno);
    }
    if (file >= 0)
        close(file);
    if (path[0] == '\0')
        return true;
    if (file >= 0)
        return trusts_companions(db, path);
    snprintf(db->problem, sizeof db->problem, "%s", problem);
    db->is_damaged = errno == ELOOP || errno == EPERM;
    return false;
}

// Opens a file. On failure returns NULL, and whether the file is to blame.
static struct result_db *try_open(const char *path, char problem[RESULT_DB_PROBLEM_BYTES],
                                  bool *is_damaged)
{
    struct result_db *db = calloc(1, sizeof *db);
    snprintf(problem, RESULT_DB_PROBLEM_BYTES, "out of memory");
    *is_damaged = false;
    if (db == NULL)
        return NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    const bool is_open =
        prepare_file(db, path) && (sqlite3_open_v2(path[0] != '\0' ? path : ":memory:", &db->sqlite,
                                                   flags, NULL) == SQLITE_OK ||
                                   fail(db));
    if (is_open && set_up(db)) {
        problem[0] = '\0';
        return db;
    }
    snprintf(problem, RESULT_DB_PROBLEM_BYTES, "%s", db->problem);
    *is_damaged = db->is_damaged;
    result_db_close(db);
    return NULL;
}

// Renames a damaged file, in the place of an earlier one, and removes what belongs to it.
static bool move_aside(const char *path)
{
    char other[PATH_MAX];
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        snprintf(other, sizeof other, "%s%s", path, companions[i]);
        unlink(other);
    }
    snprintf(other, sizeof other, "%s.bad", path);
    return rename(path, other) == 0;
}

struct result_db *result_db_open(const char *path, bool *is_new,
                                 char problem[RESULT_DB_PROBLEM_BYTES])
{
    bool is_damaged;
    char second[RESULT_DB_PROBLEM_BYTES];
    struct result_db *db = try_open(path, problem, &is_damaged);
    if (db == NULL && is_damaged && move_aside(path)) {
        db = try_open(path, second, &is_damaged);
        if (db == NULL)
            strcpy(problem, second);
    }
    if (db != NULL)
        *is_new = result_db_newest_ms(db) == 0;
    return db;
}

bool result_db_is_known(const char *path)
{
    struct result_db db = {0};
    int64_t layout = LAYOUT;
    if (sqlite3_open_v2(path, &db.sqlite, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK)
        layout = ask_number(&db, "PRAGMA user_version");
    sqlite3_close(db.sqlite);
    return layout == LAYOUT || layout <= 0;
}

void result_db_close(struct result_db *db)
{
    if (db == NULL)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(db->statements[i]);
    sqlite3_close(db->sqlite);
    free(db);
}

bool result_db_is_damaged(const struct result_db *db)
{
    return db->is_damaged;
}

const char *result_db_problem(const struct result_db *db)
{
    return db->problem;
}

// --- Adding ---

// The id of a player, who is added if it is new; below 0 on failure.
static int64_t find_player(struct result_db *db, const struct result_player *player, int64_t day)
{
    sqlite3_stmt *find = db->statements[FIND_PLAYER], *add = db->statements[ADD_PLAYER];
    bind(find, "iti", (int64_t)player->verified, player->name, day);
    const int64_t id = find_number(db, find);
    if (id != -1)
        return id;
    bind(add, "iti", (int64_t)player->verified, player->name, day);
    return find_number(db, add);
}

// Whether the player has an earlier row in the result: it left and came back.
static bool has_earlier_row(const struct result *result, uint32_t index)
{
    const struct result_player *player = &result->players[index];
    for (uint32_t i = 0; i < index; i++)
        if (result->players[i].verified == player->verified &&
            strcmp(result->players[i].name, player->name) == 0)
            return true;
    return false;
}

static bool has_player(const struct result *result, raim_player_id id)
{
    for (uint32_t i = 0; i < result->player_count; i++)
        if (result->players[i].id == id)
            return true;
    return false;
}

// Adds what the players did to the totals of a day, or with `sign` -1 subtracts it. With `only` it
// applies to the players that this result has, too.
static bool add_totals(struct result_db *db, const struct result *result, int64_t sign,
                       const struct result *only)
{
    const int64_t today = result->end_ms / MS_PER_DAY;
    const int64_t days[] = {today, ALL_TIME};
    sqlite3_stmt *add = db->statements[ADD_TOTALS];
    for (uint32_t i = 0; i < result->player_count; i++) {
        const struct result_player *player = &result->players[i];
        if (only != NULL && !has_player(only, player->id))
            continue;
        const int64_t id = find_player(db, player, today);
        const int64_t rounds = has_earlier_row(result, i) ? 0 : 1;
        for (size_t j = 0; j < sizeof days / sizeof *days; j++) {
            bind(add, "ittiiiiiii", days[j], result->group, result->map, id, sign * rounds,
                 sign * player->has_won, sign * player->score, sign * player->deaths,
                 sign * player->shots, sign * player->hits);
            if (id < 0 || !finish(db, add))
                return false;
        }
    }
    return true;
}

// Takes back an earlier result of the same round: it was cut short by the end of a process, and
// went on in the next one. Players who had left before are in the earlier one alone, and stay.
static bool take_back(struct result_db *db, const struct result *result)
{
    struct result before;
    sqlite3_stmt *find = db->statements[FIND_ROUND], *delete = db->statements[DELETE_ROUND];
    bind(find, "ti", result->arena, result->start_ms);
    const int code = sqlite3_step(find);
    const bool has_before =
        code == SQLITE_ROW && result_json_read((const char *)sqlite3_column_text(find, 0),
                                               (size_t)sqlite3_column_bytes(find, 0), &before);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        fail(db);
    sqlite3_reset(find);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE;
    bool is_good = true;
    if (has_before) {
        is_good = add_totals(db, &before, -1, result);
        result_json_clear(&before);
    }
    bind(delete, "ti", result->arena, result->start_ms);
    return finish(db, delete) && is_good;
}

// Deletes the oldest rounds, players and days that are too many, and some more, so that this is
// rare.
static bool prune(struct result_db *db)
{
    char sql[512];
    const int64_t rounds = ask_number(db, "SELECT count(*) FROM rounds");
    const int64_t bytes = ask_number(db, "SELECT ifnull(sum(bytes),0) FROM rounds");
    const int64_t players = ask_number(db, "SELECT count(*) FROM players");
    const bool is_full =
        ask_number(db, "SELECT page_count-freelist_count FROM pragma_page_count,"
                       " pragma_freelist_count") > RESULT_DB_BYTES / PAGE_BYTES / 4 * 3;
    const int64_t most_players = is_full ? players / 2 : RESULT_DB_PLAYERS;
    bool is_good = rounds >= 0 && bytes >= 0 && players >= 0;
    if (rounds > RESULT_DB_ROUNDS || bytes > RESULT_DB_ROUND_BYTES) {
        const int64_t extra = rounds > RESULT_DB_ROUNDS ? rounds - RESULT_DB_ROUNDS : 0;
        snprintf(
            sql, sizeof sql,
            "DELETE FROM rounds WHERE id IN (SELECT id FROM rounds ORDER BY end_ms LIMIT %lld)",
            (long long)(extra + rounds / 16));
        is_good = is_good && run(db, sql);
    }
    if (players > most_players) {
        const int64_t extra = players - most_players + most_players / 16;
        snprintf(
            sql, sizeof sql,
            "CREATE TEMP TABLE gone AS SELECT id FROM players ORDER BY verified, day LIMIT %lld;"
            "DELETE FROM totals WHERE player IN (SELECT id FROM gone);"
            "DELETE FROM players WHERE id IN (SELECT id FROM gone); DROP TABLE gone;",
            (long long)extra);
        is_good = is_good && run(db, sql);
    }
    snprintf(sql, sizeof sql, "DELETE FROM totals WHERE day BETWEEN 0 AND %lld",
             (long long)(time(NULL) / 86400 - RESULT_DB_DAYS));
    return is_good && run(db, sql);
}

static bool add(struct result_db *db, const struct result *result, const char *line, size_t size)
{
    sqlite3_stmt *statement = db->statements[ADD_ROUND];
    if (!take_back(db, result) || !add_totals(db, result, 1, NULL))
        return false;
    bind(statement, "tiii", result->arena, result->start_ms, result->end_ms, (int64_t)size);
    sqlite3_bind_text(statement, 5, line, (int)size, SQLITE_STATIC);
    if (!finish(db, statement))
        return false;
    if (db->rounds_to_prune > 0) {
        db->rounds_to_prune--;
        return true;
    }
    db->rounds_to_prune = PRUNE_EVERY;
    return prune(db);
}

void result_db_begin(struct result_db *db)
{
    assert(!db->is_batch);
    db->has_failed = false;
    db->is_batch = run(db, "BEGIN IMMEDIATE");
}

bool result_db_end(struct result_db *db)
{
    if (!db->is_batch)
        return false;
    db->is_batch = false;
    if (!db->has_failed && run(db, "COMMIT"))
        return true;
    sqlite3_exec(db->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool result_db_add(struct result_db *db, const struct result *result, const char *line, size_t size)
{
    if (db->is_batch)
        return !db->has_failed && add(db, result, line, size);
    result_db_begin(db);
    const bool is_good = db->is_batch && add(db, result, line, size);
    return result_db_end(db) && is_good;
}

// --- Asking ---

int64_t result_db_newest_ms(struct result_db *db)
{
    const int64_t newest_ms = ask_number(db, "SELECT max(end_ms) FROM rounds");
    return newest_ms > 0 ? newest_ms : 0;
}

static void read_row(sqlite3_stmt *statement, struct leaderboard_row *row)
{
    const unsigned char *name = sqlite3_column_text(statement, 0);
    *row = (struct leaderboard_row){
        .verified = sqlite3_column_int(statement, 1) != 0,
        .rounds = sqlite3_column_int64(statement, 2),
        .wins = sqlite3_column_int64(statement, 3),
        .score = sqlite3_column_int64(statement, 4),
        .deaths = sqlite3_column_int64(statement, 5),
        .shots = sqlite3_column_int64(statement, 6),
        .hits = sqlite3_column_int64(statement, 7),
    };
    snprintf(row->name, sizeof row->name, "%s", name != NULL ? (const char *)name : "");
}

int result_db_leaderboard(struct result_db *db, int64_t first_day, const char *arena,
                          const char *map, struct leaderboard_row *rows, uint32_t capacity)
{
    char sql[768];
    snprintf(sql, sizeof sql,
             "SELECT p.name, p.verified, t.rounds, t.wins, t.score, t.deaths, t.shots, t.hits FROM"
             " (SELECT player, sum(rounds) rounds, sum(wins) wins, sum(score) score,"
             "  sum(deaths) deaths, sum(shots) shots, sum(hits) hits"
             "  FROM totals WHERE day BETWEEN ?1 AND ?2%s%s GROUP BY player HAVING sum(rounds)>0"
             "  ORDER BY sum(score) DESC, sum(wins) DESC, sum(deaths), player LIMIT ?3) t"
             " JOIN players p ON p.id=t.player"
             " ORDER BY t.score DESC, t.wins DESC, t.deaths, t.player",
             arena[0] != '\0' ? " AND arena=?4" : "", map[0] != '\0' ? " AND map=?5" : "");
    sqlite3_stmt *statement = NULL;
    limit_time(db);
    int count = -1;
    if (sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL) == SQLITE_OK) {
        int code;
        bind(statement, "iii", first_day, first_day < 0 ? ALL_TIME : INT64_MAX, (int64_t)capacity);
        sqlite3_bind_text(statement, 4, arena, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 5, map, -1, SQLITE_STATIC);
        count = 0;
        while ((code = sqlite3_step(statement)) == SQLITE_ROW && (uint32_t)count < capacity)
            read_row(statement, &rows[count++]);
        count = code == SQLITE_DONE || code == SQLITE_ROW ? count : -1;
    }
    if (count < 0)
        fail(db);
    sqlite3_finalize(statement);
    unlimit_time(db);
    return count;
}

bool result_db_rounds(struct result_db *db, int64_t since_ms, const char *arena, uint32_t limit,
                      void (*take)(void *context, const char *line, size_t size), void *context)
{
    // The running sum of bytes, from the newest round on, bounds the page; the newest is always in.
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT line FROM rounds WHERE id IN (SELECT id FROM (SELECT id, bytes,"
             " sum(bytes) OVER (ORDER BY end_ms DESC, id DESC) total FROM (SELECT id, bytes, end_ms"
             " FROM rounds WHERE end_ms>=?1%s ORDER BY end_ms DESC, id DESC LIMIT ?2))"
             " WHERE total<=?3 OR total=bytes) ORDER BY end_ms, id",
             arena[0] != '\0' ? " AND arena=?4" : "");
    sqlite3_stmt *statement = NULL;
    bool is_good = sqlite3_prepare_v2(db->sqlite, sql, -1, &statement, NULL) == SQLITE_OK;
    limit_time(db);
    if (is_good) {
        int code;
        bind(statement, "iii", since_ms, (int64_t)limit, RESULT_DB_PAGE_BYTES);
        sqlite3_bind_text(statement, 4, arena, -1, SQLITE_STATIC);
        while ((code = sqlite3_step(statement)) == SQLITE_ROW)
            take(context, (const char *)sqlite3_column_text(statement, 0),
                 (size_t)sqlite3_column_bytes(statement, 0));
        is_good = code == SQLITE_DONE;
    }
    if (!is_good)
        fail(db);
    sqlite3_finalize(statement);
    unlimit_time(db);
    return is_good;
}
