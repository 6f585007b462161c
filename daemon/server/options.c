// SPDX-License-Identifier: MIT
// Parses the command line.
#define _GNU_SOURCE
#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>

static void print_usage(FILE *file)
{
    fputs("usage: raimd [-c FILE] [-t [--json] | -T] [--demo]\n"
          "       raimd --dump-config\n"
          "       raimd --draw-map FILE OUT.svg\n"
          "\n"
          "A dedicated server for 2D arena shooters.\n"
          "\n"
          "  -c, --config FILE   the configuration (" RAIM_DEFAULT_CONFIG ")\n"
          "  -t, --check-config  check the configuration and its maps, start nothing\n"
          "      --json          with -t: mistakes as a JSON array of {file, line, key, message}\n"
          "  -T, --print-config  check, then print every value and where it comes from\n"
          "      --dump-config   print a configuration of every key with its meaning and default\n"
          "      --demo          two arenas with bots on loopback, without a configuration\n"
          "      --draw-map FILE OUT.svg\n"
          "                      draw a map: outlines, their convex pieces, spawns\n"
          "  -V, --version       print the version\n"
          "  -h, --help          print this text\n"
          "\n"
          "Exit status: 0 ended as asked, 1 could not start (a port in use, say),\n"
          "64 wrong usage, 78 a mistake in the configuration or a map.\n",
          file);
}

static struct options wrong(void)
{
    fputs("Try 'raimd --help'.\n", stderr);
    return (struct options){.action = OPTIONS_WRONG};
}

struct options options_parse(int argc, char **argv)
{
    enum { DEMO = 256, DRAW_MAP, DUMP_CONFIG, JSON };
    static const struct option known[] = {
        {"config", required_argument, NULL, 'c'},
        {"check-config", no_argument, NULL, 't'},
        {"json", no_argument, NULL, JSON},
        {"print-config", no_argument, NULL, 'T'},
        {"dump-config", no_argument, NULL, DUMP_CONFIG},
        {"demo", no_argument, NULL, DEMO},
        {"draw-map", required_argument, NULL, DRAW_MAP},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options options = {.action = OPTIONS_RUN};
    for (int option; (option = getopt_long(argc, argv, "c:tTVh", known, NULL)) != -1;) {
        switch (option) {
        case 'c':
            options.config_path = optarg;
            break;
        case 't':
            options.action = OPTIONS_CHECK_CONFIG;
            break;
        case 'T':
            options.action = OPTIONS_PRINT_CONFIG;
            break;
        case DUMP_CONFIG:
            options.action = OPTIONS_DUMP_CONFIG;
            break;
        case JSON:
            options.json = true;
            break;
        case DEMO:
            options.demo = true;
            break;
        case DRAW_MAP:
            options.action = OPTIONS_DRAW_MAP;
            options.map_path = optarg;
            break;
        case 'V':
            puts("raimd " RAIM_VERSION);
            return (struct options){.action = OPTIONS_DONE};
        case 'h':
            print_usage(stdout);
            return (struct options){.action = OPTIONS_DONE};
        default:
            return wrong();
        }
    }
    if (options.action == OPTIONS_DRAW_MAP) {
        if (optind == argc) {
            fputs("raimd: --draw-map wants a second file, for the drawing\n", stderr);
            return wrong();
        }
        options.drawing_path = argv[optind++];
    }
    if (optind < argc) {
        fprintf(stderr, "raimd: unexpected argument '%s'\n", argv[optind]);
        return wrong();
    }
    if (options.demo && options.config_path != NULL) {
        fputs("raimd: --demo takes no configuration\n", stderr);
        return wrong();
    }
    if (options.json && options.action != OPTIONS_CHECK_CONFIG) {
        fputs("raimd: --json goes with -t\n", stderr);
        return wrong();
    }
    if (options.demo && options.action == OPTIONS_PRINT_CONFIG) {
        fputs("raimd: --demo has no configuration to print\n", stderr);
        return wrong();
    }
    if (options.config_path == NULL)
        options.config_path = RAIM_DEFAULT_CONFIG;
    return options;
}
