// SPDX-License-Identifier: MIT
// raimmap: imports maps of Tiled, exports maps to it, and draws them.
#define _GNU_SOURCE
#include "map_draw.h"
#include "map_file.h"
#include "source.h"
#include "state_file.h"
#include "text_buffer.h"
#include "tiled.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

static const struct argp_option known[] = {
    {"output", 'o', "FILE", 0, "Write this file", 0},
    {"help", 'h', NULL, 0, "Print this text", -1},
    {"usage", 'u', NULL, 0, "Print a short summary", -1},
    {"version", 'V', NULL, 0, "Print the version", -1},
    {0},
};

struct words {
    const char *output;
    int count;
    char **items; // part of argv: the command and its file
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case 'o':
        words->output = argument;
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    case 'u':
        argp_state_help(state, state->out_stream, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
        return 0;
    case 'V':
        puts("raimmap " RAIM_VERSION);
        exit(EXIT_SUCCESS);
    case ARGP_KEY_ARGS:
        words->items = state->argv + state->next;
        words->count = state->argc - state->next;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Reads a file of at most SOURCE_MAX_BYTES; the caller frees the text. NULL after a report.
static char *read_file(const char *path, size_t *size, struct diagnostics *report)
{
    char *text = calloc(1, SOURCE_MAX_BYTES + 2);
    FILE *file = text != NULL ? fopen(path, "re") : NULL;
    *size = file != NULL ? fread(text, 1, SOURCE_MAX_BYTES + 1, file) : 0;
    const bool is_read = file != NULL && !ferror(file);
    if (text == NULL)
        diagnostics_no_memory(report);
    else if (!is_read)
        diagnostics_add(report, path, "cannot read: %s", strerror(errno));
    else if (*size > SOURCE_MAX_BYTES)
        diagnostics_add(report, path, "got more than %d bytes, want fewer", SOURCE_MAX_BYTES);
    if (file != NULL)
        fclose(file);
    if (report->problems == 0)
        return text;
    free(text);
    return NULL;
}

static char *import(const struct words *words, struct diagnostics *report)
{
    size_t size;
    char *text = read_file(words->items[1], &size, report);
    if (text == NULL)
        return NULL;
    char *map = tiled_import(words->items[1], text, size, words->output, report);
    free(text);
    return map;
}

// For export and drawing: accepts any valid map, whatever the player radius.
static char *convert(const struct words *words, struct diagnostics *report,
                     void (*write)(const struct raim_map *map, struct text_buffer *out))
{
    struct raim_map *map = map_file_load(words->items[1], NULL, 0, report);
    if (map == NULL)
        return NULL;
    struct text_buffer out = {0};
    write(map, &out);
    raim_map_destroy(map);
    char *text = text_buffer_take(&out);
    if (text == NULL)
        diagnostics_no_memory(report);
    return text;
}

static char *export(const struct words *words, struct diagnostics *report)
{
    return convert(words, report, tiled_export);
}

static char *draw(const struct words *words, struct diagnostics *report)
{
    return convert(words, report, map_draw);
}

static const struct {
    const char *name;
    char *(*run)(const struct words *words, struct diagnostics *report);
} commands[] = {{"import", import}, {"export", export}, {"draw", draw}};

// Replaces a file as a whole, or leaves it as it was: false with errno.
static bool replace_file(const char *path, mode_t mode, const char *text)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    const int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0)
        return false;
    bool good =
        state_file_write(file, text, strlen(text)) && fchmod(file, mode) == 0 && fsync(file) == 0;
    good = close(file) == 0 && good && rename(temporary, path) == 0;
    if (!good) {
        const int problem = errno;
        unlink(temporary);
        errno = problem;
    }
    return good;
}

// Behind a symbolic link its file is replaced. A device or pipe is written.
static bool write_file(const char *path, const char *text)
{
    char real[PATH_MAX];
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    if (!exists || S_ISREG(status.st_mode)) {
        const mode_t mask = umask(0);
        umask(mask);
        return replace_file(exists && realpath(path, real) != NULL ? real : path,
                            exists ? status.st_mode & 0777 : 0666 & ~mask, text);
    }
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const bool is_written = file >= 0 && state_file_write(file, text, strlen(text));
    return file >= 0 && close(file) == 0 && is_written;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "import FILE.tmx|FILE.tmj -o MAP.conf\nexport MAP.conf -o FILE.tmx\n"
                    "draw MAP.conf -o FILE.svg",
        .doc = "Imports maps of the editor Tiled, exports maps to it, and draws them.\v"
               "Exit status: 0 done; 1 a file cannot be written; 64 wrong usage; 78 a mistake in "
               "a file, or it cannot be read.",
    };
    struct words words = {0};
    argp_err_exit_status = EX_USAGE;
    argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &words); // argp's own help has no -h
    char *(*run)(const struct words *, struct diagnostics *) = NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands && words.count == 2; i++)
        if (strcmp(commands[i].name, words.items[0]) == 0)
            run = commands[i].run;
    if (run == NULL || words.output == NULL) {
        fputs("raimmap: want import, export or draw, one file, and -o FILE\n"
              "Try `raimmap --help'.\n",
              stderr);
        return EX_USAGE;
    }
    struct diagnostics report = {.out = stderr};
    char *text = run(&words, &report);
    if (report.no_memory)
        fputs("raimmap: out of memory\n", stderr);
    if (text == NULL)
        return report.no_memory ? EXIT_FAILURE : EX_CONFIG;
    const bool is_written = write_file(words.output, text);
    if (!is_written)
        fprintf(stderr, "raimmap: cannot write \"%s\": %s\n", words.output, strerror(errno));
    free(text);
    return is_written ? EXIT_SUCCESS : EXIT_FAILURE;
}
