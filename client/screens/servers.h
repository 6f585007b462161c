// SPDX-License-Identifier: MIT
// The addresses that the player has used: favourites and history, stored as JSON beside the
// settings.
#pragma once

#include "server_address.h"

#include <stdbool.h>
#include <stdint.h>

enum { SERVERS_MAX = 64, SERVERS_ADDRESS_BYTES = SERVER_ADDRESS_BYTES };

struct servers_entry {
    char address[SERVERS_ADDRESS_BYTES]; // HOST:PORT
    bool favourite;
    int64_t played_s; // Unix time of the last game there; 0: never
};

// Start from all zero. Favourites come first, then the latest games.
struct servers {
    int count;
    struct servers_entry entries[SERVERS_MAX];
};

// The index of an address; -1: unknown.
int servers_find(const struct servers *servers, const char *address);

// Notes a game. Where the list is full, the oldest entry that is no favourite is dropped.
void servers_note_game(struct servers *servers, const char *address, int64_t now_s);

// Makes an address a favourite, or no longer one. An entry that was never played is then dropped.
void servers_set_favourite(struct servers *servers, const char *address, bool favourite);

// Read and write the file `servers` of a directory, as settings_load and settings_save do.
void servers_load(struct servers *servers, const char *directory);
bool servers_save(const struct servers *servers, const char *directory);
