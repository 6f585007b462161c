// SPDX-License-Identifier: MIT
// Reads the arguments of a query, and answers its connection later.
#define _GNU_SOURCE
#include "http_results.h"

#include "http_answer.h"
#include "http_services.h"
#include "loop.h"
#include "monotonic.h"
#include "name.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL_PLAYERS = 20, USUAL_ROUNDS = 100 };

// A request whose query was asked. While its connection is suspended it is in the list.
struct pending {
    struct request_memory memory;
    struct pending *next;
    struct http_results *owner;
    struct MHD_Connection *connection;
    struct results_answer *answer;
    uint64_t deadline_ms;
    bool is_suspended;
};

struct http_results {
    struct results *results;
    struct watcher answered;
    struct loop_source *deadline; // of the first that waits
    struct pending *waiting;
    bool is_ending;
};

static void resume_some(void *context);

static struct http_results *create(struct loop *loop, struct results *results)
{
    struct http_results *http_results = calloc(1, sizeof *http_results);
    if (http_results == NULL)
        return NULL;
    http_results->results = results;
    http_results->deadline = loop_add_timer(loop, 0, resume_some, http_results);
    if (http_results->deadline == NULL) {
        free(http_results);
        return NULL;
    }
    http_results->answered = (struct watcher){.run = resume_some, .context = http_results};
    if (results != NULL)
        results_watch(results, &http_results->answered);
    return http_results;
}

static void destroy(void *context)
{
    struct http_results *http_results = context;
    assert(http_results->waiting == NULL);
    if (http_results->results != NULL)
        results_unwatch(http_results->results, &http_results->answered);
    loop_remove(http_results->deadline);
    free(http_results);
}

// Reads a number of at most 15 digits. An absent argument leaves it as it is.
static bool read_number(struct MHD_Connection *connection, const char *name, int64_t min,
                        int64_t max, int64_t *number)
{
    const char *text = http_connection_argument(connection, name);
    if (text == NULL)
        return true;
    const size_t digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 15 || text[digits] != '\0')
        return false;
    *number = strtoll(text, NULL, 10);
    return *number >= min && *number <= max;
}

static bool read_arena(struct MHD_Connection *connection, char arena[RAIM_MAX_ARENA_BYTES + 1])
{
    const char *text = http_connection_argument(connection, "arena");
    if (text == NULL)
        return true;
    const size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    if (size < 1 || size > RAIM_MAX_ARENA_BYTES || text[size] != '\0')
        return false;
    memcpy(arena, text, size);
    return true;
}

static bool read_map(struct MHD_Connection *connection, char map[RAIM_MAP_NAME_BYTES])
{
    char cleaned[RAIM_MAX_TEXT_BYTES + 1];
    const char *text = http_connection_argument(connection, "map");
    if (text == NULL)
        return true;
    if (strlen(text) >= RAIM_MAP_NAME_BYTES ||
        !raim_text_clean(text, cleaned, RAIM_MAX_TEXT_BYTES) || strcmp(text, cleaned) != 0)
        return false;
    memcpy(map, text, strlen(text));
    return true;
}

// Returns what is wrong; NULL: nothing.
static const char *read_query(struct MHD_Connection *connection, enum results_kind kind,
                              struct results_query *query)
{
    const bool is_leaderboard = kind == RESULTS_LEADERBOARD;
    const char *period = http_connection_argument(connection, "period");
    int64_t limit = is_leaderboard ? USUAL_PLAYERS : USUAL_ROUNDS, since_s = 0;
    memset(query, 0, sizeof *query);
    query->kind = kind;
    if (!read_arena(connection, query->arena))
        return "want the name of an arena or template";
    if (is_leaderboard && period != NULL && !results_period_find(period, &query->period))
        return "want the period day, week, month or all";
    if (is_leaderboard && !read_map(connection, query->map))
        return "want the name of a map";
    if (!is_leaderboard && !read_number(connection, "since", 0, INT64_C(1) << 40, &since_s))
        return "want a time in seconds since 1970";
    if (!read_number(connection, "limit", 1,
                     is_leaderboard ? RESULTS_MAX_PLAYERS : RESULTS_MAX_ROUNDS, &limit))
        return is_leaderboard ? "want a limit of 1 to 100" : "want a limit of 1 to 1000";
    query->limit = (uint32_t)limit;
    query->since_ms = since_s * 1000;
    return NULL;
}

static void end_pending(struct request_memory *memory)
{
    struct pending *pending = (struct pending *)memory;
    assert(!pending->is_suspended); // a suspended connection is resumed before it ends
    results_release(pending->answer);
    free(pending);
}

