// SPDX-License-Identifier: MIT
// Compares the configuration that runs with what its file says now, plans what follows for each
// arena, and only when all of it can be done, does it.
#define _GNU_SOURCE
#include "reload.h"

#include "config_diff.h"
#include "config_keep.h"
#include "config_keys.h"
#include "config_values.h"
#include "log.h"
#include "reader.h"
#include "xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_BYTES = 256 };

// What becomes of one arena of the new configuration.
struct plan {
    int running;              // its index in the fleet, or -1: it is new
    struct arena_slot *fresh; // of a new one
    bool tunes;               // something changed that goes with any match
    bool moves;               // its map changed
    bool rotates;             // its rotation changed
    bool rebuilds;            // something else changed that another match brings
    bool waits;               // all of these for the next round
    struct prepared_match *tuning, *successor;
};

struct reload {
    struct arena_table *fleet;
    struct config *running; // borrows everything, in the order of the fleet
    struct config *wanted;
    struct reload_report *outcome;
    struct plan *plans; // by arena of `wanted`
};

void reload_log(const struct reload_report *outcome)
{
    int counts[RELOAD_REPORT_KINDS] = {0};
    for (int i = 0; i < outcome->count; i++) {
        const struct reload_report_line *line = &outcome->lines[i];
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
        log_error("configuration refused mistakes=%d: the one that runs stays whole",
                  counts[RELOAD_REPORT_MISTAKE]);
    else
        log_info("configuration reloaded applied=%d restart=%d", counts[RELOAD_REPORT_APPLIED],
                 counts[RELOAD_REPORT_RESTART]);
}

// --- Reading ---

struct config *reload_load(const char *path, struct reload_report *outcome)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_must(open_memstream(&text, &size));
    struct diagnostics told = {.out = out};
    struct config *config = config_load_reported(path, &told);
    fclose(out);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0')
            reload_report_add(outcome,
                              config != NULL ? RELOAD_REPORT_WARNING : RELOAD_REPORT_MISTAKE, "%s",
                              line);
    free(text);
    return config;
}

// The configuration that runs, put together from what each arena runs by: an arena may have been
// added later than another, or removed.
static struct config *picture_running(const struct arena_table *fleet, const struct config *root)
{
    struct config *picture = memory_must(malloc(sizeof *picture));
    int most = root->values->count;
    for (int i = 0; i < fleet->count; i++)
        most += fleet->berths[i]->config->values->count;
    *picture = *root;
    picture->arena_count = fleet->count;
    picture->arenas = memory_must(calloc((size_t)fleet->count + 1, sizeof *picture->arenas));
    picture->values = memory_must(calloc(1, sizeof *picture->values));
    picture->values->values = memory_must(calloc((size_t)most, sizeof *picture->values->values));
    struct config_value *end = picture->values->values;
    for (int i = 0; i < root->values->count; i++)
        if (root->values->values[i].arena < 0)
            *end++ = root->values->values[i];
    for (int i = 0; i < fleet->count; i++) {
        const struct arena_slot *berth = fleet->berths[i];
        const struct config_values *values = berth->config->values;
        picture->arenas[i] = *arena_slot_wanted(berth);
        for (int j = 0; j < values->count; j++) {
            if (values->values[j].arena != berth->index)
                continue;
            *end = values->values[j];
            end++->arena = i;
        }
    }
    picture->values->count = (int)(end - picture->values->values);
    return picture;
}

static void free_picture(struct config *picture)
{
    free(picture->values->values);
    free(picture->values);
    free(picture->arenas);
    free(picture);
}

// --- Planning ---

