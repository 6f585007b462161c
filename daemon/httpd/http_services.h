// SPDX-License-Identifier: MIT
// Registry of services over HTTP. A module registers the paths that it answers, so that the server
// need not know the module. Main thread only.
#pragma once

#include "http_listener.h"

#include <stdbool.h>

#define HTTP_MAX_SERVICES 4

struct http_service {
    bool (*takes)(const char *path);
    // Serves a step of a GET or HEAD request for a taken path, see struct http_listener_def.
    bool (*answer)(void *context, const struct http_request *step);
    void (*end)(void *context); // resumes waiting connections; they end when a listener runs next
    void (*destroy)(void *context); // called when no connection waits
    void *context;
};

// Zero-initialize before use.
struct http_services {
    struct http_service list[HTTP_MAX_SERVICES];
    int count;
};

// Adds a service. Returns false for a context of NULL, for which memory ran out.
bool http_services_add(struct http_services *services, struct http_service service);

// The service of a path; NULL: none takes it.
const struct http_service *http_services_find(const struct http_services *services,
                                              const char *path);

// Answers a step of a request with a service.
bool http_service_answer(const struct http_service *service, const struct http_request *step);

void http_services_end(const struct http_services *services);
void http_services_destroy(struct http_services *services);
