// SPDX-License-Identifier: MIT
// Route table and the functions that render each route.
#define _GNU_SOURCE
#include "http_routes.h"

#include "last_hour.h"
#include "live_json.h"
#include "metrics.h"
#include "status.h"
#include "summary_json.h"

#include <assert.h>
#include <string.h>

static struct http_rendering render_status(const struct status_view *view, const char *name,
                                           uint64_t now_ms)
{
    (void)name;
    return (struct http_rendering){HTTP_OK, status_json(view, now_ms)};
}

static struct http_rendering render_arena(const struct status_view *view, const char *name,
                                          uint64_t now_ms)
{
    (void)now_ms;
    bool missing;
    char *text = status_arena_json(view->list, name, &missing);
    return (struct http_rendering){missing ? HTTP_NOT_FOUND : HTTP_OK, text};
}

static struct http_rendering render_map(const struct status_view *view, const char *name,
                                        uint64_t now_ms)
{
    (void)now_ms;
    bool missing;
    char *text = live_map_json(view->list, name, &missing);
    return (struct http_rendering){missing ? HTTP_NOT_FOUND : HTTP_OK, text};
}

static struct http_rendering render_summary(const struct status_view *view, const char *name,
                                            uint64_t now_ms)
{
    (void)name;
    return (struct http_rendering){HTTP_OK, summary_json(view, now_ms)};
}

static struct http_rendering render_history(const struct status_view *view, const char *name,
                                            uint64_t now_ms)
{
    (void)name;
    return (struct http_rendering){HTTP_OK, last_hour_json(view->last_hour, now_ms)};
}

static struct http_rendering render_arena_history(const struct status_view *view, const char *name,
                                                  uint64_t now_ms)
{
    bool missing;
    char *text = last_hour_arena_json(view->last_hour, name, now_ms, &missing);
    return (struct http_rendering){missing ? HTTP_NOT_FOUND : HTTP_OK, text};
}

static struct http_rendering render_metrics(const struct status_view *view, const char *name,
                                            uint64_t now_ms)
{
    (void)name;
    return (struct http_rendering){HTTP_OK, metrics_text(view, now_ms)};
}

static struct http_rendering render_health(const struct status_view *view, const char *name,
                                           uint64_t now_ms)
{
    (void)name;
    return (struct http_rendering){HTTP_OK, status_health_json(view, now_ms)};
}

static struct http_rendering render_readiness(const struct status_view *view, const char *name,
                                              uint64_t now_ms)
{
    (void)name;
    bool ready;
    char *text = status_ready_json(view, now_ms, &ready);
    return (struct http_rendering){ready ? HTTP_OK : HTTP_UNAVAILABLE, text};
}

static const struct http_route routes[] = {
    {"/status", "", HTTP_JSON_TYPE, render_status},
    {"/arenas/", "", HTTP_JSON_TYPE, render_arena},
    {"/arenas/", "/map", HTTP_JSON_TYPE, render_map},
    {"/arenas/", "/history", HTTP_JSON_TYPE, render_arena_history},
    {"/summary", "", HTTP_JSON_TYPE, render_summary},
    {"/history", "", HTTP_JSON_TYPE, render_history},
    {"/metrics", "", METRICS_TYPE, render_metrics},
    {"/healthz", "", HTTP_JSON_TYPE, render_health},
    {"/readyz", "", HTTP_JSON_TYPE, render_readiness},
};

#define ROUTES (sizeof routes / sizeof *routes)
static_assert(ROUTES <= HTTP_MAX_ROUTES, "each route has a page slot");

bool http_path_matches(const char *path, const char *head, const char *tail,
                       char name[CONFIG_NAME_BYTES])
{
    const size_t head_size = strlen(head), tail_size = strlen(tail), size = strlen(path);
    *name = '\0';
    if (head[head_size - 1] != '/')
        return strcmp(path, head) == 0;
    if (strncmp(path, head, head_size) != 0 || size <= head_size + tail_size ||
        size - head_size - tail_size >= CONFIG_NAME_BYTES ||
        strcmp(path + size - tail_size, tail) != 0)
        return false;
    memcpy(name, path + head_size, size - head_size - tail_size);
    name[size - head_size - tail_size] = '\0';
    return strchr(name, '/') == NULL;
}

const struct http_route *http_route_find(const char *path, char name[CONFIG_NAME_BYTES])
{
    for (size_t i = 0; i < ROUTES; i++)
        if (http_path_matches(path, routes[i].path, routes[i].tail, name))
            return &routes[i];
    return NULL;
}
