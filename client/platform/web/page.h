// SPDX-License-Identifier: MIT
// What the page's JavaScript (client/page) does for the platform. It decides nothing. Texts are
// passed as UTF-8 and their number of bytes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE(name) __attribute__((import_module("page"), import_name(#name)))

// --- Drawing ---

// The width of some words, pixels.
PAGE(measure) int page_measure(const char *words, size_t size, int em, bool is_bold);
// Puts white letters with a dark outline into a sheet of images. Writes width and height without
// the outline, the sheet (-1: nothing to draw), and the place there.
PAGE(make_line)
void page_make_line(const char *words, size_t size, int em, bool is_bold, int outline, int out[5]);
PAGE(free_line) void page_free_line(int sheet, int x, int y);
// A frame, as canvas.c collects it; sizes in bytes.
PAGE(draw)
void page_draw(const void *corners, size_t corners_size, const void *indices, size_t indices_size,
               const void *commands, size_t commands_size);

// --- The window ---

PAGE(take_text) void page_take_text(bool wanted);
PAGE(show_pointer) void page_show_pointer(bool shown, bool locked);
PAGE(fill_screen) void page_fill_screen(bool full);
// Shakes the first gamepad, where the browser can, by a strength of 0 to 1.
PAGE(rumble) void page_rumble(double strength, double ms);
// Tells a screen reader.
PAGE(say) void page_say(const char *words, size_t size);
// Writes the date and time of the player's place, at most `capacity` bytes, and returns their
// number.
PAGE(write_date) size_t page_write_date(double unix_s, char *text, size_t capacity);

// --- Sounds ---

PAGE(load_sound) void page_load_sound(int kind, const int16_t *samples, size_t count, int hz);
PAGE(play_sound) void page_play_sound(int kind, double left, double right);
PAGE(set_volume) void page_set_volume(double amplitude);

// --- Small texts that outlive the page, by their names ---

// The size, and the text if it fits; below 0: there is none.
PAGE(load) int page_load(const char *name, size_t name_size, char *text, size_t capacity);
PAGE(store)
bool page_store(const char *name, size_t name_size, const char *text, size_t size);

// --- HTTP requests ---

// Without cookies. An answer of more than `max_bytes` fails.
PAGE(begin_request)
int page_begin_request(const char *url, size_t size, const char *json, size_t json_size,
                       size_t max_bytes, int timeout_ms);
PAGE(request_status) int page_request_status(int request); // 0: pending, below 0: failed
PAGE(request_size) size_t page_request_size(int request);
PAGE(request_body) void page_request_body(int request, char *body);
PAGE(end_request) void page_end_request(int request);

// --- Datagrams, by sessions of WebTransport ---

PAGE(can_connect) bool page_can_connect(void);
// `hashes`: SHA-256 of the certificates that are trusted, in base64 with spaces between them; "":
// those of an authority.
PAGE(open_session)
int page_open_session(const char *url, size_t size, const char *hashes, size_t hashes_size);
enum { PAGE_SESSION_OPENING, PAGE_SESSION_OPEN, PAGE_SESSION_CLOSED };
PAGE(session_state) int page_session_state(int session);
PAGE(close_session) void page_close_session(int session);
PAGE(send) bool page_send(int session, const uint8_t *data, size_t size);
PAGE(receive)
int page_receive(int session, uint8_t *data, size_t capacity); // below 0: nothing waits
