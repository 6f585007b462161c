// SPDX-License-Identifier: MIT
// Writes the documents and events of arenas as JSON.
#include "on_demand_internal.h"

#include "json_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {[ON_DEMAND_STARTING] = "starting",
                                          [ON_DEMAND_READY] = "ready",
                                          [ON_DEMAND_DRAINING] = "draining"};

// The address that clients connect to.
static const char *address_of(const struct on_demand *on_demand,
                              const struct arena_on_demand *requested)
{
    const char *public = on_demand->table->config->public_address;
    return public[0] != '\0' ? public : requested->request.arena.address;
}

static void print_member(struct text_buffer *out, const char *name, const char *text)
{
    text_buffer_print(out, ",\"%s\":", name);
    json_text_quote(out, text);
}

static void print_players(struct text_buffer *out, const struct arena_request *request)
{
    text_buffer_print(out, ",\"reserved\":[");
    for (uint32_t i = 0; i < request->player_count; i++) {
        if (i > 0)
            text_buffer_add(out, ",", 1);
        json_text_quote(out, request->players[i]);
    }
    text_buffer_add(out, "]", 1);
}

void on_demand_print_arena(struct text_buffer *out, const struct on_demand *on_demand,
                           const struct arena_on_demand *requested, const char *state)
{
    const struct arena_request *request = &requested->request;
    const struct arena_record *record = &requested->record;
    text_buffer_print(out, "{\"id\":\"%s\",\"state\":\"%s\",\"template\":\"%s\",\"name\":\"%s\"",
                      requested->id, state != NULL ? state : state_names[requested->state],
                      request->template_name, record->name);
    print_member(out, "address", address_of(on_demand, requested));
    text_buffer_print(out, ",\"port\":%u", record->port);
    print_member(out, "map", request->arena.match.map->name);
    text_buffer_print(out, ",\"max_players\":%u,\"players\":%u", record->max_players,
                      requested->present);
    print_players(out, request);
    text_buffer_print(out, ",\"ends\":\"%s\",\"access\":", arena_ends_name(request->ends));
    if (request->arena.needs_access)
        text_buffer_print(out, "{\"audience\":\"%s\",\"expires_at\":%" PRId64 "}", record->name,
                          record->join_until_s);
    else
        text_buffer_print(out, "null");
    text_buffer_print(out, ",\"made_at\":%" PRId64 ",\"expires_at\":", record->made_s);
    if (request->ends == ARENA_ENDS_NEVER || record->was_joined)
        text_buffer_print(out, "null");
    else
        text_buffer_print(out, "%" PRId64, record->join_until_s);
    text_buffer_print(out, ",\"metadata\":");
    text_buffer_add(out, record->metadata, strlen(record->metadata));
    text_buffer_print(out, ",\"rounds\":%u,\"cause\":", requested->rounds);
    if (requested->cause != NULL)
        text_buffer_print(out, "\"%s\"", requested->cause);
    else
        text_buffer_print(out, "null");
    text_buffer_print(out, ",\"result\":%s}",
                      requested->record.result != NULL ? requested->record.result : "null");
}

static void print_template(struct text_buffer *out, const struct config_arena *template)
{
    text_buffer_print(out, "{\"name\":\"%s\",\"maps\":[", template->name);
    json_text_quote(out, template->match.map->name);
    for (int i = 0; i < template->rotation_count; i++) {
        text_buffer_add(out, ",", 1);
        json_text_quote(out, template->rotation[i]->name);
    }
    text_buffer_print(out,
                      "],\"max_players\":%u,\"bots\":%u,\"access\":\"%s\",\"round_time_s\":%.15g,"
                      "\"score_limit\":%u,\"tick_hz\":%u}",
                      template->match.tuning.max_players, template->match.bots,
                      template->needs_access ? "token" : "open", template->match.tuning.round_s,
                      template->match.tuning.score_limit, template->match.tick_hz);
}

void on_demand_print_templates(struct text_buffer *out, const struct on_demand *on_demand)
{
    const struct config *config = on_demand->table->config;
    text_buffer_print(out, "{\"templates\":[");
    for (int i = 0; i < config->template_count; i++) {
        if (i > 0)
            text_buffer_add(out, ",", 1);
        print_template(out, &config->templates[i]);
    }
    text_buffer_print(out, "]}\n");
}

