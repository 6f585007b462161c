// SPDX-License-Identifier: MIT
// Compares the configuration that runs with what its file says now, plans what follows for each
// arena, and only when all of it can be done, does it.
#define _GNU_SOURCE
#include "reload.h"

#include "config_diff.h"
#include "config_values.h"
#include "log.h"
#include "reader.h"

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
    struct diagnostics told = {.out = open_memstream(&text, &size)};
    if (told.out == NULL) {
        reload_report_end_memory(outcome);
        return NULL;
    }
    struct config *config = config_load_reported(path, &told);
    if (fclose(told.out) != 0 || told.no_memory || text == NULL) {
        reload_report_end_memory(outcome);
        config_unload(config);
        free(text);
        return NULL;
    }
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0')
            reload_report_add(outcome,
                              config != NULL ? RELOAD_REPORT_WARNING : RELOAD_REPORT_MISTAKE, "%s",
                              line);
    free(text);
    return config;
}

static void free_picture(struct config *picture)
{
    if (picture == NULL)
        return;
    if (picture->values != NULL)
        free(picture->values->values);
    free(picture->values);
    free(picture->arenas);
    free(picture);
}

// With room for all values, and none in it; NULL when memory runs out.
static struct config *create_picture(const struct arena_table *fleet, const struct config *root)
{
    struct config *picture = malloc(sizeof *picture);
    if (picture == NULL)
        return NULL;
    int most = root->values->count;
    for (int i = 0; i < fleet->running.count; i++)
        most += fleet->berths[i]->config->values->count;
    *picture = *root;
    picture->arena_count = fleet->running.count;
    picture->arenas = calloc((size_t)fleet->running.count + 1, sizeof *picture->arenas);
    picture->values = calloc(1, sizeof *picture->values);
    if (picture->values != NULL)
        picture->values->values = calloc((size_t)most, sizeof *picture->values->values);
    if (picture->arenas != NULL && picture->values != NULL && picture->values->values != NULL)
        return picture;
    free_picture(picture);
    return NULL;
}

// Borrows the values of one arena, or with -1 of the file's own keys.
static void add_values(struct config_values *picture, const struct config_values *values, int arena,
                       int index)
{
    for (int i = 0; i < values->count; i++) {
        if (values->values[i].arena != arena)
            continue;
        picture->values[picture->count] = values->values[i];
        picture->values[picture->count++].arena = index;
    }
}

// The configuration that runs, put together from what each arena runs by: an arena may have been
// added later than another, or removed. NULL when memory runs out.
static struct config *picture_running(const struct arena_table *fleet, const struct config *root)
{
    struct config *picture = create_picture(fleet, root);
    if (picture == NULL)
        return NULL;
    add_values(picture->values, root->values, -1, -1);
    for (int i = 0; i < fleet->running.count; i++) {
        const struct arena_slot *berth = fleet->berths[i];
        picture->arenas[i] = *arena_slot_wanted(berth);
        add_values(picture->values, berth->config->values, berth->index, i);
    }
    return picture;
}

// --- Planning ---

// Whether an arena was opened for less than is wanted of it.
static bool exceeds(const struct reload *reload, const struct config_change *change)
{
    static bool (*const fits[])(const struct arena *arena, uint32_t wanted) = {
        [READER_PLAYERS] = arena_fits_players,
        [READER_SPECTATORS] = arena_fits_spectators,
        [READER_BOTS] = arena_fits_bots,
    };
    const struct config_value *to = change->to;
    if (to == NULL || to->key->room == READER_ANY_ROOM)
        return false;
    uint32_t wanted;
    memcpy(&wanted, (const char *)&reload->wanted->arenas[change->new_arena] + to->offset,
           sizeof wanted);
    return !fits[to->key->room](reload->fleet->running.arenas[change->old_arena], wanted);
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

// False when memory runs out.
static bool plan_change(struct reload *reload, struct config_change *change)
{
    if (change->to == NULL)
        return true;
    change->needs_restart = change->needs_restart || exceeds(reload, change);
    if (change->needs_restart)
        return config_diff_keep(change, reload->wanted, reload->running);
    if (change->new_arena >= 0)
        plan_for_arena(&reload->plans[change->new_arena], change->to->key->applies);
    return true;
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
    bool good = true;
    for (int i = 0; i < diff->count; i++)
        good = plan_change(reload, &diff->changes[i]) && good;
    if (!good)
        reload_report_end_memory(reload->outcome);
    for (int i = 0; good && i < reload->wanted->arena_count; i++)
        good = reload->plans[i].running < 0 ? plan_new_arena(reload, i) : plan_bouts(reload, i);
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

static void do_plans(struct reload *reload)
{
    struct arena_table *fleet = reload->fleet;
    const int count = reload->wanted->arena_count;
    for (int i = 0; i < count; i++)
        if (reload->plans[i].running >= 0)
            change_arena(reload, i);
    // From the end, so that indices stay right.
    for (int i = fleet->running.count - 1; i >= 0; i--) {
        if (config_diff_partner(reload->wanted, reload->running, i) >= 0)
            continue;
        if (!arena_table_remove(fleet, i))
            log_arena_error(reload->running->arenas[i].name,
                            "arena stays name=%s: its worker does not listen",
                            reload->running->arenas[i].name);
    }
    for (int i = 0; i < count; i++) {
        struct arena_slot *fresh = reload->plans[i].fresh;
        if (fresh == NULL || arena_table_add(fleet, fresh))
            continue;
        log_arena_error(reload->wanted->arenas[i].name, "arena failed name=%s: no worker listens",
                        reload->wanted->arenas[i].name);
        arena_slot_close(fresh);
    }
}

// --- The whole ---

// When a change that waits for an arena's rounds applies, as words behind it.
static const char *words_of_time(const struct reload *reload, const struct config_change *change)
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

// False when memory runs out.
static bool report_changes(const struct reload *reload, const struct config_diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct config_change *change = &diff->changes[i];
        reload_report_add(reload->outcome,
                          change->needs_restart ? RELOAD_REPORT_RESTART : RELOAD_REPORT_APPLIED,
                          "%s%s", change->text, words_of_time(reload, change));
    }
    return !reload_report_has(reload->outcome, RELOAD_REPORT_MISTAKE);
}

// Everything that can fail; afterwards do_plans or drop_plans.
static bool prepare(struct reload *reload, const struct config *config, struct config_diff **diff)
{
    reload->running = picture_running(reload->fleet, config);
    reload->plans = calloc((size_t)reload->wanted->arena_count, sizeof(struct plan));
    if (reload->running != NULL && reload->plans != NULL)
        *diff = config_diff_create(reload->running, reload->wanted);
    if (*diff != NULL)
        return plan_all(reload, *diff) && report_changes(reload, *diff);
    reload_report_end_memory(reload->outcome);
    return false;
}

bool reload_apply(struct arena_table *fleet, struct reload_report *outcome)
{
    if (fleet->path == NULL) {
        reload_report_add(outcome, RELOAD_REPORT_MISTAKE, "comes from no file");
        return false;
    }
    struct config *wanted = reload_load(fleet->path, outcome);
    if (wanted == NULL)
        return false;
    struct reload reload = {.fleet = fleet, .wanted = wanted, .outcome = outcome};
    struct config_diff *diff = NULL;
    const bool good = prepare(&reload, fleet->config, &diff);
    if (good)
        do_plans(&reload);
    else
        drop_plans(&reload);
    config_diff_free(diff);
    free(reload.plans);
    free_picture(reload.running);
    config_unload(good ? fleet->config : wanted);
    if (good)
        fleet->config = wanted;
    return good;
}
