// SPDX-License-Identifier: MIT
// Implements the operator's changes of the running arenas.
#define _GNU_SOURCE
#include "arena_table_changes.h"

#include "arena_table.h"
#include "config.h"
#include "config_diff.h"
#include "log.h"
#include "reader.h"
#include "reload_report.h"
#include "rotation.h"
#include "server_events.h"
#include "source.h"
#include "systemd.h"
#include "text_buffer.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reloading of the configuration: applies every change of the file that is possible while matches
// run, or, if the file has any mistake, none. Main thread only.

enum { ERROR_BYTES = 256 };

// The changes of one arena of the new configuration.
struct plan {
    int running;              // its index in the table; -1: a new arena
    struct arena_slot *fresh; // of a new arena
    bool tunes;               // a key changed that any match can adopt
    bool moves;               // its map changed
    bool rotates;             // its rotation changed
    bool rebuilds;            // a key changed that needs a new match
    bool waits;               // the changes wait for the next round
    struct prepared_match *tuning, *successor;
};

struct reload {
    struct arena_table *table;
    struct config *running;       // borrows every value, in the order of the table, without arenas
    int slots[CONFIG_MAX_ARENAS]; // in the table, of the arenas of `running`
    struct config *wanted;
    struct reload_report *report;
    struct plan *plans; // one per arena of `wanted`
};

// Logs a report, one log line per line and a summary.
static void reload_log(const struct reload_report *report)
{
    int counts[RELOAD_REPORT_KINDS] = {0};
    for (int i = 0; i < report->count; i++) {
        const struct reload_report_line *line = &report->lines[i];
        counts[line->kind]++;
        switch (line->kind) {
        case RELOAD_REPORT_MISTAKE:
            log_error("configuration mistake: %s", line->text);
            break;
        case RELOAD_REPORT_WARNING:
            log_warning("configuration %s", line->text);
            break;
        case RELOAD_REPORT_APPLIED:
            log_info("configuration applied: %s", line->text);
            break;
        case RELOAD_REPORT_RESTART:
            log_warning("configuration needs a restart: %s", line->text);
            break;
        case RELOAD_REPORT_KINDS:
            break;
        }
    }
    if (counts[RELOAD_REPORT_MISTAKE] > 0)
        log_error("configuration rejected mistakes=%d: the running configuration is unchanged",
                  counts[RELOAD_REPORT_MISTAKE]);
    else
        log_info("configuration reloaded applied=%d restart=%d", counts[RELOAD_REPORT_APPLIED],
                 counts[RELOAD_REPORT_RESTART]);
}

// --- Reading ---

// Loads a file. Returns NULL and adds the mistakes to the report if it is rejected.
static struct config *reload_load(const char *path, struct reload_report *report)
{
    char *text = NULL;
    size_t size;
    struct diagnostics diagnostics = {.out = open_memstream(&text, &size)};
    if (diagnostics.out == NULL) {
        reload_report_end_memory(report);
        return NULL;
    }
    struct config *config = config_load_reported(path, &diagnostics);
    if (fclose(diagnostics.out) != 0 || diagnostics.no_memory || text == NULL) {
        reload_report_end_memory(report);
        config_unload(config);
        free(text);
        return NULL;
    }
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0')
            reload_report_add(
                report, config != NULL ? RELOAD_REPORT_WARNING : RELOAD_REPORT_MISTAKE, "%s", line);
    free(text);
    return config;
}

static void free_merged(struct config *merged)
{
    if (merged == NULL)
        return;
    if (merged->values != NULL)
        free(merged->values->values);
    free(merged->values);
    free(merged->arenas);
    free(merged);
}

// Creates a configuration with room for every value of the table's arenas, but without values.
// Returns NULL when memory runs out.
static struct config *create_merged(const struct arena_table *table, const struct config *root)
{
    struct config *merged = malloc(sizeof *merged);
    if (merged == NULL)
        return NULL;
    int most = root->values->count;
    for (int i = 0; i < table->running.count; i++)
        if (!arena_slot_wanted(table->slots[i])->is_on_demand)
            most += table->slots[i]->config->values->count;
    *merged = *root;
    merged->arena_count = 0;
    merged->arenas = calloc((size_t)table->running.count + 1, sizeof *merged->arenas);
    merged->values = calloc(1, sizeof *merged->values);
    if (merged->values != NULL)
        merged->values->values = calloc((size_t)most, sizeof *merged->values->values);
    if (merged->arenas != NULL && merged->values != NULL && merged->values->values != NULL)
        return merged;
    free_merged(merged);
    return NULL;
}