void on_demand_print_capacity(struct text_buffer *out, const struct on_demand *on_demand)
{
    const struct arena_table *table = on_demand->table;
    text_buffer_print(out,
                      "\"free\":%d,\"on_demand\":%d,\"ports\":%d,\"arenas\":%d,\"max_arenas\":%d,"
                      "\"accepts\":%s",
                      on_demand_free_count(on_demand), on_demand->count,
                      config_port_count(&table->config->ports), table->running.count,
                      CONFIG_MAX_ARENAS, on_demand->rejects ? "false" : "true");
}

static void begin_event(struct text_buffer *out, const struct arena_on_demand *requested)
{
    text_buffer_print(out, "{\"id\":\"%s\",\"name\":\"%s\",\"at\":%" PRId64, requested->id,
                      requested->record.name, on_demand_today_s());
}

static bool is_of(const struct journal_event *event, const char *id)
{
    static const char begin[] = "{\"id\":\"";
    const size_t size = sizeof begin - 1, length = strlen(id);
    return strncmp(event->text, begin, size) == 0 && strncmp(event->text + size, id, length) == 0 &&
           event->text[size + length] == '"';
}

bool on_demand_has_ended(const struct on_demand *on_demand, const char *id)
{
    bool has_ended = false;
    for (const struct journal_event *event = event_journal_next(on_demand->events, 0);
         event != NULL; event = event_journal_next(on_demand->events, event->id))
        if (is_of(event, id))
            has_ended = strcmp(event->kind, "arena_ended") == 0;
    return has_ended && on_demand_find(on_demand, id) == NULL;
}

char *on_demand_ready_event(const struct on_demand *on_demand,
                            const struct arena_on_demand *requested)
{
    struct text_buffer out = {0};
    begin_event(&out, requested);
    print_member(&out, "address", address_of(on_demand, requested));
    text_buffer_print(&out, ",\"port\":%u,\"resumed\":%s}", requested->record.port,
                      requested->is_resumed ? "true" : "false");
    return text_buffer_take(&out);
}

char *on_demand_player_event(const struct arena_on_demand *requested,
                             const struct arena_event *item)
{
    struct text_buffer out = {0};
    begin_event(&out, requested);
    text_buffer_print(&out, ",\"player\":%u", item->player);
    print_member(&out, "player_name", item->name);
    text_buffer_print(&out, ",\"players\":%u", requested->present);
    if (item->kind == ARENA_EVENT_LEFT)
        text_buffer_print(&out, ",\"score\":%u,\"deaths\":%u", item->score, item->deaths);
    text_buffer_add(&out, "}", 1);
    return text_buffer_take(&out);
}

char *on_demand_round_event(const struct arena_on_demand *requested, const char *result)
{
    struct text_buffer out = {0};
    if (result == NULL)
        return NULL;
    begin_event(&out, requested);
    text_buffer_print(&out, ",%s", result + 1); // the members of the result, and its end
    return text_buffer_take(&out);
}

char *on_demand_ended_event(const struct arena_on_demand *requested, const char *cause)
{
    struct text_buffer out = {0};
    begin_event(&out, requested);
    text_buffer_print(&out, ",\"cause\":\"%s\",\"rounds\":%u,\"metadata\":", cause,
                      requested->rounds);
    text_buffer_add(&out, requested->record.metadata, strlen(requested->record.metadata));
    text_buffer_print(&out, ",\"result\":%s}",
                      requested->record.result != NULL ? requested->record.result : "null");
    return text_buffer_take(&out);
}

static void print_score(struct text_buffer *out, const struct round_player *player)
{
    text_buffer_print(out, "{\"player\":%u,\"name\":", player->id);
    json_text_quote(out, player->name);
    text_buffer_print(out, ",\"bot\":%s,\"score\":%u,\"deaths\":%u}",
                      player->bot ? "true" : "false", player->score, player->deaths);
}

char *on_demand_result(const struct round_report *report)
{
    struct text_buffer out = {0};
    text_buffer_print(&out, "{\"round\":%u,\"winner\":", report->round);
    if (report->winner != RAIM_NOBODY)
        text_buffer_print(&out, "%u", report->winner);
    else
        text_buffer_print(&out, "null");
    text_buffer_print(&out, ",\"scores\":[");
    bool is_first = true;
    for (uint32_t i = 0; i < report->player_count; i++) {
        if (report->players[i].left)
            continue;
        if (!is_first)
            text_buffer_add(&out, ",", 1);
        is_first = false;
        print_score(&out, &report->players[i]);
    }
    text_buffer_print(&out, "]}");
    return text_buffer_take(&out);
}
