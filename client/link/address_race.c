// SPDX-License-Identifier: MIT
// Races connected sockets, so that the kernel drops datagrams of other addresses and reports those
// that nobody receives.
#include "address_race.h"

#include <string.h>

void raim_address_race_init(struct raim_address_race *race)
{
    *race = (struct raim_address_race){0};
}

static void make_first(struct raim_address_race *race, uint32_t index)
{
    const struct raim_address first = race->addresses[index];
    memmove(&race->addresses[1], &race->addresses[0], index * sizeof first);
    race->addresses[0] = first;
}

static bool is_same(const struct raim_address *one, const struct raim_address *other)
{
    return one->is_ipv6 == other->is_ipv6 && one->scope == other->scope &&
           one->port == other->port && memcmp(one->bytes, other->bytes, sizeof one->bytes) == 0;
}

void raim_address_race_set(struct raim_address_race *race, const struct raim_address *addresses,
                           uint32_t count)
{
    const bool had_any = race->count > 0;
    const struct raim_address first = race->addresses[0];
    race->count = count;
    memcpy(race->addresses, addresses, count * sizeof *addresses);
    for (uint32_t i = 0; i < count && had_any; i++)
        if (is_same(&race->addresses[i], &first)) {
            make_first(race, i);
            break;
        }
}

static void close_all(struct raim_address_race *race)
{
    for (uint32_t i = 0; i < race->open; i++)
        raim_system_close(race->sockets[i]);
    race->open = 0;
}

void raim_address_race_reset(struct raim_address_race *race)
{
    close_all(race);
    race->tried = 0;
    race->is_won = false;
}

bool raim_address_race_try_next(struct raim_address_race *race)
{
    if (race->open == 0 && race->tried == race->count)
        race->tried = 0; // a network may have come up
    while (!race->is_won && race->tried < race->count) {
        const uint32_t index = race->tried++;
        const raim_socket socket = raim_system_open_udp(&race->addresses[index]);
        if (socket == RAIM_NO_SOCKET)
            continue;
        race->sockets[race->open] = socket;
        race->address_of[race->open++] = index;
        return true;
    }
    return false;
}

size_t raim_address_race_send(struct raim_address_race *race, const uint8_t *data, size_t size)
{
    size_t sent = 0;
    for (uint32_t i = 0; i < race->open; i++)
        sent += raim_system_send(race->sockets[i], data, size) ? size : 0;
    return sent;
}

void raim_address_race_win(struct raim_address_race *race, uint32_t socket)
{
    if (race->is_won)
        return;
    const raim_socket winner = race->sockets[socket];
    const uint32_t index = race->address_of[socket];
    race->sockets[socket] = race->sockets[--race->open];
    close_all(race);
    race->sockets[0] = winner;
    race->open = 1;
    race->is_won = true;
    make_first(race, index);
}

void raim_address_race_reopen(struct raim_address_race *race)
{
    if (!race->is_won)
        return;
    race->is_won = false;
    race->tried = 1; // the winner's address has become the first
    race->address_of[0] = 0;
}