// What prepared_match_tune changes.
static bool is_tuning(const char *key)
{
    static const char *const keys[] = {
        "name",    "max_players",        "max_spectators", "resume_grace", "idle_timeout",
        "queries", "query_names",        "round_time",     "score_limit",  "break_time",
        "motd",    "address_validation", "limits",
    };
    int limit_count;
    const struct reader_key *limits = config_keys(CONFIG_LIMITS, &limit_count);
    for (int i = 0; i < limit_count; i++)
        if (strcmp(limits[i].name, key) == 0)
            return true;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

// Whether an arena was opened for less than is wanted of it.
static bool exceeds(const struct reload *reload, const struct config_change *change)
{
    if (change->old_arena < 0 || change->new_arena < 0)
        return false;
    const struct arena *arena = reload->fleet->arenas[change->old_arena];
    const struct config_arena *wanted = &reload->wanted->arenas[change->new_arena];
    const char *key = change->key->name;
    return (strcmp(key, "max_players") == 0 && !arena_fits_players(arena, wanted->max_players)) ||
           (strcmp(key, "max_spectators") == 0 &&
            !arena_fits_spectators(arena, wanted->max_spectators)) ||
           (strcmp(key, "bots") == 0 && !arena_fits_bots(arena, wanted->bots));
}

static void plan_change(struct reload *reload, struct config_change *change)
{
    change->needs_restart = change->needs_restart || exceeds(reload, change);
    if (change->needs_restart && change->key != NULL) {
        config_keep(reload->wanted, reload->running, change);
        return;
    }
    if (change->old_arena < 0 || change->new_arena < 0)
        return;
    struct plan *plan = &reload->plans[change->new_arena];
    const char *key = change->key->name;
    if (is_tuning(key))
        plan->tunes = true;
    else if (strcmp(key, "map") == 0)
        plan->moves = true;
    else if (strcmp(key, "rotation") == 0)
        plan->rotates = true;
    else
        plan->rebuilds = true;
}

static bool plan_new_arena(struct reload *reload, int index)
{
    char error[ERROR_BYTES];
    struct plan *plan = &reload->plans[index];
    plan->fresh = arena_slot_open(reload->fleet, reload->wanted, index, error, sizeof error);
    if (plan->fresh == NULL)
        reload_report_add(reload->outcome, RELOAD_REPORT_MISTAKE, "arena failed name=%s: %s",
                          reload->wanted->arenas[index].name, error);
    return plan->fresh != NULL;
}

// Who plays rounds gets another match with the next one; else everybody rises anew at once, and
// where the map is the same the scores stay, unless the first round begins with it.
static struct prepared_match *plan_successor(const struct arena_slot *berth,
                                             const struct plan *plan, bool begins)
{
    const int maps = arena_slot_wanted(berth)->rotation_count + 1;
    const bool is_list_new = plan->moves || plan->rotates;
    int place = is_list_new ? arena_slot_find_place(berth) : arena_bout(berth->arena)->map.place;
    bool keeps_map = false;
    if (plan->waits && maps > 1)
        place = (place + 1) % maps;
    else if (is_list_new)
        place = 0;
    else
        keeps_map = !arena_awaits(berth->arena); // else another map has been wanted already
    struct prepared_match *bout = arena_slot_prepare(berth, place, keeps_map);
    if (bout == NULL)
        return NULL;
    bout->at_once = !plan->waits;
    bout->keeps_round = !plan->waits && !plan->moves && !begins;
    return bout;
}

// By the configuration to come; the berth stays as it is.
static bool plan_bouts(struct reload *reload, int index)
{
    struct plan *plan = &reload->plans[index];
    struct arena_slot berth = *reload->fleet->berths[plan->running];
    berth.config = reload->wanted;
    berth.index = index;
    const bool has_rounds = arena_slot_has_rounds(&berth);
    const bool had_rounds = arena_slot_has_rounds(reload->fleet->berths[plan->running]);
    const bool begins = has_rounds && !had_rounds; // what has no end has no next round
    plan->waits = has_rounds && had_rounds;
    // Without rounds a rotation does not turn.
    const bool succeeds = plan->moves || plan->rebuilds || begins || (plan->rotates && has_rounds);
    if (plan->tunes) {
        plan->tuning = prepared_match_create(arena_slot_wanted(&berth), NULL, NULL);
        if (plan->tuning != NULL)
            plan->tuning->at_once = true;
    }
    if (succeeds)
        plan->successor = plan_successor(&berth, plan, begins);
    const bool good =
        (!plan->tunes || plan->tuning != NULL) && (!succeeds || plan->successor != NULL);
    if (!good)
        reload_report_add(reload->outcome, RELOAD_REPORT_MISTAKE, "out of memory");
    return good;
}

static bool plan_all(struct reload *reload, struct config_diff *diff)
{
    for (int i = 0; i < reload->wanted->arena_count; i++)
        reload->plans[i].running = config_diff_partner(reload->running, reload->wanted, i);
    for (int i = 0; i < diff->count; i++)
        plan_change(reload, &diff->changes[i]);
    bool good = true;
    for (int i = 0; good && i < reload->wanted->arena_count; i++)
        good = reload->plans[i].running < 0 ? plan_new_arena(reload, i) : plan_bouts(reload, i);
    return good;
}

static void drop_plans(struct reload *reload)
{
    for (int i = 0; i < reload->wanted->arena_count; i++) {
        arena_slot_close(reload->plans[i].fresh);
        prepared_match_free(reload->plans[i].tuning);
        prepared_match_free(reload->plans[i].successor);
    }
}

// --- Doing ---

static void change_arena(struct reload *reload, int index)
{
    const struct plan *plan = &reload->plans[index];
    struct arena_slot *berth = reload->fleet->berths[plan->running];
    config_unload(berth->config);
    berth->config = config_share(reload->wanted);
    berth->index = index;
    if (plan->tuning != NULL)
        arena_offer(berth->arena, plan->tuning);
    if (plan->successor != NULL)
        arena_offer(berth->arena, plan->successor);
}

static void do_plans(struct reload *reload, void (*leave)(void *context, struct arena *arena),
                     void *context)
{
    struct arena_table *fleet = reload->fleet;
    const int count = reload->wanted->arena_count;
    for (int i = 0; i < count; i++)
        if (reload->plans[i].running >= 0)
            change_arena(reload, i);
    // From the end, so that indices stay right.
    for (int i = fleet->count - 1; i >= 0; i--) {
        if (config_diff_partner(reload->wanted, reload->running, i) >= 0)
            continue;
        leave(context, fleet->arenas[i]);
        if (!arena_table_remove(fleet, i))
            log_error("arena stays name=%s: its worker does not listen",
                      reload->running->arenas[i].name);
    }
    for (int i = 0; i < count; i++) {
        struct arena_slot *fresh = reload->plans[i].fresh;
        if (fresh == NULL || arena_table_add(fleet, fresh))
            continue;
        log_error("arena failed name=%s: no worker listens", reload->wanted->arenas[i].name);
        arena_slot_close(fresh);
    }
}

// What an arena waits for with a change that is not for at once, as words behind it.
static const char *tell_time(const struct reload *reload, const struct config_change *change)
{
    if (change->needs_restart || change->key == NULL || change->new_arena < 0 ||
        !reload->plans[change->new_arena].waits)
        return "";
    const char *key = change->key->name;
    if (strcmp(key, "break_time") == 0)
        return ", with the next break";
    const bool is_of_rounds = strcmp(key, "round_time") == 0 || strcmp(key, "score_limit") == 0;
    return is_of_rounds || !is_tuning(key) ? ", with the next round" : "";
}

static void tell_changes(const struct reload *reload, const struct config_diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct config_change *change = &diff->changes[i];
        reload_report_add(reload->outcome,
                          change->needs_restart ? RELOAD_REPORT_RESTART : RELOAD_REPORT_APPLIED,
                          "%s%s", change->text, tell_time(reload, change));
    }
}

bool reload_apply(struct arena_table *fleet, struct config **config, const char *path,
                  struct reload_report *outcome, void (*leave)(void *context, struct arena *arena),
                  void *context)
{
    if ((*config)->values == NULL) {
        reload_report_add(outcome, RELOAD_REPORT_MISTAKE, "comes from no file");
        return false;
    }
    struct config *wanted = reload_load(path, outcome);
    if (wanted == NULL)
        return false;
    struct reload reload = {
        .fleet = fleet,
        .running = picture_running(fleet, *config),
        .wanted = wanted,
        .outcome = outcome,
        .plans = memory_must(calloc((size_t)wanted->arena_count, sizeof(struct plan))),
    };
    struct config_diff *diff = config_diff_create(reload.running, wanted);
    const bool good = plan_all(&reload, diff);
    if (good) {
        do_plans(&reload, leave, context);
        tell_changes(&reload, diff);
    } else {
        drop_plans(&reload);
    }
    config_diff_free(diff);
    free(reload.plans);
    free_picture(reload.running);
    config_unload(good ? *config : wanted);
    if (good)
        *config = wanted;
    return good;
}
