// SPDX-License-Identifier: MIT
// The list of players: as a whole, or one difference after the other where that is rejected.
#define _GNU_SOURCE
#include "agones_internal.h"

#include <string.h>

enum { SETTLE_MS = 3000 }; // an update may show the list without what was accepted so lately

void agones_set_players(struct agones *agones, const char *const *names, int count)
{
    agones->name_count = 0;
    for (int i = 0; i < count && agones->name_count < AGONES_MAX_PLAYERS; i++) {
        if (strlen(names[i]) >= GAMESERVER_VALUE_BYTES)
            continue;
        strcpy(agones->names[agones->name_count++], names[i]);
    }
}

static int wanted_count(const struct agones *agones)
{
    const int64_t arena = agones->seen.player_capacity;
    return agones->name_count < arena ? agones->name_count : (int)arena;
}

uint64_t agones_players_digest(const struct agones *agones)
{
    uint64_t digest = 0;
    for (int i = 0; i < wanted_count(agones); i++)
        digest += gameserver_digest(agones->names[i]);
    return digest;
}

static int find(char (*values)[GAMESERVER_VALUE_BYTES], int count, const char *value)
{
    int i = 0;
    while (i < count && strcmp(values[i], value) != 0)
        i++;
    return i < count ? i : -1;
}

// Chooses a value to remove, or else one to add. Returns false if there is neither.
static bool choose(struct agones *agones)
{
    struct gameserver_players *listed = &agones->listed;
    const int wanted = wanted_count(agones);
    for (int i = 0; i < listed->count; i++) {
        if (find(agones->names, wanted, listed->values[i]) >= 0)
            continue;
        agones->removes_value = true;
        strcpy(agones->value, listed->values[i]);
        return true;
    }
    for (int i = 0; i < wanted; i++) {
        if (find(listed->values, listed->count, agones->names[i]) >= 0)
            continue;
        agones->removes_value = false;
        strcpy(agones->value, agones->names[i]);
        return true;
    }
    return false;
}

bool agones_players_differ(struct agones *agones)
{
    return agones_players_digest(agones) != agones->listed.digest &&
           (!agones->sends_values || choose(agones));
}

// Applies the chosen difference to the list as it is known.
static void apply(struct agones *agones, uint64_t now_ms)
{
    struct gameserver_players *listed = &agones->listed;
    const int index = find(listed->values, listed->count, agones->value);
    agones->value_ms = now_ms;
    if (agones->removes_value && index >= 0) {
        listed->digest -= gameserver_digest(agones->value);
        memmove(listed->values[index], listed->values[--listed->count], sizeof listed->values[0]);
    } else if (!agones->removes_value && index < 0 && listed->count < GAMESERVER_MAX_PLAYERS) {
        listed->digest += gameserver_digest(agones->value);
        strcpy(listed->values[listed->count++], agones->value);
    }
}

void agones_players_update(struct agones *agones, const struct gameserver *gameserver,
                           uint64_t now_ms)
{
    if (agones->value_ms == 0 || now_ms >= agones->value_ms + SETTLE_MS)
        agones->listed = gameserver->players;
}

void agones_players_note_accepted(struct agones *agones, uint64_t now_ms)
{
    if (agones->sends_values)
        apply(agones, now_ms);
    else
        agones->listed.digest = agones->sent_digest;
}

void agones_players_note_rejected(struct agones *agones, uint64_t now_ms)
{
    if (agones->sends_values)
        apply(agones, now_ms); // it is there, or gone, already: the next update shows it
    agones->sends_values = true;
}
