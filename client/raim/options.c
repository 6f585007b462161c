// SPDX-License-Identifier: MIT
// Reads the command line of raim with argp.
#define _GNU_SOURCE
#include "options.h"

#include "master_list.h"
#include "recordings.h"

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
                            "matchmaker finds. With FILE.raimrec, it plays a recording, and with "
                            "--render it makes a video of one.\vExit status: 0 after a normal "
                            "end, 1 after a failure, 64 after wrong usage, 66 where the recording "
                            "cannot be played, 69 where --frames were drawn without entering an "
                            "arena.";

enum {
    NAME = 256,
    ACCESS,
    ADMIN_KEY,
    PASSWORD_FILE,
    REQUIRE_ENCRYPTION,
    KNOWN_SERVERS,
    MATCHMAKER,
    MASTER,
    SIZE,
    FRAME_CAP,
    FRAMES,
    SCREENSHOT,
    HEADLESS,
    FOLLOW,
    RENDER,
    FROM,
    TO
};

static const struct argp_option known[] = {
    {"name", NAME, "NAME", 0, "The name that others see (the one typed on the home screen)", 0},
    {"access", ACCESS, "TOKEN", 0, "The access token, for an arena that wants one", 0},
    {"admin-key", ADMIN_KEY, "FILE", 0,
     "Your key as an admin, made by raimctl token key; then type /admin login NAME", 0},
    {"password-file", PASSWORD_FILE, "FILE", 0,
     "The file whose first line is the password of the arena", 0},
    {"require-encryption", REQUIRE_ENCRYPTION, NULL, 0, "Play only where datagrams are encrypted",
     0},
    {"known-servers", KNOWN_SERVERS, "FILE", 0,
     "The file of servers' keys (~/.local/state/raim/known_servers)", 0},
    {"matchmaker", MATCHMAKER, "URL", 0,
     "Play in the rooms that a matchmaker finds, one after the other", 0},
    {"master", MASTER, "HOST[:PORT]", 0,
     "Show the arenas that this master server lists on the home screen, too; may be repeated", 0},
    {"size", SIZE, "WxH", 0, "The size of the window in pixels (1280x720)", 0},
    {"frame-cap", FRAME_CAP, "HZ", 0, "Frames a second at most (the display's rate)", 0},
    {"frames", FRAMES, "N", 0, "Draw N frames, print their times, then end", 0},
    {"screenshot", SCREENSHOT, "FILE", 0, "Write the last frame as a BMP file", 0},
    {"headless", HEADLESS, NULL, 0, "Open no window, for tests and pictures; needs --frames", 0},
    {"follow", FOLLOW, "NAME", 0, "Follow this player of the recording", 0},
    {"render", RENDER, "FILE", 0,
     "Render the recording FILE into the video OUT by ffmpeg; needs --size", 0},
    {"from", FROM, "TIME", 0, "Where the video begins: seconds, M:SS or H:MM:SS (the beginning)",
     0},
    {"to", TO, "TIME", 0, "Where the video ends (the end)", 0},
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

// Reads [[H:]M:]S with decimals of the seconds.
static bool parse_time(const char *text, double *seconds)
{
    const double longest_s = 1e6;
    double sum = 0;
    for (int part = 0; part < 3; part++) {
        char *end;
        if (*text < '0' || *text > '9' || text[strspn(text, "0123456789:.")] != '\0')
            return false;
        sum = sum * 60 + strtod(text, &end);
        if (*end == '\0' && sum <= longest_s) {
            *seconds = sum;
            return true;
        }
        if (*end != ':')
            return false;
        text = end + 1;
    }
    return false;
}

// Checks what a recording needs, and tells it from a video's options.
static void check_recording(struct argp_state *state, const struct options *options)
{
    const bool renders = options->video != NULL;
    if (options->is_rendered && !renders)
        argp_error(state, "--render needs the name of the video");
    if (!options->is_rendered && (options->from_s > 0 || options->to_s >= 0))
        argp_error(state, "--from and --to need --render");
    if (renders && !options->has_size)
        argp_error(state, "--render needs --size");
    if (renders && (options->width % 2 != 0 || options->height % 2 != 0))
        argp_error(state, "a video has an even width and height, got %dx%d", options->width,
                   options->height);
    if (renders && options->to_s >= 0 && options->to_s <= options->from_s)
        argp_error(state, "--to must be later than --from");
    if (renders && options->frames > 0)
        argp_error(state, "--render counts its frames itself");
    if (options->game.recording == NULL && options->game.follow != NULL)
        argp_error(state, "--follow needs a recording");
    if (options->game.recording != NULL && options->game.matchmaker != NULL)
        argp_error(state, "--matchmaker plays no recording");
}

static void check_all(struct argp_state *state, const struct options *options)
{
    if (options->headless && options->frames == 0)
        argp_error(state, "--headless needs --frames");
    if (options->screenshot != NULL && options->frames == 0)
        argp_error(state, "--screenshot needs --frames");
    if (options->game.matchmaker != NULL && (state->arg_num > 0 || options->game.access != NULL))
        argp_error(state, "--matchmaker finds the server and the access token itself");
    check_recording(state, options);
}

static void take_access(struct argp_state *state, const char *text, struct options *options)
{
    uint8_t access[RAIM_ACCESS_BYTES];
    if (raim_link_read_access(text, access, sizeof access) == 0)
        argp_error(state, "--access wants an access token, got '%s'", text);
    options->game.access = text;
}

static void take_master(struct argp_state *state, const char *text, struct options *options)
{
    struct server_address master = {.port = RAIM_MASTER_PORT};
    if (!raim_link_read_address(text, master.host, &master.port))
        argp_error(state, "--master wants HOST, HOST:PORT or [IPV6]:PORT, got '%s'", text);
    else if (options->game.master_count == GAME_MASTERS)
        argp_error(state, "at most %d --master", GAME_MASTERS);
    else
        options->game.masters[options->game.master_count++] = master;
}

// Takes the name of a video, a recording or a server.
static void take_argument(struct argp_state *state, char *text, struct options *options)
{
    if (state->arg_num > 0)
        argp_error(state, "one server or file at a time, got '%s'", text);
    else if (options->is_rendered)
        options->video = text;
    else if (recordings_is_name(text))
        options->game.recording = text;
    else if (!raim_link_read_address(text, options->game.host, &options->game.port))
        argp_error(state,
                   "a server is HOST, HOST:PORT or [IPV6]:PORT, and a recording ends in "
                   ".raimrec, got '%s'",
                   text);
}

// Takes one option or argument. argp_error ends the program with status 64.
static error_t take(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case NAME:
        options->game.name = text;
        break;
    case ACCESS:
        take_access(state, text, options);
        break;
    case ADMIN_KEY:
        options->game.has_admin_key = raim_link_read_admin_key(text, options->game.admin_key);
        if (!options->game.has_admin_key)
            argp_error(state, "--admin-key wants a file of raimctl token key, got '%s'", text);
        break;
    case PASSWORD_FILE:
        if (!raim_link_read_password(text, options->game.password))
            argp_error(state,
                       "--password-file wants a file with a line of 1 to 128 bytes, got '%s'",
                       text);
        break;
    case REQUIRE_ENCRYPTION:
        options->game.require_encryption = true;
        break;
    case KNOWN_SERVERS:
        options->game.known_servers = text;
        break;
    case MATCHMAKER:
        options->game.matchmaker = text;
        break;
    case MASTER:
        take_master(state, text, options);
        break;
    case SIZE:
        options->has_size = true;
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
    case FOLLOW:
        options->game.follow = text;
        break;
    case RENDER:
        options->game.recording = text;
        options->is_rendered = true;
        break;
    case FROM:
    case TO:
        if (!parse_time(text, key == FROM ? &options->from_s : &options->to_s))
            argp_error(state, "--%s wants seconds, M:SS or H:MM:SS, got '%s'",
                       key == FROM ? "from" : "to", text);
        break;
    case 'h':
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case ARGP_KEY_ARG:
        take_argument(state, text, options);
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
    const struct argp parser = {.options = known,
                                .parser = take,
                                .args_doc = "[HOST[:PORT]]\nFILE.raimrec\n--render=FILE OUT",
                                .doc = about};
    struct options options = {.game.host = "127.0.0.1", .width = 1280, .height = 720, .to_s = -1};
    if (argp_parse(&parser, argc, argv, 0, NULL, &options) != 0) {
        fputs("raim: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return options;
}
