// SPDX-License-Identifier: MIT
// Reads the page's files and answers requests for them.
#define _GNU_SOURCE // st_mtim
#include "web_page.h"

#include "http_answer.h"
#include "http_document.h"
#include "http_listener.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 4, NAME_BYTES = 128, CODINGS = 3 };

// The best first. The last one is the file itself.
static const struct {
    const char *name, *suffix, *tag;
} codings[CODINGS] = {{"br", ".br", "-br"}, {"gzip", ".gz", "-gz"}, {"identity", "", ""}};

struct form {
    struct MHD_Response *response; // NULL: none
    struct MHD_Response *unchanged;
    char tag[32]; // with its quotes
};

struct file {
    char path[NAME_BYTES]; // in a request
    struct form forms[CODINGS];
};

struct web_page {
    const char *directory;
    uint64_t version; // of what the directory holds
    int count;
    size_t bytes;
    struct file files[WEB_PAGE_MAX_FILES];
};

static const char *type_of(const char *path)
{
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".json", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".txt", "text/plain; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
    };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending != NULL && i < sizeof types / sizeof *types; i++)
        if (strcmp(ending, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

// FNV-1a. It tells versions of the operator's own files from each other.
static uint64_t hash(uint64_t value, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        value = (value ^ at[i]) * UINT64_C(1099511628211);
    return value;
}

#define HASH_BEGIN UINT64_C(14695981039346656037)

// --- Reading ---

static bool add_headers(struct MHD_Response *response, int coding, const char *tag)
{
    // The page has a policy of its own, but in that one this directive would be ignored.
    return http_answer_add_header(response, "Content-Security-Policy", "frame-ancestors 'none'") &&
           http_answer_add_header(response, "Vary", "Accept-Encoding") &&
           http_answer_add_header(response, "ETag", tag) &&
           (coding == CODINGS - 1 ||
            http_answer_add_header(response, "Content-Encoding", codings[coding].name));
}

// Takes the bytes. Without memory the form is missing.
static void set_form(struct file *file, int coding, char *bytes, size_t size)
{
    struct form *form = &file->forms[coding];
    const char *type = type_of(file->path);
    snprintf(form->tag, sizeof form->tag, "\"%016" PRIx64 "%s\"", hash(HASH_BEGIN, bytes, size),
             codings[coding].tag);
    form->response = http_answer_bytes(type, bytes, size, true);
    form->unchanged = http_answer_constant(type, "", true);
    if (form->response != NULL && form->unchanged != NULL &&
        add_headers(form->response, coding, form->tag) &&
        http_answer_add_header(form->unchanged, "ETag", form->tag))
        return;
    http_answer_release(form->response);
    form->response = NULL;
}

static char *read_all(const char *path, size_t size)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char *bytes = descriptor >= 0 ? malloc(size + 1) : NULL;
    if (bytes != NULL && read(descriptor, bytes, size) != (ssize_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (descriptor >= 0)
        close(descriptor);
    return bytes;
}

// The coding of a file by its name, and the length of the name without the suffix.
static int coding_of(const char *path, size_t *length)
{
    *length = strlen(path);
    for (int i = 0; i < CODINGS - 1; i++) {
        const size_t suffix = strlen(codings[i].suffix);
        if (*length > suffix && strcmp(path + *length - suffix, codings[i].suffix) == 0) {
            *length -= suffix;
            return i;
        }
    }
    return CODINGS - 1;
}

static void add_file(struct web_page *page, const char *full, const char *path,
                     const struct stat *status)
{
    size_t length;
    const int coding = coding_of(path, &length);
    const size_t size = (size_t)status->st_size;
    int index = 0;
    while (index < page->count && (strlen(page->files[index].path) != length ||
                                   strncmp(page->files[index].path, path, length) != 0))
        index++;
    if (length >= NAME_BYTES || index == WEB_PAGE_MAX_FILES ||
        size > WEB_PAGE_MAX_BYTES - page->bytes)
        return;
    char *bytes = read_all(full, size);
    if (bytes == NULL)
        return;
    if (index == page->count) {
        snprintf(page->files[index].path, NAME_BYTES, "%.*s", (int)length, path);
        page->count++;
    }
    page->bytes += size;
    set_form(&page->files[index], coding, bytes, size);
}

// Visits the files below a directory, `path` in requests: adds them, or only adds to `version`.
static void visit(struct web_page *page, const char *path, int depth, uint64_t *version)
{
    char full[PATH_MAX], inner[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", page->directory, path);
    DIR *directory = opendir(full);
    if (directory == NULL)
        return;
    uint64_t sum = 0; // the order of the entries does not matter
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        struct stat status;
        if (entry->d_name[0] == '.' ||
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner ||
            snprintf(full, sizeof full, "%s%s", page->directory, inner) >= (int)sizeof full ||
            stat(full, &status) != 0)
            continue;
        if (S_ISDIR(status.st_mode) && depth < MAX_DEPTH) {
            visit(page, inner, depth + 1, version);
        } else if (S_ISREG(status.st_mode) && version == NULL) {
            add_file(page, full, inner, &status);
        } else if (S_ISREG(status.st_mode)) {
            uint64_t its = hash(HASH_BEGIN, inner, strlen(inner));
            its = hash(its, &status.st_mtim, sizeof status.st_mtim);
            sum += hash(its, &status.st_size, sizeof status.st_size);
        }
    }
    closedir(directory);
    if (version != NULL)
        *version += sum;
}

static void clear(struct web_page *page)
{
    for (int i = 0; i < page->count; i++)
        for (int k = 0; k < CODINGS; k++) {
            http_answer_release(page->files[i].forms[k].response);
            http_answer_release(page->files[i].forms[k].unchanged);
            page->files[i].forms[k] = (struct form){0};
        }
    page->count = 0;
    page->bytes = 0;
}

struct web_page *web_page_create(const char *directory)
{
    struct web_page *page = calloc(1, sizeof *page);
    if (page != NULL)
        page->directory = directory;
    return page;
}

void web_page_destroy(struct web_page *page)
{
    if (page == NULL)
        return;
    clear(page);
    free(page);
}

bool web_page_update(struct web_page *page)
{
    uint64_t version = 0;
    if (page->directory[0] == '\0')
        return false;
    visit(page, "", 0, &version);
    if (version == page->version)
        return false;
    page->version = version;
    clear(page);
    visit(page, "", 0, NULL);
    return true;
}

int web_page_count(const struct web_page *page)
{
    return page->count;
}

// --- Answers ---

static bool is_unchanged(const struct form *form, struct MHD_Connection *connection)
{
    const struct http_conditions conditions = {
        .if_none_match = http_connection_header(connection, "If-None-Match")};
    return http_conditions_select(&conditions, form->tag, 0).status == HTTP_NOT_MODIFIED;
}

bool web_page_answer(struct web_page *page, struct MHD_Connection *connection, const char *path,
                     bool *is_sent)
{
    const struct file *file = NULL;
    const char *wanted = strcmp(path, "/") == 0 ? "/index.html" : path;
    const char *accepted = http_connection_header(connection, "Accept-Encoding");
    for (int i = 0; i < page->count && file == NULL; i++)
        if (strcmp(page->files[i].path, wanted) == 0)
            file = &page->files[i];
    for (int i = 0; file != NULL && i < CODINGS; i++) {
        const struct form *form = &file->forms[i];
        if (form->response == NULL ||
            (i < CODINGS - 1 && !http_coding_is_accepted(accepted, codings[i].name)))
            continue;
        *is_sent = is_unchanged(form, connection)
                       ? http_answer_send(connection, HTTP_NOT_MODIFIED, form->unchanged)
                       : http_answer_send(connection, HTTP_OK, form->response);
        return true;
    }
    return false;
}
