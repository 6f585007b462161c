// SPDX-License-Identifier: MIT
// Opens the recorder and applies changes of the configuration to it.
#define _GNU_SOURCE
#include "arena_table_recorder.h"

#include "log.h"
#include "recording_writer.h"
#include "sandbox.h"
#include "systemd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = PATH_MAX + 64 };

static const double bytes_per_gigabyte = 1e9;

static struct recordings_limits limits_of(const struct config *config)
{
    return (struct recordings_limits){
        .bytes = (uint64_t)(config->recording_keep.gigabytes * bytes_per_gigabyte),
        .days = config->recording_keep.days,
    };
}

bool recording_directory_find(const struct config *config, char path[PATH_MAX])
{
    static const char name[] = "/recordings";
    if (config->recording_dir[0] != '\0') {
        strcpy(path, config->recording_dir);
        return true;
    }
    if (!unit_directories_find("STATE_DIRECTORY", path, PATH_MAX - sizeof name))
        return false;
    strcat(path, name);
    return true;
}

// Whether an arena or a template is to be recorded.
static bool is_wanted(const struct config *config)
{
    bool is = false;
    for (int i = 0; i < config->arena_count; i++)
        is = is || config->arenas[i].recording != CONFIG_RECORDING_NONE;
    for (int i = 0; i < config->template_count; i++)
        is = is || config->templates[i].recording != CONFIG_RECORDING_NONE;
    return is;
}

bool arena_table_open_recorder(struct arena_table *table, const struct config *config)
{
    char path[PATH_MAX], error[ERROR_BYTES];
    const struct recordings_limits limits = limits_of(config);
    if (!recording_directory_find(config, path)) {
        if (is_wanted(config))
            log_info("recordings off: there is no $STATE_DIRECTORY and no recordings.directory");
        return true;
    }
    if (!raim_recording_is_supported()) {
        log_warning("recordings off: not written for this architecture");
        return true;
    }
    table->recorder = recorder_open(path, &limits, &table->wakeup, error, sizeof error);
    if (table->recorder != NULL) {
        table->recordings = recorder_recordings(table->recorder);
        return true;
    }
    if (config->recording_dir[0] != '\0') {
        log_error("recordings failed: %s", error);
        return false;
    }
    log_warning("recordings off: %s", error); // a full disk, perhaps: the game goes on
    return true;
}

void arena_table_change_recorder(struct arena_table *table, const struct config *config,
                                 struct reload_report *report)
{
    char path[PATH_MAX], error[ERROR_BYTES];
    const struct recordings_limits limits = limits_of(config);
    const bool moves = strcmp(table->recording_dir, config->recording_dir) != 0;
    if (table->recorder == NULL) {
        if (!recording_directory_find(config, path)) {
            if (is_wanted(config) && !is_wanted(table->config))
                reload_report_add(report, RELOAD_REPORT_WARNING,
                                  "recordings stay off: there is no $STATE_DIRECTORY and no "
                                  "recordings.directory");
        } else if (moves) {
            reload_report_add(report, RELOAD_REPORT_WARNING,
                              "recordings stay off: to begin with them needs a restart");
        }
        return;
    }
    recorder_set_limits(table->recorder, &limits);
    if (!moves)
        return;
    if (!recording_directory_find(config, path))
        reload_report_add(report, RELOAD_REPORT_WARNING,
                          "recordings not moved: there is no $STATE_DIRECTORY");
    else if (!recorder_move(table->recorder, path, error, sizeof error))
        reload_report_add(report, RELOAD_REPORT_WARNING, "recordings not moved: %s%s", error,
                          sandbox_hint(path, errno));
    else
        strcpy(table->recording_dir, config->recording_dir);
}