// Adds the values of one arena, or with -1 the global ones, without copying them.
static void add_values(struct config_values *merged, const struct config_values *values, int arena,
                       int index)
{
    for (int i = 0; i < values->count; i++) {
        if (values->values[i].arena != arena)
            continue;
        merged->values[merged->count] = values->values[i];
        merged->values[merged->count++].arena = index;
    }
}

// The configuration in force, merged from those of the arenas: they differ once an arena has been
// added or removed at run time. Arenas are no part of it. Fills `slots` with the index in the table
// of each arena. Returns NULL when memory runs out.
static struct config *merge_running(const struct arena_table *table, const struct config *root,
                                    int slots[CONFIG_MAX_ARENAS])
{
    struct config *merged = create_merged(table, root);
    if (merged == NULL)
        return NULL;
    add_values(merged->values, root->values, -1, -1);
    for (int i = 0; i < table->running.count; i++) {
        const struct arena_slot *slot = table->slots[i];
        if (arena_slot_wanted(slot)->is_on_demand)
            continue;
        const int index = merged->arena_count++;
        merged->arenas[index] = *arena_slot_wanted(slot);
        add_values(merged->values, slot->config->values, slot->index, index);
        slots[index] = i;
    }
    return merged;
}

// --- Planning ---

// Whether a new value exceeds what the arena has reserved since it was opened.
static bool exceeds(const struct reload *reload, const struct config_change *change)
{
    static bool (*const fits[])(const struct arena *arena, uint32_t wanted) = {
        [READER_PLAYERS] = arena_fits_players,
        [READER_SPECTATORS] = arena_fits_spectators,
        [READER_BOTS] = arena_fits_bots,
    };
    const struct config_value *to = change->to;
    if (to == NULL || to->key->scope == READER_ANY_SCOPE)
        return false;
    uint32_t wanted;
    memcpy(&wanted, (const char *)&reload->wanted->arenas[change->new_arena] + to->offset,
           sizeof wanted);
    const int slot = reload->slots[change->old_arena];
    return !fits[to->key->scope](reload->table->running.arenas[slot], wanted);
}

static void plan_for_arena(struct plan *plan, enum reader_applies applies)
{
    switch (applies) {
    case READER_AT_ONCE:
    case READER_WITH_BREAK:
    case READER_WITH_ROUND:
        plan->tunes = true;
        break;
    case READER_WITH_MATCH:
        plan->rebuilds = true;
        break;
    case READER_WITH_MAP:
        plan->moves = true;
        break;
    case READER_WITH_ROTATION:
        plan->rotates = true;
        break;
    case READER_AT_RESTART:
        break;
    }
}

// Returns false when memory runs out.
static bool plan_change(struct reload *reload, struct config_change *change)
{
    if (change->to == NULL)
        return true;
    change->needs_restart = change->needs_restart || exceeds(reload, change);
    if (change->needs_restart)
        return config_diff_restore(change, reload->wanted, reload->running);
    if (change->new_arena >= 0)
        plan_for_arena(&reload->plans[change->new_arena], change->to->key->applies);
    return true;
}

static bool plan_new_arena(struct reload *reload, int index)
{
    char error[ERROR_BYTES];
    struct plan *plan = &reload->plans[index];
    plan->fresh = arena_slot_open(reload->table, reload->wanted, index, error, sizeof error);
    if (plan->fresh == NULL)
        reload_report_add(reload->report, RELOAD_REPORT_MISTAKE, "arena failed arena=%s: %s",
                          reload->wanted->arenas[index].name, error);
    return plan->fresh != NULL;
}

