// SPDX-License-Identifier: MIT
// A hash table of the gateways' sockets with chaining, in locked memory, because it has the key.
#include "gateways.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    NONE = UINT16_MAX,
    // Entries, besides two for each connection: a player's next session may begin before the last
    // one has ended.
    SPARE = 64,
    MAX_CAPACITY = 2 * RAIM_MAX_PEERS + SPARE,
    US_PER_S = 1000000,
    // Entries per address or network, in connections that it may have.
    ENTRIES_PER_CONNECTION = 2,
};

static_assert(MAX_CAPACITY < NONE, "indices and numbers of entries");

struct entry {
    struct udp_address socket; // of the gateway
    struct ip_address player;
    uint16_t player_port;
    uint16_t next;        // index of the next entry in the bucket
    bool has_peer;        // it had an ENet peer at the last sweep, or has been kept since
    bool marked;          // for the next sweep
    uint64_t time_us;     // of its last announcement, by the gateway's clock
    int64_t announced_ms; // by ours
};

struct gateways {
    uint8_t key[RAIM_GATEWAY_KEY_BYTES];
    uint32_t capacity, used; // the entries from `used` on were never used
    struct udp_address_hash hash;
    int bucket_bits;
    uint16_t *buckets; // 2^bucket_bits heads of chains
    struct entry entries[];
};

struct gateways *gateways_create(uint32_t peers, const uint8_t key[RAIM_GATEWAY_KEY_BYTES],
                                 uint64_t hash)
{
    const uint32_t capacity = 2 * peers + SPARE;
    assert(peers >= 1 && capacity <= MAX_CAPACITY);
    struct gateways *gateways =
        raim_crypto_init()
            ? raim_crypto_allocate(sizeof *gateways + capacity * sizeof gateways->entries[0])
            : NULL;
    if (gateways == NULL)
        return NULL;
    memcpy(gateways->key, key, sizeof gateways->key);
    gateways->capacity = capacity;
    gateways->hash = udp_address_hash_init(hash);
    while (UINT32_C(1) << gateways->bucket_bits < capacity)
        gateways->bucket_bits++;
    const size_t buckets = (size_t)1 << ++gateways->bucket_bits;
    gateways->buckets = malloc(buckets * sizeof gateways->buckets[0]);
    if (gateways->buckets == NULL) {
        gateways_destroy(gateways);
        return NULL;
    }
    memset(gateways->buckets, 0xFF, buckets * sizeof gateways->buckets[0]);
    return gateways;
}

void gateways_destroy(struct gateways *gateways)
{
    if (gateways != NULL)
        free(gateways->buckets);
    raim_crypto_free(gateways);
}

static uint16_t *bucket_of(const struct gateways *gateways, struct udp_address socket)
{
    return &gateways->buckets[udp_address_hash_of(&gateways->hash, socket) >>
                              (64 - gateways->bucket_bits)];
}

static uint16_t find(const struct gateways *gateways, struct udp_address socket)
{
    uint16_t index = *bucket_of(gateways, socket);
    while (index != NONE && !udp_address_equal(gateways->entries[index].socket, socket))
        index = gateways->entries[index].next;
    return index;
}

static uint16_t number_of(uint16_t index)
{
    return (uint16_t)(index + 1);
}

static bool is_player(const struct entry *entry, struct udp_address address)
{
    return entry->player_port == address.port && ip_address_equal(entry->player, address.ip);
}

void gateways_translate(const struct gateways *gateways, struct udp_address *from, int64_t now_ms)
{
    const uint16_t index = find(gateways, *from);
    if (index == NONE)
        return;
    const struct entry *entry = &gateways->entries[index];
    if (now_ms - entry->announced_ms >= RAIM_ANNOUNCEMENT_LIFETIME_MS)
        return;
    from->ip = entry->player;
    from->port = entry->player_port;
    from->scope = 0;
    from->via = number_of(index);
}

bool gateways_resolve(const struct gateways *gateways, struct udp_address *to)
{
    if (to->via == 0)
        return true;
    assert(to->via <= gateways->capacity);
    const struct entry *entry = &gateways->entries[to->via - 1];
    const struct ip_address local = to->local;
    if (!is_player(entry, *to))
        return false;
    *to = entry->socket;
    to->local = local;
    return true;
}

// --- Entries that may be replaced ---

void gateways_keep(struct gateways *gateways, struct udp_address peer)
{
    if (peer.via != 0 && is_player(&gateways->entries[peer.via - 1], peer))
        gateways->entries[peer.via - 1].has_peer = true;
}

void gateways_mark(struct gateways *gateways, struct udp_address peer)
{
    if (peer.via != 0 && is_player(&gateways->entries[peer.via - 1], peer))
        gateways->entries[peer.via - 1].marked = true;
}

