// SPDX-License-Identifier: MIT
// The servers of the page's gateway, and those that the player knows. A page cannot send queries,
// so it knows no pings.
#include "browser.h"

#include "page_gateway.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 2 * GATEWAY_ROWS };

struct browser {
    int count;
    struct browser_row rows[ROWS];
    struct raim_finder_row found[ROWS];
};

struct browser *browser_open(void)
{
    return calloc(1, sizeof(struct browser));
}

void browser_close(struct browser *browser)
{
    free(browser);
}

// The row of an address, which is appended where there is none; NULL: there is no room.
static struct raim_finder_row *find(struct browser *browser, const char *address)
{
    int index = 0;
    while (index < browser->count && strcmp(browser->rows[index].address, address) != 0)
        index++;
    if (index == ROWS)
        return NULL;
    if (index == browser->count) {
        struct browser_row *row = &browser->rows[browser->count++];
        row->found = &browser->found[index];
        memcpy(row->address, address, strlen(address) + 1);
    }
    return &browser->found[index];
}

void browser_add(struct browser *browser, const struct server_address *address, bool listed)
{
    char text[SERVER_ADDRESS_BYTES];
    server_address_write(address, text);
    if (listed)
        find(browser, text);
}

void browser_scan(struct browser *browser, const char *host)
{
    (void)browser, (void)host;
}

void browser_add_master(struct browser *browser, const struct server_address *master)
{
    (void)browser, (void)master;
}

void browser_update(struct browser *browser, double now_s)
{
    gateway_update((uint64_t)(now_s * 1e6), GATEWAY_PAUSE_US);
    for (int i = 0; i < browser->count; i++)
        browser->found[i].answers = false;
    for (int i = 0; i < gateway_count(); i++) {
        const struct gateway_row *from = gateway_at(i);
        struct raim_finder_row *row = find(browser, from->address);
        if (row == NULL)
            continue;
        row->answers = from->answers;
        row->ping_ms = -1;
        row->info = from->info;
    }
}

int browser_count(const struct browser *browser)
{
    return browser->count;
}

const struct browser_row *browser_at(const struct browser *browser, int index)
{
    return index >= 0 && index < browser->count ? &browser->rows[index] : NULL;
}

const char *browser_words(void)
{
    return "Asking this site for its servers ...";
}