static void resume(struct pending *pending)
{
    struct pending **link = &pending->owner->waiting;
    while (*link != pending)
        link = &(*link)->next;
    *link = pending->next;
    pending->is_suspended = false;
    http_connection_resume(pending->connection);
}

static void set_timer(const struct http_results *http_results)
{
    uint64_t due_ms = LOOP_NEVER;
    for (const struct pending *pending = http_results->waiting; pending != NULL;
         pending = pending->next)
        due_ms = pending->deadline_ms < due_ms ? pending->deadline_ms : due_ms;
    loop_set_timer(http_results->deadline, due_ms);
}

static void suspend(struct pending *pending)
{
    pending->is_suspended = true;
    pending->next = pending->owner->waiting;
    pending->owner->waiting = pending;
    set_timer(pending->owner);
    http_connection_suspend(pending->connection);
}

// Answers the request if its query is answered or late. Returns true in `done` if it was.
static bool conclude(struct pending *pending, bool *done)
{
    const char *text;
    const bool is_late = pending->owner->is_ending || monotonic_ms() >= pending->deadline_ms;
    const bool is_answered = results_answered(pending->answer, &text);
    *done = is_answered || is_late;
    if (!*done)
        return true;
    if (!is_answered || text == NULL)
        return http_answer_send_problem(
            pending->connection, HTTP_UNAVAILABLE,
            is_answered ? "the results cannot be read" : "too many queries are pending", NULL);
    return http_answer_send_once(pending->connection, HTTP_OK,
                                 http_answer_text(HTTP_JSON_TYPE, strdup(text)));
}

static struct pending *begin(struct http_results *http_results, const struct http_request *step,
                             const struct results_query *query)
{
    struct pending *pending = calloc(1, sizeof *pending);
    struct results_answer *answer =
        pending != NULL ? results_ask(http_results->results, query) : NULL;
    if (answer == NULL) {
        free(pending);
        return NULL;
    }
    *pending = (struct pending){
        .memory.end = end_pending,
        .owner = http_results,
        .connection = step->connection,
        .answer = answer,
        .deadline_ms = monotonic_ms() + HTTP_RESULTS_MS,
    };
    *step->memory = &pending->memory;
    return pending;
}

static bool takes_leaderboard(const char *path)
{
    return strcmp(path, "/leaderboard") == 0;
}

static bool takes_any(const char *path)
{
    return takes_leaderboard(path) || strcmp(path, "/results") == 0;
}

static enum results_kind kind_of(const char *path)
{
    return takes_leaderboard(path) ? RESULTS_LEADERBOARD : RESULTS_ROUNDS;
}

// A step of a whole request. One that waits gets a struct request_memory, and the step again.
static bool answer(void *context, const struct http_request *step)
{
    struct http_results *http_results = context;
    struct request_memory *memory = *step->memory;
    struct results_query query;
    bool done;
    if (http_results->results == NULL)
        return http_answer_send_problem(step->connection, HTTP_NOT_FOUND,
                                        "the configuration says results = false", NULL);
    if (memory == NULL || step->piece_bytes > 0)
        return http_answer_send_problem(step->connection, HTTP_BAD_REQUEST,
                                        "want a request without a body", NULL);
    struct pending *pending = memory->end == end_pending ? (struct pending *)memory : NULL;
    if (pending == NULL) {
        const char *problem = read_query(step->connection, kind_of(step->path), &query);
        if (problem != NULL)
            return http_answer_send_problem(step->connection, HTTP_BAD_REQUEST, problem, NULL);
        pending = begin(http_results, step, &query);
    }
    if (pending == NULL)
        return http_answer_send_problem(step->connection, HTTP_UNAVAILABLE,
                                        "too many queries are pending", NULL);
    const bool is_good = conclude(pending, &done);
    if (!done)
        suspend(pending);
    return is_good;
}

// Resumes the connections whose query is answered, or has waited for too long.
static void resume_some(void *context)
{
    const struct http_results *http_results = context;
    const uint64_t now_ms = monotonic_ms();
    for (struct pending *pending = http_results->waiting, *next; pending != NULL; pending = next) {
        const char *text;
        next = pending->next;
        if (now_ms >= pending->deadline_ms || results_answered(pending->answer, &text))
            resume(pending);
    }
    set_timer(http_results);
}

// Resumes every connection, so that they can end at the next run of the listener.
static void end(void *context)
{
    struct http_results *http_results = context;
    http_results->is_ending = true;
    while (http_results->waiting != NULL)
        resume(http_results->waiting);
}

bool http_results_serve(struct http_services *services, struct loop *loop, struct results *results,
                        bool is_for_operators)
{
    struct http_results *http_results = create(loop, results);
    return http_services_add(services,
                             (struct http_service){is_for_operators ? takes_any : takes_leaderboard,
                                                   answer, end, destroy, http_results});
}
