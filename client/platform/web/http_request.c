// SPDX-License-Identifier: MIT
// Requests by the page's fetch. Servers elsewhere must allow them (CORS).
#include "http_request.h"

#include "page.h"

#include <stdlib.h>
#include <string.h>

struct http_request {
    int number; // of the page; below 0: it cannot be made
    enum http_request_state state;
    size_t size;
    char *body;
};

struct http_request *http_request_begin(const struct http_request_def *def)
{
    struct http_request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return NULL;
    const char *json = def->json != NULL ? def->json : "";
    request->number = -1;
    if (def->only_connects) // a page cannot make a TCP handshake alone
        request->state = HTTP_REQUEST_FAILED;
    else
        request->number = page_begin_request(def->url, strlen(def->url), json, strlen(json),
                                             def->max_bytes, (int)def->timeout_ms);
    return request;
}

void http_request_destroy(struct http_request *request)
{
    if (request == NULL)
        return;
    if (request->number >= 0)
        page_end_request(request->number);
    free(request->body);
    free(request);
}

enum http_request_state http_request_poll(struct http_request *request)
{
    if (request->state != HTTP_REQUEST_PENDING)
        return request->state;
    const int status = page_request_status(request->number);
    if (status == 0)
        return HTTP_REQUEST_PENDING;
    request->state = HTTP_REQUEST_FAILED;
    request->size = status > 0 ? page_request_size(request->number) : 0;
    if (status > 0)
        request->body = malloc(request->size + 1);
    if (request->body != NULL) {
        page_request_body(request->number, request->body);
        request->body[request->size] = '\0';
        request->state = HTTP_REQUEST_ANSWERED;
    }
    return request->state;
}

void http_request_wait(struct http_request *request, int timeout_ms)
{
    (void)request; // a page never waits
    (void)timeout_ms;
}

long http_request_status(const struct http_request *request)
{
    return page_request_status(request->number);
}

const char *http_request_body(const struct http_request *request, size_t *size)
{
    *size = request->size;
    return request->body;
}

double http_request_connect_ms(const struct http_request *request)
{
    (void)request;
    return 0;
}

const char *http_request_problem(const struct http_request *request)
{
    (void)request;
    return "the request failed";
}