// Prepares the match that replaces the current one. With rounds it begins with the next round.
// Without rounds it begins at once and respawns every player; scores stay if the map stays, unless
// rounds begin with it.
static struct prepared_match *plan_successor(const struct arena_slot *slot, const struct plan *plan,
                                             bool begins)
{
    const int maps = arena_slot_wanted(slot)->rotation_count + 1;
    const bool is_list_new = plan->moves || plan->rotates;
    int map_index =
        is_list_new ? rotation_find_map(slot) : arena_prepared_match(slot->arena)->map.index;
    bool keeps_map = false;
    if (plan->waits && maps > 1)
        map_index = (map_index + 1) % maps;
    else if (is_list_new)
        map_index = 0;
    else
        keeps_map = !arena_has_next_offer(slot->arena); // an offer means another map
    struct prepared_match *prepared = rotation_prepare(slot, map_index, keeps_map);
    if (prepared == NULL)
        return NULL;
    prepared->at_once = !plan->waits;
    prepared->takes_waiting_round = plan->waits;
    prepared->keeps_round = !plan->waits && !plan->moves && !begins;
    return prepared;
}

// Plans the matches of an arena with the new configuration, in a copy of its slot.
static bool plan_matches(struct reload *reload, int index)
{
    struct plan *plan = &reload->plans[index];
    struct arena_slot slot = *reload->table->slots[plan->running];
    slot.config = reload->wanted;
    slot.index = index;
    const bool has_rounds = rotation_has_rounds(&slot);
    const bool had_rounds = rotation_has_rounds(reload->table->slots[plan->running]);
    const bool begins = has_rounds && !had_rounds; // there is no next round to wait for
    plan->waits = has_rounds && had_rounds;
    // Without rounds a rotation does not advance.
    const bool succeeds = plan->moves || plan->rebuilds || begins || (plan->rotates && has_rounds);
    if (plan->tunes) {
        plan->tuning = prepared_match_create(arena_slot_wanted(&slot), NULL, NULL);
        if (plan->tuning != NULL)
            plan->tuning->at_once = true;
    }
    if (succeeds)
        plan->successor = plan_successor(&slot, plan, begins);
    const bool good =
        (!plan->tunes || plan->tuning != NULL) && (!succeeds || plan->successor != NULL);
    if (!good)
        reload_report_add(reload->report, RELOAD_REPORT_MISTAKE, "out of memory");
    return good;
}

// The index in the table of the running arena that continues as this one; -1: none.
static int find_running(const struct reload *reload, int index)
{
    const int partner = config_diff_partner(reload->running, reload->wanted, index);
    return partner >= 0 ? reload->slots[partner] : -1;
}

static bool plan_all(struct reload *reload, struct config_diff *diff)
{
    for (int i = 0; i < reload->wanted->arena_count; i++)
        reload->plans[i].running = find_running(reload, i);
    bool good = true;
    for (int i = 0; i < diff->count; i++)
        good = plan_change(reload, &diff->changes[i]) && good;
    if (!good)
        reload_report_end_memory(reload->report);
    for (int i = 0; good && i < reload->wanted->arena_count; i++)
        good = reload->plans[i].running < 0 ? plan_new_arena(reload, i) : plan_matches(reload, i);
    return good;
}

static void drop_plans(struct reload *reload)
{
    for (int i = 0; reload->plans != NULL && i < reload->wanted->arena_count; i++) {
        arena_slot_close(reload->plans[i].fresh);
        prepared_match_free(reload->plans[i].tuning);
        prepared_match_free(reload->plans[i].successor);
    }
}

// --- Execution ---

static struct arena *find_leaving(const struct arena_table *table, const char *name)
{
    const struct arena_slot *slot = table->leaving;
    while (slot != NULL && strcmp(arena_slot_wanted(slot)->name, name) != 0)
        slot = slot->next;
    return slot != NULL ? slot->arena : NULL;
}

static void change_arena(struct reload *reload, int index)
{
    const struct plan *plan = &reload->plans[index];
    struct arena_slot *slot = reload->table->slots[plan->running];
    config_unload(slot->config);
    slot->config = config_share(reload->wanted);
    slot->index = index;
    if (plan->tuning != NULL)
        arena_mark_renamed_tokens(slot->arena, plan->tuning,
                                  find_leaving(reload->table, plan->tuning->config.name),
                                  reload->table->store);
    if (plan->tuning != NULL)
        arena_offer(slot->arena, plan->tuning);
    if (plan->successor != NULL)
        arena_offer(slot->arena, plan->successor);
}

