// SPDX-License-Identifier: MIT
// Keeps the services in an array.
#include "http_services.h"

#include <assert.h>
#include <stddef.h>

bool http_services_add(struct http_services *services, struct http_service service)
{
    assert(services->count < HTTP_MAX_SERVICES);
    if (service.context == NULL)
        return false;
    services->list[services->count++] = service;
    return true;
}

const struct http_service *http_services_find(const struct http_services *services,
                                              const char *path)
{
    for (int i = 0; i < services->count; i++)
        if (services->list[i].takes(path))
            return &services->list[i];
    return NULL;
}

bool http_service_answer(const struct http_service *service, const struct http_request *step)
{
    return service->answer(service->context, step);
}

void http_services_end(const struct http_services *services)
{
    for (int i = 0; i < services->count; i++)
        services->list[i].end(services->list[i].context);
}

void http_services_destroy(struct http_services *services)
{
    for (int i = 0; i < services->count; i++)
        services->list[i].destroy(services->list[i].context);
    services->count = 0;
}
