// SPDX-License-Identifier: MIT
// raim.wasm: the game in a page. The page's address has its options, and the page calls it in time.
#include "files_web.h"
#include "game.h"
#include "http_request.h"
#include "hud.h"
#include "page.h"
#include "page_gateway.h"
#include "platform.h"
#include "web.h"
#include "window_web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 600, RECORDING_MS = 120000, RECORDING_BYTES = 128 << 20, HTTP_OK = 200 };

// What precedes the game: the gateway's answer, or a recording on its way.
static struct {
    struct window *window;
    struct preferences preferences;
    struct game_def def;
    char name[TEXT_BYTES], access[TEXT_BYTES], matchmaker[TEXT_BYTES], follow[TEXT_BYTES];
    char gateway[TEXT_BYTES], hash[TEXT_BYTES], watch[TEXT_BYTES];
    struct http_request *download; // of the recording; NULL: none
    struct ui ui;                  // until the game has its own
    const char *title;             // of the problem
    char problem[TEXT_BYTES];      // why the link cannot be followed; "": none
    struct game *game;             // NULL: not yet
    bool has_ended;
} page;

// --- The page's address ---

#define ALPHANUMERIC "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// The options that are texts, and their characters; NULL: any. A link may be a stranger's, and most
// of them become part of a URL.
static const struct option {
    const char *name, *allowed;
    char *text;
} text_options[] = {
    {"name", NULL, page.name},
    {"follow", NULL, page.follow},
    {"access", ALPHANUMERIC "-_", page.access},
    {"matchmaker", ALPHANUMERIC "-._~:/[]", page.matchmaker},
    {"gateway", ALPHANUMERIC "-._:[]", page.gateway},
    {"hash", ALPHANUMERIC "+/=, ", page.hash},
    {"watch", ALPHANUMERIC "-._", page.watch},
};

// False for a wrong value, which changes nothing.
static bool take_text(const struct option *option, const char *value)
{
    const bool is_good = strlen(value) < TEXT_BYTES &&
                         (option->allowed == NULL || value[strspn(value, option->allowed)] == '\0');
    if (is_good)
        strcpy(option->text, value);
    return is_good;
}

static bool take_access(const struct option *option, const char *value)
{
    uint8_t access[RAIM_ACCESS_BYTES];
    return raim_link_read_access(value, access, sizeof access) > 0 && take_text(option, value);
}

static bool take_server(const char *value)
{
    struct server_address server;
    if (!server_address_read(value, &server))
        return false;
    snprintf(page.def.host, sizeof page.def.host, "%s", server.host);
    page.def.port = server.port;
    return true;
}

static bool take_option(const char *name, const char *value)
{
    if (strcmp(name, "server") == 0)
        return take_server(value);
    if (strcmp(name, "spectate") == 0)
        return page.def.watch = true;
    for (size_t i = 0; i < sizeof text_options / sizeof *text_options; i++) {
        const struct option *option = &text_options[i];
        if (strcmp(name, option->name) == 0)
            return option->text == page.access ? take_access(option, value)
                                               : take_text(option, value);
    }
    return true; // of another program, such as one that counts who follows a link
}

// Several hashes have commas between them. A "+" of base64 is a space in an address.
static void clean_hashes(char *hash)
{
    for (; *hash != '\0'; hash++)
        *hash = *hash == ' ' ? '+' : *hash == ',' ? ' ' : *hash;
}

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static void use_options(void)
{
    struct game_def *def = &page.def;
    if (page.problem[0] != '\0') { // a link is followed as a whole or leads home
        def->port = 0;
        page.matchmaker[0] = page.watch[0] = '\0';
    }
    def->name = text_or_null(page.name);
    def->matchmaker = text_or_null(page.matchmaker);
    def->follow = text_or_null(page.follow);
    def->access = text_or_null(page.access);
    clean_hashes(page.hash);
    gateway_choose(page.gateway, page.hash);
}

static void begin_download(void)
{
    char url[TEXT_BYTES + 16];
    snprintf(url, sizeof url, "/recordings/%s", page.watch);
    const struct http_request_def def = {
        .url = url, .max_bytes = RECORDING_BYTES, .timeout_ms = RECORDING_MS};
    page.download = http_request_begin(&def);
}

// --- Before the game ---

static void fail(const char *title, const char *problem)
{
    page.title = title;
    snprintf(page.problem, sizeof page.problem, "%s", problem);
    platform_say(page.problem);
}

static void fail_recording(const char *problem)
{
    page.def.recording = NULL;
    fail("This recording cannot be played", problem);
}

static void begin_game(void)
{
    char problem[256];
    page.game = game_begin(&page.def, page.window, &page.preferences, raim_link_now_us(), problem,
                           sizeof problem);
    if (page.game == NULL)
        fail_recording(problem);
    else
        ui_close(&page.ui);
}