void gateways_sweep(struct gateways *gateways)
{
    for (uint32_t i = 0; i < gateways->used; i++) {
        gateways->entries[i].has_peer = gateways->entries[i].marked;
        gateways->entries[i].marked = false;
    }
}

// The entry to replace. Behind a sweep there is one, because there are more entries than
// connections; NULL if enough peers have connected since.
static struct entry *find_replaced(struct gateways *gateways, struct ip_address player,
                                   struct secure_limits limits)
{
    enum { ANY, NETWORK, ADDRESS, GROUPS };
    const uint64_t host = ip_address_host(player), network = ip_address_network(player);
    struct entry *oldest[GROUPS] = {NULL};
    uint32_t count[GROUPS] = {0};
    for (uint32_t i = 0; i < gateways->used; i++) {
        struct entry *entry = &gateways->entries[i];
        const int groups = ip_address_host(entry->player) == host         ? GROUPS
                           : ip_address_network(entry->player) == network ? NETWORK + 1
                                                                          : ANY + 1;
        for (int group = ANY; group < groups; group++) {
            count[group]++;
            if (!entry->has_peer &&
                (oldest[group] == NULL || entry->announced_ms < oldest[group]->announced_ms))
                oldest[group] = entry;
        }
    }
    if (limits.of_address > 0 && oldest[ADDRESS] != NULL &&
        count[ADDRESS] >= ENTRIES_PER_CONNECTION * limits.of_address)
        return oldest[ADDRESS];
    if (limits.of_network > 0 && oldest[NETWORK] != NULL &&
        count[NETWORK] >= ENTRIES_PER_CONNECTION * limits.of_network)
        return oldest[NETWORK];
    return oldest[ANY];
}

// NULL: none may be replaced.
static struct entry *make_entry(struct gateways *gateways, struct udp_address socket,
                                struct ip_address player, struct secure_limits limits)
{
    struct entry *entry;
    if (gateways->used < gateways->capacity) {
        entry = &gateways->entries[gateways->used++];
    } else {
        entry = find_replaced(gateways, player, limits);
        if (entry == NULL)
            return NULL;
        uint16_t *link = bucket_of(gateways, entry->socket);
        while (&gateways->entries[*link] != entry)
            link = &gateways->entries[*link].next;
        *link = entry->next;
    }
    uint16_t *bucket = bucket_of(gateways, socket);
    *entry = (struct entry){.socket = socket, .next = *bucket};
    *bucket = (uint16_t)(entry - gateways->entries);
    return entry;
}

// --- Announcements ---

static struct udp_address address_of(const struct raim_address *address)
{
    uint64_t parts[2] = {0};
    for (int i = 0; i < 16 && address->is_ipv6; i++)
        parts[i / 8] = parts[i / 8] << 8 | address->bytes[i];
    for (int i = 0; i < 4 && !address->is_ipv6; i++)
        parts[1] = parts[1] << 8 | address->bytes[i];
    return address->is_ipv6
               ? (struct udp_address){.ip = {parts[0], parts[1]}, .port = address->port}
               : udp_address_v4((uint32_t)parts[1], address->port);
}

enum datagram_verdict gateways_announce(struct gateways *gateways, struct udp_address socket,
                                        const uint8_t *data, size_t size,
                                        struct secure_limits limits, uint64_t now_us,
                                        int64_t now_ms)
{
    struct raim_announcement announcement;
    const uint64_t skew_us = (uint64_t)RAIM_ANNOUNCEMENT_SKEW_S * US_PER_S;
    assert(socket.via == 0);
    if (!raim_announcement_read(data, size, &announcement))
        return DATAGRAM_CONNECTIONLESS;
    const struct udp_address named = address_of(&announcement.gateway);
    const struct udp_address player = address_of(&announcement.player);
    if (!ip_address_equal(named.ip, socket.ip) || named.port != socket.port)
        return DATAGRAM_GATEWAY_SOCKET;
    const uint16_t index = find(gateways, socket);
    struct entry *entry = index != NONE ? &gateways->entries[index] : NULL;
    if (announcement.time_us + skew_us < now_us || announcement.time_us > now_us + skew_us ||
        (entry != NULL && announcement.time_us <= entry->time_us))
        return DATAGRAM_GATEWAY_TIME;
    if (!raim_announcement_verify(data, gateways->key))
        return DATAGRAM_GATEWAY_KEY;
    if (entry == NULL)
        entry = make_entry(gateways, socket, player.ip, limits);
    if (entry == NULL)
        return DATAGRAM_CONNECTIONS;
    entry->player = player.ip;
    entry->player_port = player.port;
    entry->time_us = announcement.time_us;
    entry->announced_ms = now_ms;
    return DATAGRAM_OK;
}
