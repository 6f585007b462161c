// SPDX-License-Identifier: MIT
// Keeps the roster and queues the events.
#include "client_roster.h"

#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool raim_client_roster_enter(struct raim_client_roster *roster, const struct raim_welcome *welcome)
{
    free(roster->members);
    roster->members = calloc(welcome->max_players, sizeof *roster->members);
    roster->tick_hz = welcome->tick_hz;
    roster->own = (raim_player_id)welcome->player;
    roster->slots = welcome->max_players;
    roster->phase = welcome->phase;
    roster->next_sequence = welcome->event_sequence;
    return roster->members != NULL;
}

void raim_client_roster_destroy(struct raim_client_roster *roster)
{
    free(roster->members);
}

// NULL when the id names no slot of this arena.
static struct raim_client_roster_entry *member_of(struct raim_client_roster *roster, uint32_t id)
{
    const uint32_t slot = raim_player_slot((raim_player_id)id);
    return slot < roster->slots ? &roster->members[slot] : NULL;
}

static void set_member(struct raim_client_roster *roster, const struct raim_roster_entry *entry)
{
    struct raim_client_roster_entry *member = member_of(roster, entry->player);
    *member = (struct raim_client_roster_entry){
        .id = (raim_player_id)entry->player,
        .bot = entry->bot,
        .score = entry->score,
        .deaths = entry->deaths,
        .ping_ms = -1,
    };
    memcpy(member->name, entry->name, sizeof member->name);
    raim_utf8_strip(member->name);
}

bool raim_client_roster_add_entries(struct raim_client_roster *roster,
                                    const struct raim_roster_entry *entries, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (member_of(roster, entries[i].player) == NULL)
            return false;
    for (uint32_t i = 0; i < count; i++)
        set_member(roster, &entries[i]);
    return true;
}

static void add_event(struct raim_client_roster *roster,
                      const struct raim_client_roster_event *event)
{
    roster->events[roster->written++ % RAIM_CLIENT_ROSTER_EVENTS] = *event;
    if (roster->written - roster->read > RAIM_CLIENT_ROSTER_EVENTS)
        roster->read = roster->written - RAIM_CLIENT_ROSTER_EVENTS;
}

static void keep(struct raim_client_roster *roster, enum raim_client_event_kind kind,
                 const struct raim_wire_event *event)
{
    add_event(roster,
              &(struct raim_client_roster_event){
                  .kind = (uint8_t)kind,
                  .rewind = (uint8_t)event->rewind,
                  .phase = (uint8_t)event->phase.phase,
                  .player = (raim_player_id)(event->kind == RAIM_WIRE_PHASE ? event->phase.winner
                                                                            : event->player),
                  .victim = (raim_player_id)event->victim,
                  .round = (uint16_t)event->phase.round,
                  .by_operator = event->by_operator,
                  .text = roster->said,
              });
}

static void add_text(struct raim_client_roster *roster, const char *said)
{
    char *text = roster->texts[roster->said++ % RAIM_CLIENT_ROSTER_TEXTS];
    text[0] = '\0';
    strncat(text, said, RAIM_MAX_TEXT_BYTES);
    raim_utf8_strip(text);
}

bool raim_client_roster_set_pings(struct raim_client_roster *roster, const struct raim_pings *pings)
{
    if (pings->first + pings->count > roster->slots)
        return false;
    for (uint32_t i = 0; i < pings->count; i++)
        roster->members[pings->first + i].ping_ms = raim_ping_to_ms(pings->values[i]);
    return true;
}

void raim_client_roster_add_chat_rejection(struct raim_client_roster *roster, uint32_t rejection)
{
    add_event(roster, &(struct raim_client_roster_event){
                          .kind = RAIM_CLIENT_CHAT_REJECTED,
                          .chat_rejection = (uint8_t)rejection,
                      });
}

void raim_client_roster_add_line(struct raim_client_roster *roster,
                                 enum raim_client_event_kind kind, const char *text)
{
    add_event(roster, &(struct raim_client_roster_event){
                          .kind = (uint8_t)kind,
                          .text = roster->said,
                      });
    add_text(roster, text);
}

void raim_client_roster_add_vote(struct raim_client_roster *roster,
                                 enum raim_client_event_kind kind)
{
    add_event(roster, &(struct raim_client_roster_event){.kind = (uint8_t)kind});
}