static void execute_plans(struct reload *reload)
{
    struct arena_table *table = reload->table;
    const int count = reload->wanted->arena_count;
    for (int i = 0; i < count; i++)
        if (reload->plans[i].running >= 0)
            change_arena(reload, i);
    // Backwards, so that indices stay valid.
    for (int i = reload->running->arena_count - 1; i >= 0; i--) {
        if (config_diff_partner(reload->wanted, reload->running, i) >= 0)
            continue;
        if (!arena_table_remove(table, reload->slots[i]))
            log_arena_error(
                reload->running->arenas[i].name,
                "arena not removed arena=%s: its worker's mailbox is full, reload again",
                reload->running->arenas[i].name);
    }
    for (int i = 0; i < count; i++) {
        struct arena_slot *fresh = reload->plans[i].fresh;
        if (fresh == NULL || arena_table_add(table, fresh))
            continue;
        log_arena_error(reload->wanted->arenas[i].name,
                        "arena failed arena=%s: its worker's mailbox is full, reload again",
                        reload->wanted->arenas[i].name);
        arena_slot_close(fresh);
    }
}

// --- Entry ---

// A suffix of a report line: when a change that waits for an arena's rounds will apply.
static const char *timing_text(const struct reload *reload, const struct config_change *change)
{
    static const char *const words[] = {
        [READER_AT_RESTART] = "",
        [READER_AT_ONCE] = "",
        [READER_WITH_BREAK] = ", with the next break",
        [READER_WITH_ROUND] = ", with the next round",
        [READER_WITH_MATCH] = ", with the next round",
        [READER_WITH_MAP] = ", with the next round",
        [READER_WITH_ROTATION] = ", with the next round",
    };
    const bool waits = change->to != NULL && !change->needs_restart && change->new_arena >= 0 &&
                       reload->plans[change->new_arena].waits;
    return waits ? words[change->to->key->applies] : "";
}

// Returns false when memory runs out.
static bool report_changes(const struct reload *reload, const struct config_diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct config_change *change = &diff->changes[i];
        reload_report_add(reload->report,
                          change->needs_restart ? RELOAD_REPORT_RESTART : RELOAD_REPORT_APPLIED,
                          "%s%s", change->text, timing_text(reload, change));
    }
    return !reload_report_has(reload->report, RELOAD_REPORT_MISTAKE);
}

// Does everything that can fail. The caller then calls execute_plans or drop_plans.
static bool prepare(struct reload *reload, const struct config *config, struct config_diff **diff)
{
    reload->running = merge_running(reload->table, config, reload->slots);
    reload->plans = calloc((size_t)reload->wanted->arena_count, sizeof(struct plan));
    if (reload->running != NULL && reload->plans != NULL)
        *diff = config_diff_create(reload->running, reload->wanted);
    if (*diff != NULL)
        return plan_all(reload, *diff) && report_changes(reload, *diff);
    reload_report_end_memory(reload->report);
    return false;
}

// Loads the table's file and applies it. On success the table has the new configuration, but keeps
// the old value of every key that needs a restart, and `report` gets each change, as "file:line:
// key: old -> new". On failure returns false and changes nothing, and `report` gets the mistakes:
// no file, no memory, or an error in the file.
static bool reload_apply(struct arena_table *table, struct reload_report *report)
{
    if (table->path == NULL) {
        reload_report_add(report, RELOAD_REPORT_MISTAKE,
                          "the configuration was not read from a file");
        return false;
    }
    struct config *wanted = reload_load(table->path, report);
    if (wanted == NULL)
        return false;
    struct reload reload = {.table = table, .wanted = wanted, .report = report};
    struct config_diff *diff = NULL;
    const bool good = prepare(&reload, table->config, &diff);
    if (good) {
        arena_table_change_recorder(table, wanted, report); // before an arena begins a file
        execute_plans(&reload);
    } else {
        drop_plans(&reload);
    }
    config_diff_free(diff);
    free(reload.plans);
    free_merged(reload.running);
    config_unload(good ? table->config : wanted);
    if (good)
        table->config = wanted;
    return good;
}

// The fields of the event of a reload: whether it was good, and the number of lines of each kind.
static char *reload_fields(const struct reload_report *report, bool is_good)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"good\":%s", is_good ? "true" : "false");
    for (int kind = 0; kind < RELOAD_REPORT_KINDS; kind++) {
        int count = 0;
        for (int i = 0; i < report->count; i++)
            count += report->lines[i].kind == (enum reload_report_kind)kind;
        text_buffer_print(&out, ",\"%s\":%d",
                          reload_report_kind_name((enum reload_report_kind)kind), count);
    }
    text_buffer_print(&out, "}");
    return text_buffer_take(&out);
}

