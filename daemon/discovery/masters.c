// SPDX-License-Identifier: MIT
// Keeps the time of heartbeats and the credit of each master's address.
#include "masters.h"

#include "master_list.h"
#include "message.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Bytes of a text in an infostring, which are more than any name of an arena or a map has.
enum { TEXT_BYTES = 96 };

#define REPORT(member) METRIC_OF(struct masters_report, member)

static const struct metric report_rows[] = {
    {"listing", "raimd_listing_masters", "Master servers that list the arena.", METRIC_GAUGE,
     REPORT(listing)},
    {"heartbeats", "raimd_master_heartbeats_total", "Heartbeats sent to master servers.",
     METRIC_COUNTER, REPORT(heartbeats)},
    {"asked", "raimd_master_requests_total",
     "Requests of master servers (getinfo) that were answered.", METRIC_COUNTER, REPORT(asked)},
    {"limited", NULL,
     "Requests of master servers, or in their name, that were not answered, because no heartbeat "
     "preceded them.",
     METRIC_COUNTER, REPORT(limited)},
};

const struct metric_table masters_metrics = {
    .group = "masters",
    .meaning = "What the arena and the master servers have sent each other.",
    METRIC_ROWS(report_rows)};

static int find(const struct masters_list *list, struct udp_address address)
{
    for (int i = 0; i < list->count; i++)
        if (udp_address_equal(list->items[i].to, address))
            return i;
    return -1;
}

void masters_set_list(struct masters *masters, const struct masters_list *list)
{
    uint32_t credits[MASTERS_MAX_ADDRESSES] = {0};
    assert(list->count <= MASTERS_MAX_ADDRESSES);
    for (int i = 0; i < list->count; i++) {
        const int before = find(&masters->list, list->items[i].to);
        if (before >= 0)
            credits[i] = masters->credits[before];
        else
            masters->is_due = true;
    }
    memcpy(masters->credits, credits, sizeof credits);
    masters->list = *list;
}

static void count_heartbeat(struct masters *masters, int index, int64_t now_ms)
{
    struct masters_contact *contact = &masters->report.contacts[masters->list.items[index].master];
    if (contact->heartbeats == 0)
        contact->first_ms = now_ms;
    contact->heartbeats++;
    masters->report.heartbeats++;
    masters->credits[index] = MASTERS_CREDIT;
}

bool masters_beat(struct masters *masters, bool is_empty, bool is_full, int64_t now_ms)
{
    if (masters->list.count == 0)
        return false;
    const int64_t age_ms = masters->has_sent ? now_ms - masters->sent_ms : INT64_MAX;
    const bool has_changed = masters->is_empty != is_empty || masters->is_full != is_full;
    const bool is_due = masters->is_due || age_ms >= MASTERS_HEARTBEAT_MS ||
                        (has_changed && age_ms >= MASTERS_CHANGE_MS);
    if (!is_due)
        return false;
    masters->is_due = false;
    masters->has_sent = true;
    masters->is_empty = is_empty;
    masters->is_full = is_full;
    masters->sent_ms = now_ms;
    for (int i = 0; i < masters->list.count; i++)
        count_heartbeat(masters, i, now_ms);
    return true;
}

bool masters_admit(struct masters *masters, struct udp_address from, int64_t now_ms)
{
    const int index = find(&masters->list, from);
    if (index < 0)
        return false;
    if (masters->credits[index] == 0) {
        masters->report.limited++;
        return false;
    }
    struct masters_contact *contact = &masters->report.contacts[masters->list.items[index].master];
    masters->credits[index]--;
    contact->asked++;
    contact->asked_ms = now_ms;
    masters->report.asked++;
    return true;
}

enum masters_standing masters_standing(const struct masters_contact *contact, int64_t now_ms)
{
    if (contact->heartbeats == 0)
        return MASTERS_WAITING;
    const int64_t since_ms = contact->asked > 0 ? contact->asked_ms : contact->first_ms;
    if (now_ms - since_ms >= MASTERS_SILENT_MS)
        return MASTERS_SILENT;
    return contact->asked > 0 ? MASTERS_LISTED : MASTERS_WAITING;
}

void masters_count_listing(struct masters *masters, int64_t now_ms)
{
    masters->report.listing = 0;
    for (int i = 0; i < CONFIG_MAX_MASTERS; i++)
        masters->report.listing +=
            masters_standing(&masters->report.contacts[i], now_ms) == MASTERS_LISTED;
}

// Copies a text, cut to fit in whole characters of UTF-8. A backslash would end the value, and
// readers of infostrings reject quotes and semicolons.
static void clean(const char *text, char cleaned[TEXT_BYTES])
{
    size_t length = 0;
    for (; text[length] != '\0' && length < TEXT_BYTES - 1; length++)
        cleaned[length] = strchr("\\\";", text[length]) != NULL ? '_' : text[length];
    while (text[length] != '\0' && length > 0 && ((uint8_t)text[length] & 0xC0) == 0x80)
        length--;
    cleaned[length] = '\0';
}

size_t masters_write_info(const struct masters_info *info, const char *challenge,
                          uint8_t reply[MASTERS_MAX_INFO])
{
    char hostname[TEXT_BYTES], map[TEXT_BYTES];
    clean(info->hostname, hostname);
    clean(info->map, map);
    const int size = snprintf((char *)reply, MASTERS_MAX_INFO,
                              "\xFF\xFF\xFF\xFFinfoResponse\n\\gamename\\" RAIM_MASTER_GAME
                              "\\protocol\\%d\\hostname\\%s\\mapname\\%s\\clients\\%u\\bots\\%u"
                              "\\sv_maxclients\\%u\\needpass\\%d\\challenge\\%s",
                              RAIM_PROTOCOL_VERSION, hostname, map, info->clients, info->bots,
                              info->max_clients, info->needs_password, challenge);
    assert(size > 0 && size < MASTERS_MAX_INFO);
    return (size_t)size;
}
