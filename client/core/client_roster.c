// SPDX-License-Identifier: MIT
// Keeps the roster and queues the events.
#include "client_roster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool raim_company_enter(struct raim_company *company, const struct raim_welcome *welcome)
{
    free(company->members);
    company->members = calloc(welcome->max_players, sizeof *company->members);
    company->tick_hz = welcome->tick_hz;
    company->own = (raim_player_id)welcome->player;
    company->slots = welcome->max_players;
    company->phase = welcome->phase;
    company->next_sequence = welcome->event_sequence;
    return company->members != NULL;
}

void raim_company_destroy(struct raim_company *company)
{
    free(company->members);
}

// NULL when the id names no slot of this arena.
static struct raim_client_member *member_of(struct raim_company *company, uint32_t id)
{
    const uint32_t slot = raim_player_place((raim_player_id)id);
    return slot < company->slots ? &company->members[slot] : NULL;
}

static void set_member(struct raim_company *company, const struct raim_roster_entry *entry)
{
    struct raim_client_member *member = member_of(company, entry->player);
    *member = (struct raim_client_member){
        .id = (raim_player_id)entry->player,
        .bot = entry->bot,
        .score = entry->score,
        .deaths = entry->deaths,
    };
    memcpy(member->name, entry->name, sizeof member->name);
}

bool raim_company_add_roster(struct raim_company *company, const struct raim_roster_entry *entries,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (member_of(company, entries[i].player) == NULL)
            return false;
    for (uint32_t i = 0; i < count; i++)
        set_member(company, &entries[i]);
    return true;
}

static void keep(struct raim_company *company, enum raim_client_event_kind kind,
                 const struct raim_wire_event *event)
{
    company->events[company->written++ % RAIM_COMPANY_EVENTS] = (struct raim_company_event){
        .kind = (uint8_t)kind,
        .rewind = (uint8_t)event->rewind,
        .phase = (uint8_t)event->phase.phase,
        .player =
            (raim_player_id)(event->kind == RAIM_WIRE_PHASE ? event->phase.winner : event->player),
        .victim = (raim_player_id)event->victim,
        .round = (uint16_t)event->phase.round,
        .text = company->said,
    };
    if (company->written - company->read > RAIM_COMPANY_EVENTS)
        company->read = company->written - RAIM_COMPANY_EVENTS;
}

// A new round resets all scores and deaths.
static void set_phase(struct raim_company *company, const struct raim_wire_phase *phase)
{
    for (uint32_t i = 0; i < company->slots && phase->round != company->phase.round; i++)
        company->members[i].score = company->members[i].deaths = 0;
    company->phase = *phase;
}

static void apply(struct raim_company *company, const struct raim_wire_event *event,
                  struct raim_client_stats *stats)
{
    struct raim_client_member *member = member_of(company, event->player);
    struct raim_client_member *victim = member_of(company, event->victim);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        set_member(company, &event->entry);
        keep(company, RAIM_CLIENT_JOINED, event);
        break;
    case RAIM_WIRE_LEFT:
        if (member->id == event->player)
            *member = (struct raim_client_member){0};
        keep(company, RAIM_CLIENT_LEFT, event);
        break;
    case RAIM_WIRE_KILL:
        // A spectator's events are delayed: its roster may already hold the slot's next player.
        if (member->id == event->player)
            member->score = event->score;
        if (victim->id == event->victim)
            victim->deaths = event->deaths;
        stats->kills_seen++;
        stats->kills += event->player == company->own;
        stats->deaths += event->victim == company->own;
        keep(company, RAIM_CLIENT_KILL, event);
        break;
    case RAIM_WIRE_CHAT:
        keep(company, RAIM_CLIENT_CHAT, event);
        memcpy(company->texts[company->said++ % RAIM_COMPANY_TEXTS], event->text,
               sizeof company->texts[0]);
        break;
    case RAIM_WIRE_PHASE:
        stats->rounds += event->phase.round != company->phase.round;
        set_phase(company, &event->phase);
        keep(company, RAIM_CLIENT_PHASE, event);
        break;
    case RAIM_WIRE_EVENT_KINDS:
        break;
    }
}

bool raim_company_add_events(struct raim_company *company,
                             const struct raim_events_message *message,
                             struct raim_client_stats *stats)
{
    for (uint32_t i = 0; i < message->count; i++)
        if (member_of(company, message->events[i].player) == NULL ||
            member_of(company, message->events[i].victim) == NULL)
            return false;
    for (uint32_t i = 0; i < message->count; i++) {
        const int32_t ahead = (int32_t)(message->sequence + i - company->next_sequence);
        if (ahead < 0) {
            stats->events_repeated++;
            continue;
        }
        stats->events_lost += (uint32_t)ahead;
        company->next_sequence = message->sequence + i + 1;
        stats->events++;
        apply(company, &message->events[i], stats);
    }
    return true;
}

bool raim_company_next_event(struct raim_company *company, struct raim_client_event *event)
{
    while (company->read != company->written) {
        const struct raim_company_event *next =
            &company->events[company->read++ % RAIM_COMPANY_EVENTS];
        // The ring has overwritten this text with newer chat lines.
        if (next->kind == RAIM_CLIENT_CHAT &&
            (uint16_t)(company->said - next->text) > RAIM_COMPANY_TEXTS)
            continue;
        *event = (struct raim_client_event){
            .kind = (enum raim_client_event_kind)next->kind,
            .player = next->player,
            .victim = next->victim,
            .rewound_ms = next->rewind * 1e3 / company->tick_hz,
            .phase = (enum raim_client_phase_kind)next->phase,
            .round = next->round,
            .text = next->kind == RAIM_CLIENT_CHAT ? company->texts[next->text % RAIM_COMPANY_TEXTS]
                                                   : NULL,
        };
        return true;
    }
    return false;
}
