// SPDX-License-Identifier: MIT
// Fuzzes the daemon's configuration: accepted values are in range, and every rejection has an
// explanation. An input is the text of raimd.conf; a good map m.conf and a file more.conf to
// include lie beside it.
#define _GNU_SOURCE
#include "fuzz.h"

#include "config.h"
#include "config_keys.h"
#include "fuzz_text.h"
#include "world.h"

#include <unistd.h>

static char directory[] = "/dev/shm/fuzz_config_XXXXXX"; // memory: nothing waits for a disk
static char config_path[sizeof directory + 16], map_path[sizeof directory + 16],
    more_path[sizeof directory + 16];

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "we");
    assert(file != NULL);
    assert(fwrite(bytes, 1, size, file) == size);
    assert(fclose(file) == 0);
}

static void clean_up(void)
{
    unlink(config_path);
    unlink(map_path);
    unlink(more_path);
    rmdir(directory);
}

static void set_up(void)
{
    static const char map[] = "border = (0, 0, 500, 500); spawns = ((100, 100));\n";
    static const char more[] = "name = \"a\"; port = 7246;\n";
    const char *made = mkdtemp(directory);
    if (made == NULL)
        made = mkdtemp(strcpy(directory, "/tmp/fuzz_config_XXXXXX"));
    assert(made != NULL);
    snprintf(config_path, sizeof config_path, "%s/raimd.conf", directory);
    snprintf(map_path, sizeof map_path, "%s/m.conf", directory);
    snprintf(more_path, sizeof more_path, "%s/more.conf", directory);
    write_file(map_path, map, sizeof map - 1);
    write_file(more_path, more, sizeof more - 1);
    atexit(clean_up);
}

static void check_arena(const struct config_arena *arena)
{
    char address[CONFIG_ADDRESS_BYTES + 8];
    char split[CONFIG_ADDRESS_BYTES];
    uint16_t port;
    assert(config_is_name(arena->name));
    const bool is_v6 = strchr(arena->address, ':') != NULL;
    snprintf(address, sizeof address, is_v6 ? "[%s]:%u" : "%s:%u", arena->address, arena->port);
    assert(config_split_address(address, split, &port) && port == arena->port);
    assert(strcmp(split, arena->address) == 0);
    assert(arena->match.tuning.max_players >= 1 && arena->match.tuning.max_players <= 1000 &&
           arena->match.bots <= 200);
    assert(arena->match.tuning.max_players + arena->match.bots <= RAIM_MAX_PLAYERS);
    assert(arena->match.tick_hz >= 10 && arena->match.tick_hz <= 240);
    assert(raim_rules_check(&arena->match.rules) == NULL);
    assert(arena->match.map != NULL);
}

static void check_config(const struct config *config)
{
    assert(config->workers <= CONFIG_MAX_WORKERS);
    assert(config->arena_count >= 1 && config->arena_count <= CONFIG_MAX_ARENAS);
    for (int i = 0; i < config->arena_count; i++) {
        check_arena(&config->arenas[i]);
        for (int j = 0; j < i; j++)
            assert(strcmp(config->arenas[i].name, config->arenas[j].name) != 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (config_path[0] == '\0')
        set_up();
    // A path out of the directory could lead to anything.
    if (memmem(data, size, "\"/", 2) != NULL || memmem(data, size, "../", 3) != NULL)
        return 0;
    char *words = NULL;
    size_t length = 0;
    FILE *report = open_memstream(&words, &length);
    assert(report != NULL);
    write_file(config_path, data, size);
    struct config *config = config_load(config_path, report);
    fclose(report);
    fuzz_check_report(words, directory, config != NULL);
    if (config != NULL)
        check_config(config);
    config_unload(config);
    free(words);
    return 0;
}