bool arena_table_reload(struct arena_table *table, struct reload_report *report)
{
    uint32_t players, bots;
    systemd_notify_reloading();
    const bool good = reload_apply(table, report);
    reload_log(report);
    if (good) {
        log_set_level(table->config->log_level);
        server_events_choose(table->events, table->config->event_kinds);
    }
    server_events_add(table->events, "reload", NULL, reload_fields(report, good));
    arena_table_count_players(table, &players, &bots);
    systemd_notify_players(players, bots);
    systemd_notify_ready();
    watchers_call(&table->watchers);
    return good;
}

static bool reject(const char *reason, char *error, size_t capacity)
{
    snprintf(error, capacity, "%s", reason);
    return false;
}

// Loads the file and finds the arena of this name. The caller unloads the configuration. Returns
// NULL and writes a reason on failure.
static struct config *load_arena(const struct arena_table *table, const char *name, int *index,
                                 char *error, size_t capacity)
{
    struct reload_report report = {0};
    struct config *config = table->path != NULL ? reload_load(table->path, &report) : NULL;
    if (config == NULL)
        reject(report.count > 0 ? report.lines[0].text : "there is no configuration to read", error,
               capacity);
    reload_report_clear(&report);
    if (config == NULL)
        return NULL;
    *index = 0;
    while (*index < config->arena_count && strcmp(config->arenas[*index].name, name) != 0)
        (*index)++;
    if (*index < config->arena_count)
        return config;
    reject("the configuration file has no arena of this name", error, capacity);
    config_unload(config);
    return NULL;
}

bool arena_table_add_arena(struct arena_table *table, const char *name, char *error,
                           size_t capacity)
{
    int index;
    assert(arena_list_find(&table->running, name) < 0);
    struct config *config = load_arena(table, name, &index, error, capacity);
    if (config == NULL)
        return false;
    struct arena_slot *slot = arena_slot_open(table, config, index, error, capacity);
    config_unload(config); // the slot shares it
    if (slot == NULL)
        return false;
    if (arena_table_add(table, slot))
        return true;
    arena_slot_close(slot);
    return reject("there are too many arenas, or the worker's mailbox is full: try again", error,
                  capacity);
}

bool arena_table_remove_arena(struct arena_table *table, int index, char *error, size_t capacity)
{
    return arena_table_remove(table, index) ||
           reject("the arena was not ended, because its worker's mailbox is full: try again", error,
                  capacity);
}

// Copies the first line, truncated to the capacity.
static void copy_line(const char *text, char *error, size_t capacity)
{
    snprintf(error, capacity, "%.*s", (int)strcspn(text, "\n"), text);
}

// Prepares a match on a map, under an absolute path that the next process will find. Returns NULL
// when memory runs out.
static struct prepared_match *prepare_map(const struct arena_table *table,
                                          const struct arena_slot *slot, struct config *map,
                                          const char *path)
{
    char *resolved = config_find_map(table->path != NULL ? table->path : "", path);
    if (resolved == NULL)
        return NULL;
    char *whole = realpath(resolved, NULL);
    struct prepared_match *prepared =
        rotation_prepare_map(slot, map, whole != NULL ? whole : resolved);
    free(whole);
    free(resolved);
    return prepared;
}

bool arena_table_change_map(struct arena_table *table, int index, const char *map_path, char *error,
                            size_t capacity)
{
    const struct arena_slot *slot = table->slots[index];
    char *text = NULL;
    size_t size;
    struct diagnostics report = {.out = open_memstream(&text, &size)};
    if (report.out == NULL)
        return reject("out of memory", error, capacity);
    struct config *map =
        config_load_map(table->path != NULL ? table->path : "", map_path,
                        arena_slot_wanted(slot)->match.rules.player_radius, &report);
    fclose(report.out);
    copy_line(report.no_memory || text == NULL ? "out of memory" : text, error, capacity);
    free(text);
    if (map == NULL)
        return false;
    struct prepared_match *prepared = prepare_map(table, slot, map, map_path);
    config_unload(map); // the prepared match shares it
    if (prepared == NULL)
        return reject("out of memory", error, capacity);
    arena_offer(slot->arena, prepared);
    return true;
}
