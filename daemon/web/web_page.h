// SPDX-License-Identifier: MIT
// The page's files: those of a directory and its subdirectories, kept in memory, with the copies
// beside them that are compressed (.br, .gz). Nothing else of the machine can be read. Main thread
// only.
#pragma once

#include <stdbool.h>

struct MHD_Connection;
struct web_page;

enum { WEB_PAGE_MAX_FILES = 256, WEB_PAGE_MAX_BYTES = 64 << 20 };

// Creates an empty page of a directory, which is borrowed. NULL when memory runs out.
struct web_page *web_page_create(const char *directory);

// Takes NULL.
void web_page_destroy(struct web_page *page);

// Reads the files if the directory has changed. Returns whether it has.
bool web_page_update(struct web_page *page);

// The number of files.
int web_page_count(const struct web_page *page);

// Answers a GET or HEAD request. False if there is no such file; else `is_sent` is what a request
// handler returns. "/" is /index.html.
bool web_page_answer(struct web_page *page, struct MHD_Connection *connection, const char *path,
                     bool *is_sent);
