// SPDX-License-Identifier: MIT
// Compares the configuration that runs with what its file says now, in the log.
#define _GNU_SOURCE
#include "reload.h"

#include "config_diff.h"
#include "log.h"
#include "notify.h"

#include <stdlib.h>
#include <string.h>

static struct config *load(const char *path);
static void read_again(const struct config *running, const char *path);
static void log_changes(const struct config_diff *diff);

void reload_report(const struct config *running, const char *path)
{
    if (running->values == NULL) {
        log_info("signal=HUP: there is no configuration to read");
        return;
    }
    log_info("signal=HUP: reading file=%s", path);
    notify_reloading();
    read_again(running, path);
    notify_ready();
}

static void read_again(const struct config *running, const char *path)
{
    struct config *wanted = load(path);
    if (wanted == NULL) {
        log_error("configuration refused file=%s: the one that runs stays whole", path);
        return;
    }
    struct config_diff *diff = config_diff_create(running, wanted);
    log_changes(diff);
    config_diff_free(diff);
    config_unload(wanted);
}

static void log_changes(const struct config_diff *diff)
{
    for (int i = 0; i < diff->count; i++) {
        const struct config_change *change = &diff->changes[i];
        log_info("configuration change reloadable=%s: %s", change->needs_restart ? "no" : "yes",
                 change->text);
    }
    if (diff->count == 0)
        log_info("configuration read changes=0");
    else
        log_warning("configuration read changes=%d reloadable=%d applied=0: restart to apply them",
                    diff->count, diff->count - diff->restart_count);
}

// NULL after logging every mistake, one line each.
static struct config *load(const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        log_error("out of memory");
        return NULL;
    }
    struct report report = {.out = out};
    struct config *config = config_load_reported(path, &report);
    fclose(out);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (line[0] == '\0')
            continue;
        if (config != NULL)
            log_warning("configuration %s", line);
        else
            log_error("configuration %s", line);
    }
    free(text);
    return config;
}