// A new round resets all scores and deaths.
static void set_phase(struct raim_client_roster *roster, const struct raim_wire_phase *phase)
{
    for (uint32_t i = 0; i < roster->slots && phase->round != roster->phase.round; i++)
        roster->members[i].score = roster->members[i].deaths = 0;
    roster->phase = *phase;
    raim_utf8_strip(roster->phase.next_map);
}

static void apply(struct raim_client_roster *roster, const struct raim_wire_event *event,
                  struct raim_client_stats *stats)
{
    struct raim_client_roster_entry *member = member_of(roster, event->player);
    struct raim_client_roster_entry *victim = member_of(roster, event->victim);
    switch (event->kind) {
    case RAIM_WIRE_JOINED:
        set_member(roster, &event->entry);
        keep(roster, RAIM_CLIENT_JOINED, event);
        break;
    case RAIM_WIRE_LEFT:
        if (member->id == event->player)
            *member = (struct raim_client_roster_entry){0};
        keep(roster, RAIM_CLIENT_LEFT, event);
        break;
    case RAIM_WIRE_KILL:
        // A spectator's events are delayed: its roster may already hold the slot's next player.
        if (member->id == event->player)
            member->score = event->score;
        if (victim->id == event->victim)
            victim->deaths = event->deaths;
        stats->kills_seen++;
        stats->kills += event->player == roster->own;
        stats->deaths += event->victim == roster->own;
        keep(roster, RAIM_CLIENT_KILL, event);
        break;
    case RAIM_WIRE_CHAT:
        keep(roster, RAIM_CLIENT_CHAT, event);
        add_text(roster, event->text);
        break;
    case RAIM_WIRE_PHASE:
        stats->rounds += event->phase.round != roster->phase.round;
        set_phase(roster, &event->phase);
        keep(roster, RAIM_CLIENT_PHASE, event);
        break;
    case RAIM_WIRE_OTHER: // for later clients
    case RAIM_WIRE_EVENT_KINDS:
        break;
    }
}

// How many of the message's events the roster has taken before; all of them if they follow a
// gap.
static uint32_t count_taken(const struct raim_client_roster *roster,
                            const struct raim_events_message *message)
{
    const int32_t ahead = (int16_t)(message->sequence - roster->next_sequence);
    return ahead <= 0 && (uint32_t)-ahead < message->count ? (uint32_t)-ahead : message->count;
}

bool raim_client_roster_accepts_events(struct raim_client_roster *roster,
                                       const struct raim_events_message *message)
{
    for (uint32_t i = count_taken(roster, message); i < message->count; i++)
        if (member_of(roster, message->events[i].player) == NULL ||
            member_of(roster, message->events[i].victim) == NULL)
            return false;
    return true;
}

void raim_client_roster_add_events(struct raim_client_roster *roster,
                                   const struct raim_events_message *message,
                                   struct raim_client_stats *stats)
{
    const uint32_t had = count_taken(roster, message);
    if ((int16_t)(message->sequence - roster->next_sequence) > 0) {
        stats->events_ahead += message->count;
        return;
    }
    for (uint32_t i = had; i < message->count; i++)
        apply(roster, &message->events[i], stats);
    roster->next_sequence += message->count - had;
    stats->events += message->count - had;
    stats->events_repeated += had;
}

bool raim_client_roster_next_event(struct raim_client_roster *roster,
                                   struct raim_client_event *event)
{
    while (roster->read != roster->written) {
        const struct raim_client_roster_event *next =
            &roster->events[roster->read++ % RAIM_CLIENT_ROSTER_EVENTS];
        // The ring has overwritten this text with newer lines.
        const bool has_text = next->kind == RAIM_CLIENT_CHAT || next->kind == RAIM_CLIENT_NOTICE ||
                              next->kind == RAIM_CLIENT_VOTE_REJECTED;
        if (has_text && (uint16_t)(roster->said - next->text) > RAIM_CLIENT_ROSTER_TEXTS)
            continue;
        *event = (struct raim_client_event){
            .kind = (enum raim_client_event_kind)next->kind,
            .player = next->player,
            .victim = next->victim,
            .rewound_ms = next->rewind * 1e3 / roster->tick_hz,
            .phase = (enum raim_client_phase_kind)next->phase,
            .round = next->round,
            .by_operator = next->by_operator,
            .chat_rejection = next->chat_rejection,
        };
        if (has_text)
            memcpy(event->text, roster->texts[next->text % RAIM_CLIENT_ROSTER_TEXTS],
                   sizeof event->text);
        return true;
    }
    return false;
}
