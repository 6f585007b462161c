// SPDX-License-Identifier: MIT
// The table of raim's options.
#include "options.h"

#include "master_list.h"
#include "option_table.h"
#include "recordings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "raim " RAIM_VERSION;

static const char about[] = "Plays in an arena of a raimd: on HOST, at UDP port PORT. Without "
                            "PORT, it shows the home screen "
                            "with the arenas of HOST (127.0.0.1) and of the local network; with "
                            "--matchmaker, it plays in the arenas that a "
                            "matchmaker finds. With FILE.raimrec, it plays a recording, and with "
                            "--render it makes a video of one.\vExit status: 0 after a normal "
                            "end, 1 after a failure, 64 after wrong usage, 66 where the recording "
                            "cannot be played, 69 where --frames were drawn without entering an "
                            "arena.";

static bool read_size(void *target, const char *text)
{
    struct options *options = target;
    char left[16];
    double width, height;
    const size_t length = strcspn(text, "x");
    if (length >= sizeof left || text[length] != 'x')
        return false;
    snprintf(left, sizeof left, "%.*s", (int)length, text);
    if (!option_table_number(left, true, 320, 16384, &width) ||
        !option_table_number(text + length + 1, true, 180, 16384, &height))
        return false;
    options->width = (int)width;
    options->height = (int)height;
    options->has_size = true;
    return true;
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

static bool read_from(void *target, const char *text)
{
    return parse_time(text, &((struct options *)target)->from_s);
}

static bool read_to(void *target, const char *text)
{
    return parse_time(text, &((struct options *)target)->to_s);
}

static bool read_access(void *target, const char *text)
{
    uint8_t access[RAIM_ACCESS_BYTES];
    ((struct options *)target)->game.access = text;
    return raim_link_read_access(text, access, sizeof access) > 0;
}

static bool read_admin_key(void *target, const char *text)
{
    struct game_def *game = &((struct options *)target)->game;
    game->has_admin_key = raim_link_read_admin_key(text, game->admin_key);
    return game->has_admin_key;
}

static bool read_password(void *target, const char *text)
{
    return raim_link_read_password(text, ((struct options *)target)->game.password);
}

static bool read_master(void *target, const char *text)
{
    struct game_def *game = &((struct options *)target)->game;
    struct server_address master = {.port = RAIM_MASTER_PORT};
    if (game->master_count == GAME_MASTERS ||
        !raim_link_read_address(text, master.host, &master.port))
        return false;
    game->masters[game->master_count++] = master;
    return true;
}

static bool read_recording(void *target, const char *text)
{
    struct options *options = target;
    options->game.recording = text;
    options->is_rendered = true;
    return true;
}

#define MEMBER(name) offsetof(struct options, name)

static const struct option_row rows[] = {
    {"name", "NAME", "The name that others see (the one typed on the home screen)", OPTION_TEXT,
     MEMBER(game.name), 0, 0, NULL, NULL},
    {"access", "TOKEN", "The access token, for an arena that requires one", OPTION_OTHER, 0, 0, 0,
     "an access token", read_access},
    {"admin-key", "FILE",
     "Your key as an admin, made by raimctl token key; then type /admin login NAME", OPTION_OTHER,
     0, 0, 0, "a file of raimctl token key", read_admin_key},
    {"password-file", "FILE", "The file whose first line is the password of the arena",
     OPTION_OTHER, 0, 0, 0, "a file with a line of 1 to 128 bytes", read_password},
    {"require-encryption", NULL, "Play only encrypted", OPTION_FLAG,
     MEMBER(game.require_encryption), 0, 0, NULL, NULL},
    {"known-servers", "FILE", "The file of servers' keys (~/.local/state/raim/known_servers)",
     OPTION_TEXT, MEMBER(game.known_servers), 0, 0, NULL, NULL},
    {"matchmaker", "URL", "Play in the arenas that a matchmaker finds, one after the other",
     OPTION_TEXT, MEMBER(game.matchmaker), 0, 0, NULL, NULL},
    {"master", "HOST[:PORT]",
     "Show the arenas that this master server lists on the home screen, too; may be repeated",
     OPTION_OTHER, 0, 0, 0, "HOST, HOST:PORT or [IPV6]:PORT, at most 8 times", read_master},
    {"size", "WxH", "The size of the window in pixels (1280x720)", OPTION_OTHER, 0, 0, 0,
     "WIDTHxHEIGHT, from 320x180 to 16384x16384", read_size},
    {"frame-cap", "HZ", "Frames a second at most (the display's rate)", OPTION_WHOLE,
     MEMBER(frame_cap_hz), 10, 1000, "a whole number from 10 to 1000", NULL},
    {"frames", "N", "Draw N frames, print their times, then end", OPTION_WHOLE, MEMBER(frames), 1,
     1000000, "a whole number from 1 to 1000000", NULL},
    {"screenshot", "FILE", "Write the last frame as a BMP file", OPTION_TEXT, MEMBER(screenshot), 0,
     0, NULL, NULL},
    {"headless", NULL, "Open no window; needs --frames", OPTION_FLAG, MEMBER(headless), 0, 0, NULL,
     NULL},
    {"follow", "NAME", "Follow this player of the recording", OPTION_TEXT, MEMBER(game.follow), 0,
     0, NULL, NULL},
    {"render", "FILE", "Render the recording FILE into the video OUT by ffmpeg; needs --size",
     OPTION_OTHER, 0, 0, 0, NULL, read_recording},
    {"from", "TIME", "Start of the video: seconds, M:SS or H:MM:SS (the beginning)", OPTION_OTHER,
     0, 0, 0, "seconds, M:SS or H:MM:SS", read_from},
    {"to", "TIME", "End of the video (the end)", OPTION_OTHER, 0, 0, 0, "seconds, M:SS or H:MM:SS",
     read_to},
};

// Takes the name of a video, a recording or a server.
static bool take_argument(void *target, int index, char *text, char *problem)
{
    struct options *options = target;
    if (index > 0)
        snprintf(problem, OPTION_PROBLEM_BYTES, "one server or file at a time, got '%s'", text);
    else if (options->is_rendered)
        options->video = text;
    else if (recordings_is_name(text))
        options->game.recording = text;
    else if (!raim_link_read_address(text, options->game.host, &options->game.port))
        snprintf(problem, OPTION_PROBLEM_BYTES,
                 "a server is HOST, HOST:PORT or [IPV6]:PORT, and a recording ends in .raimrec, "
                 "got '%s'",
                 text);
    else
        return true;
    return index == 0 && (options->video == text || options->game.recording == text);
}

static bool check(void *target, int argument_count, char *problem)
{
    const struct options *options = target;
    const struct game_def *game = &options->game;
    const bool renders = options->video != NULL;
    const struct {
        bool is_mistake;
        const char *words;
    } rules[] = {
        {options->headless && options->frames == 0, "--headless needs --frames"},
        {options->screenshot != NULL && options->frames == 0, "--screenshot needs --frames"},
        {game->matchmaker != NULL && (argument_count > 0 || game->access != NULL),
         "--matchmaker finds the server and the access token itself"},
        {options->is_rendered && !renders, "--render needs the name of the video"},
        {!options->is_rendered && (options->from_s > 0 || options->to_s >= 0),
         "--from and --to need --render"},
        {renders && !options->has_size, "--render needs --size"},
        {renders && (options->width % 2 != 0 || options->height % 2 != 0),
         "a video has an even width and height"},
        {renders && options->to_s >= 0 && options->to_s <= options->from_s,
         "--to must be later than --from"},
        {renders && options->frames > 0, "--render counts its frames itself"},
        {game->recording == NULL && game->follow != NULL, "--follow needs a recording"},
        {game->recording != NULL && game->matchmaker != NULL, "--matchmaker plays no recording"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (rules[i].is_mistake) {
            snprintf(problem, OPTION_PROBLEM_BYTES, "%s", rules[i].words);
            return false;
        }
    }
    return true;
}

struct options options_parse(int argc, char **argv)
{
    static const struct option_table table = {
        .arguments = "[HOST[:PORT]]\nFILE.raimrec\n--render=FILE OUT",
        .about = about,
        .rows = rows,
        .count = sizeof rows / sizeof *rows,
        .take_argument = take_argument,
        .check = check,
    };
    struct options options = {.game.host = "127.0.0.1", .width = 1280, .height = 720, .to_s = -1};
    option_table_read(&table, argc, argv, &options);
    return options;
}
