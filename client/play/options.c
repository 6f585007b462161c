// SPDX-License-Identifier: MIT
// Reads the command line of raim.
#define _GNU_SOURCE
#include "options.h"

#include "link.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: raim [OPTIONS] [HOST[:PORT]]\n"
    "\n"
    "Plays in an arena of a raimd: of HOST (127.0.0.1), at UDP port PORT or, without one,\n"
    "chosen from the arenas that the host tells of at http://HOST:7246/status.\n"
    "\n"
    "  --name NAME        what others call you (your user name)\n"
    "  --access TOKEN     what lets you in, where the arena wants an access token\n"
    "  --require-encryption   play only where datagrams are encrypted\n"
    "  --known-servers FILE  where servers' keys are kept (~/.local/state/raim/known_servers)\n"
    "  --size WxH         of the window (1280x720)\n"
    "  --frames N         draw so many frames, 60 a second, then end\n"
    "  --screenshot FILE  write the last of them as a BMP file\n"
    "  --headless         no window, for tests and pictures; wants --frames\n"
    "  --version          print the version\n"
    "  --help             this text\n";

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

// A host becomes part of a URL, so only what names and dotted addresses are made of will do.
static bool parse_server(const char *text, struct options *options)
{
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789.-_");
    int port = 0;
    if (length == 0 || length >= sizeof options->host)
        return false;
    if (text[length] == ':' && !parse_whole(text + length + 1, 1, UINT16_MAX, &port))
        return false;
    if (text[length] != ':' && text[length] != '\0')
        return false;
    snprintf(options->host, sizeof options->host, "%.*s", (int)length, text);
    options->port = (uint16_t)port;
    return true;
}

static const char *user_name(void)
{
    const char *user = getenv("USER");
    return user != NULL && user[0] != '\0' ? user : "player";
}

static struct options wrong(const char *what, const char *got)
{
    if (what != NULL)
        fprintf(stderr, "raim: %s, got '%s'\n", what, got);
    fputs("Try 'raim --help'.\n", stderr);
    return (struct options){.action = OPTIONS_WRONG};
}

static struct options told(const char *text)
{
    fputs(text, stdout);
    return (struct options){.action = OPTIONS_TOLD};
}

struct options options_parse(int argc, char **argv)
{
    enum {
        NAME = 256,
        ACCESS,
        REQUIRE_ENCRYPTION,
        KNOWN_SERVERS,
        SIZE,
        FRAMES,
        SCREENSHOT,
        HEADLESS
    };
    static const struct option known[] = {
        {"name", required_argument, NULL, NAME},
        {"access", required_argument, NULL, ACCESS},
        {"require-encryption", no_argument, NULL, REQUIRE_ENCRYPTION},
        {"known-servers", required_argument, NULL, KNOWN_SERVERS},
        {"size", required_argument, NULL, SIZE},
        {"frames", required_argument, NULL, FRAMES},
        {"screenshot", required_argument, NULL, SCREENSHOT},
        {"headless", no_argument, NULL, HEADLESS},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    uint8_t access[RAIM_ACCESS_BYTES];
    struct options options = {
        .host = "127.0.0.1", .name = user_name(), .width = 1280, .height = 720};
    for (int option; (option = getopt_long(argc, argv, "hV", known, NULL)) != -1;) {
        switch (option) {
        case NAME:
            options.name = optarg;
            break;
        case ACCESS:
            if (raim_link_read_access(optarg, access, sizeof access) == 0)
                return wrong("--access wants an access token", optarg);
            options.access = optarg;
            break;
        case REQUIRE_ENCRYPTION:
            options.require_encryption = true;
            break;
        case KNOWN_SERVERS:
            options.known_servers = optarg;
            break;
        case SIZE:
            if (!parse_size(optarg, &options.width, &options.height))
                return wrong("--size wants WIDTHxHEIGHT, from 320x180 to 16384x16384", optarg);
            break;
        case FRAMES:
            if (!parse_whole(optarg, 1, 1000000, &options.frames))
                return wrong("--frames wants a whole number from 1 to 1000000", optarg);
            break;
        case SCREENSHOT:
            options.screenshot = optarg;
            break;
        case HEADLESS:
            options.headless = true;
            break;
        case 'V':
            return told("raim " RAIM_VERSION "\n");
        case 'h':
            return told(USAGE);
        default:
            return wrong(NULL, NULL);
        }
    }
    if (argc - optind > 1)
        return wrong("one server at a time", argv[optind + 1]);
    if (optind < argc && !parse_server(argv[optind], &options))
        return wrong("a server is HOST or HOST:PORT", argv[optind]);
    if (options.headless && options.frames == 0)
        return wrong("--headless wants --frames", "none");
    if (options.screenshot != NULL && options.frames == 0)
        return wrong("--screenshot wants --frames", "none");
    return options;
}
