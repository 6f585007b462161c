// SPDX-License-Identifier: MIT
// Master servers of one arena, in dpmaster's protocol (doc/techinfo.txt of dpmaster, PROTOCOL):
// when the arena sends heartbeats, which getinfo it answers, and the text of an infoResponse.
//
// A getinfo has no proof of its sender's address. So it is answered only to a master that was sent
// a heartbeat, at most MASTERS_CREDIT times for each: a forged sender makes the arena send a
// master no more than it would send it anyway, and other addresses nothing.
//
// No sockets and no clock; times are milliseconds of any steady clock that never decrease. Thread
// rule: an arena's worker calls these functions, any thread masters_standing.
#pragma once

#include "config.h"
#include "ip_address.h"
#include "master_request.h"
#include "metric.h"
#include "wire_limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Addresses of all masters together: of each name one of IPv4 and one of IPv6.
#define MASTERS_MAX_ADDRESSES (2 * CONFIG_MAX_MASTERS)

// Masters forget a server after 10 or 15 minutes.
#define MASTERS_HEARTBEAT_MS 120000
#define MASTERS_CHANGE_MS 5000   // between a heartbeat and one for a change
#define MASTERS_CREDIT 4         // getinfos per address that are answered after a heartbeat
#define MASTERS_SILENT_MS 330000 // without a getinfo, after which a master lists nothing

#define MASTERS_HEARTBEAT "\xFF\xFF\xFF\xFFheartbeat DarkPlaces\n"
#define MASTERS_FAREWELL "\xFF\xFF\xFF\xFFheartbeat FlatLine\n"

struct masters_address {
    struct udp_address to;
    uint8_t master; // its index in struct config_masters
};

// Where the masters are.
struct masters_list {
    int count;
    struct masters_address items[MASTERS_MAX_ADDRESSES];
};

// What an arena and one master have sent each other.
struct masters_contact {
    uint64_t heartbeats, asked; // heartbeats sent; getinfos answered
    int64_t first_ms;           // of the first heartbeat, if there was one
    int64_t asked_ms;           // of the last getinfo, if there was one
};

// Published with the arena's status.
struct masters_report {
    uint64_t heartbeats, asked; // of all masters
    uint64_t limited;           // getinfos of masters beyond their credit
    uint64_t listing;           // masters that are MASTERS_LISTED
    struct masters_contact contacts[CONFIG_MAX_MASTERS];
};

extern const struct metric_table masters_metrics; // of a struct masters_report

// Begins with zeros.
struct masters {
    struct masters_list list;
    uint32_t credits[MASTERS_MAX_ADDRESSES];
    bool is_due, has_sent; // a heartbeat is to be sent as soon as possible; one was sent
    bool is_empty, is_full;
    int64_t sent_ms; // of the last heartbeat, with has_sent
    struct masters_report report;
};

// Takes the masters' addresses. If one is new, the next heartbeat is due at once.
void masters_set_list(struct masters *masters, const struct masters_list *list);

// Whether heartbeats are to be sent now to every address of the list: every MASTERS_HEARTBEAT_MS,
// and when the arena becomes or ceases to be empty or full. Counts them as sent.
bool masters_beat(struct masters *masters, bool is_empty, bool is_full, int64_t now_ms);

// Whether to answer a getinfo of this sender; counts it.
bool masters_admit(struct masters *masters, struct udp_address from, int64_t now_ms);

// Updates the number of masters that list the arena.
void masters_count_listing(struct masters *masters, int64_t now_ms);

// What the server knows of its entry in a master's list.
enum masters_standing {
    MASTERS_WAITING, // no heartbeat was sent, or the answer may still come
    MASTERS_LISTED,  // it asks
    MASTERS_SILENT,  // it has not asked for MASTERS_SILENT_MS
};
enum masters_standing masters_standing(const struct masters_contact *contact, int64_t now_ms);

// The contents of an infoResponse.
struct masters_info {
    const char *hostname, *map;
    uint32_t clients, bots, max_clients; // clients without bots
    bool needs_password;                 // or an access token
};

// Writes an infoResponse and returns its size, of at most MASTERS_MAX_INFO. `challenge` is one of
// master_request_read. Characters that an infostring cannot hold are replaced in the texts.
#define MASTERS_MAX_INFO 512
size_t masters_write_info(const struct masters_info *info, const char *challenge,
                          uint8_t reply[MASTERS_MAX_INFO]);