static void take_recording(void)
{
    size_t size;
    char words[64];
    const enum http_request_state state = http_request_poll(page.download);
    const long status = state == HTTP_REQUEST_ANSWERED ? http_request_status(page.download) : 0;
    if (state == HTTP_REQUEST_PENDING)
        return;
    if (status == HTTP_OK) {
        const char *body = http_request_body(page.download, &size);
        uint8_t *bytes = malloc(size);
        if (bytes != NULL) {
            memcpy(bytes, body, size);
            page.def.recording = files_keep_recording(page.watch, bytes, size);
        }
    }
    snprintf(words, sizeof words, "the site has no such recording (status %ld)", status);
    if (status == 0)
        fail_recording(http_request_problem(page.download));
    else if (page.def.recording == NULL)
        fail_recording(status == HTTP_OK ? "out of memory" : words);
    http_request_destroy(page.download);
    page.download = NULL;
}

// Begins the game as soon as there is all that it needs. Where the link cannot be followed, any key
// leads home.
static void prepare(void)
{
    struct window_event event;
    while (window_next_event(page.window, &event))
        if (event.kind == WINDOW_PRESSED)
            page.problem[0] = '\0';
    if (page.download != NULL)
        take_recording();
    else if (page.problem[0] == '\0' && page.def.recording == NULL)
        gateway_update(raim_link_now_us(), GATEWAY_PAUSE_US);
    const bool is_ready = page.def.recording != NULL || page.def.port == 0 || gateway_is_ready();
    if (page.download == NULL && page.problem[0] == '\0' && is_ready)
        begin_game();
}

static void draw_preparing(void)
{
    const struct ui_view view = {.size = {1600, 900}, .scale = page.preferences.settings.ui_scale};
    const bool has_failed = page.problem[0] != '\0';
    if (!ui_begin(&page.ui, page.window, &view))
        return;
    hud_notice(&page.ui, &(struct hud_notice){has_failed ? page.title : "Loading ...",
                                              has_failed ? page.problem : page.watch,
                                              has_failed ? "Any key or a tap: home" : ""});
    ui_end(&page.ui, page.window, NULL);
}

// --- What the page calls ---

CALLED(option) void page_option(const char *name, const char *value);
CALLED(open) bool page_open(void);
CALLED(serve) bool page_serve(void); // false: the game has ended
CALLED(frame) bool page_frame(void); // likewise
CALLED(close) void page_close(void);
CALLED(report) const char *page_report(void);

// An option of the page's address; before it is opened.
void page_option(const char *name, const char *value)
{
    char problem[TEXT_BYTES];
    if (take_option(name, value))
        return;
    snprintf(problem, sizeof problem, "\"%s\" in its address is wrong. Ask for another link", name);
    fail("This link is damaged", problem);
}

bool page_open(void)
{
    page.window = window_open();
    if (page.window == NULL || !ui_open(&page.ui, page.window))
        return false;
    preferences_open(&page.preferences, page.window, true);
    use_options();
    if (page.watch[0] != '\0')
        begin_download();
    return true;
}

// When datagrams have arrived, after every event, and by a timer.
bool page_serve(void)
{
    if (page.game == NULL)
        prepare();
    else if (!page.has_ended)
        page.has_ended = !game_serve(page.game, raim_link_now_us());
    return !page.has_ended;
}

// When the display is to show another frame.
bool page_frame(void)
{
    if (!page_serve())
        return false;
    if (window_is_early(page.window, (double)raim_link_now_us() * 1e-6))
        return true;
    if (page.game == NULL)
        draw_preparing();
    else
        game_frame(page.game, raim_link_now_us(), NULL, false);
    return true;
}

// When the player leaves the page: says goodbye.
void page_close(void)
{
    if (page.game != NULL)
        game_quit(page.game);
}

// How the connection goes, as JSON, for whoever looks for a fault; "{}" without one.
const char *page_report(void)
{
    static char text[512];
    struct raim_link *link = page.game != NULL ? game_link(page.game) : NULL;
    if (link == NULL)
        return "{}";
    const struct raim_client *client = raim_link_client(link);
    const struct raim_client_stats *stats = raim_client_get_stats(client);
    const struct raim_client_quality quality = raim_client_get_quality(client);
    snprintf(text, sizeof text,
             "{\"state\": %d, \"alive\": %s, \"x\": %.2f, \"y\": %.2f, \"snapshots\": %llu, "
             "\"decode_errors\": %llu, \"predictions\": %llu, \"mispredictions\": %llu, "
             "\"shots\": %llu, \"hits\": %llu, \"deaths\": %llu, \"resumes\": %llu, "
             "\"entries\": %llu, \"round_trip_ms\": %.1f, \"largest_datagram\": %llu}",
             (int)raim_client_get_state(client), raim_client_alive(client) ? "true" : "false",
             raim_client_eye(client).x, raim_client_eye(client).y,
             (unsigned long long)stats->snapshots, (unsigned long long)stats->decode_errors,
             (unsigned long long)quality.predictions, (unsigned long long)quality.mispredictions,
             (unsigned long long)stats->shots, (unsigned long long)stats->hits,
             (unsigned long long)stats->deaths, (unsigned long long)stats->resumes,
             (unsigned long long)stats->entries, quality.round_trip_ms,
             (unsigned long long)raim_link_get_traffic(link).largest_datagram);
    return text;
}
