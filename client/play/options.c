// SPDX-License-Identifier: MIT
// Reads the command line of raim with argp.
#define _GNU_SOURCE
#include "options.h"

#include "link.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "raim " RAIM_VERSION;

static const char about[] = "Plays in an arena of a raimd: on HOST, at UDP port PORT. Without "
                            "PORT, it shows the home screen "
                            "with the arenas of HOST (127.0.0.1) and of the local network; with "
                            "--matchmaker, it plays in the rooms that a "
                            "matchmaker finds.\vExit status: 0 after a normal end, 1 after a "
                            "failure, 64 after wrong usage, 69 where --frames were drawn without "
                            "entering an arena.";

enum {
    NAME = 256,
    ACCESS,
    REQUIRE_ENCRYPTION,
    KNOWN_SERVERS,
    MATCHMAKER,
    SIZE,
    FRAME_CAP,
    FRAMES,
    SCREENSHOT,
    HEADLESS
};

static const struct argp_option known[] = {
    {"name", NAME, "NAME", 0, "The name that others see (the one typed on the home screen)", 0},
    {"access", ACCESS, "TOKEN", 0, "The access token, for an arena that wants one", 0},
    {"require-encryption", REQUIRE_ENCRYPTION, NULL, 0, "Play only where datagrams are encrypted",
     0},
    {"known-servers", KNOWN_SERVERS, "FILE", 0,
     "The file of servers' keys (~/.local/state/raim/known_servers)", 0},
    {"matchmaker", MATCHMAKER, "URL", 0,
     "Play in the rooms that a matchmaker finds, one after the other", 0},
    {"size", SIZE, "WxH", 0, "The size of the window in pixels (1280x720)", 0},
    {"frame-cap", FRAME_CAP, "HZ", 0, "Frames a second at most (the display's rate)", 0},
    {"frames", FRAMES, "N", 0, "Draw N frames, print their times, then end", 0},
    {"screenshot", SCREENSHOT, "FILE", 0, "Write the last frame as a BMP file", 0},
    {"headless", HEADLESS, NULL, 0, "Open no window, for tests and pictures; needs --frames", 0},
    {NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
    {0},
};

static bool parse_whole(const char *text, long min, long max, int *number)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < min || value > max)
        return false;
    *number = (int)value;
    return true;
}

static bool parse_size(const char *text, int *width, int *height)
{
    char left[16];
    const size_t length = strcspn(text, "x");
    if (length >= sizeof left || text[length] != 'x')
        return false;
    snprintf(left, sizeof left, "%.*s", (int)length, text);
    return parse_whole(left, 320, 16384, width) &&
           parse_whole(text + length + 1, 180, 16384, height);
}

static void check_all(struct argp_state *state, const struct options *options)
{
    if (options->headless && options->frames == 0)
        argp_error(state, "--headless needs --frames");
    if (options->screenshot != NULL && options->frames == 0)
        argp_error(state, "--screenshot needs --frames");
    if (options->matchmaker != NULL && (state->arg_num > 0 || options->access != NULL))
        argp_error(state, "--matchmaker finds the server and the access token itself");
}

static void take_access(struct argp_state *state, const char *text, struct options *options)
{
    uint8_t access[RAIM_ACCESS_BYTES];
    if (raim_link_read_access(text, access, sizeof access) == 0)
        argp_error(state, "--access wants an access token, got '%s'", text);
    options->access = text;
}

// Takes one option or argument. argp_error ends the program with status 64.
static error_t take(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case NAME:
        options->name = text;
        break;
    case ACCESS:
        take_access(state, text, options);
        break;
    case REQUIRE_ENCRYPTION:
        options->require_encryption = true;
        break;
    case KNOWN_SERVERS:
        options->known_servers = text;
        break;
    case MATCHMAKER:
        options->matchmaker = text;
        break;
    case SIZE:
        if (!parse_size(text, &options->width, &options->height))
            argp_error(state, "--size wants WIDTHxHEIGHT, from 320x180 to 16384x16384, got '%s'",
                       text);
        break;
    case FRAME_CAP:
        if (!parse_whole(text, 10, 1000, &options->frame_cap_hz))
            argp_error(state, "--frame-cap wants a whole number from 10 to 1000, got '%s'", text);
        break;
    case FRAMES:
        if (!parse_whole(text, 1, 1000000, &options->frames))
            argp_error(state, "--frames wants a whole number from 1 to 1000000, got '%s'", text);
        break;
    case SCREENSHOT:
        options->screenshot = text;
        break;
    case HEADLESS:
        options->headless = true;
        break;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "one server at a time, got '%s'", text);
        if (!raim_link_read_address(text, options->host, &options->port))
            argp_error(state, "a server is HOST, HOST:PORT or [IPV6]:PORT, got '%s'", text);
        break;
    case ARGP_KEY_END:
        check_all(state, options);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

struct options options_parse(int argc, char **argv)
{
    const struct argp parser = {
        .options = known, .parser = take, .args_doc = "[HOST[:PORT]]", .doc = about};
    struct options options = {.host = "127.0.0.1", .width = 1280, .height = 720};
    if (argp_parse(&parser, argc, argv, 0, NULL, &options) != 0) {
        fputs("raim: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return options;
}
