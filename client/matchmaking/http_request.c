// SPDX-License-Identifier: MIT
// Makes HTTP requests with libcurl. No other file of the clients includes it.
#include "http_request.h"

#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 32 << 20 };

struct http_request {
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    enum http_request_state state;
    long status;
    char *bytes;
    size_t size, capacity;
    char problem[CURL_ERROR_SIZE];
};

static size_t receive(char *data, size_t one, size_t size, void *user)
{
    (void)one; // always 1
    struct http_request *request = user;
    if (size > MAX_BYTES - request->size)
        return 0;
    if (request->size + size > request->capacity) {
        const size_t capacity = 2 * (request->size + size);
        char *bytes = realloc(request->bytes, capacity);
        if (bytes == NULL)
            return 0;
        request->bytes = bytes;
        request->capacity = capacity;
    }
    memcpy(request->bytes + request->size, data, size);
    request->size += size;
    return size;
}

static void restrict_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static bool set_body(struct http_request *request, const char *json)
{
    request->headers = curl_slist_append(NULL, "Content-Type: application/json");
    curl_easy_setopt(request->easy, CURLOPT_HTTPHEADER, request->headers);
    return request->headers != NULL &&
           curl_easy_setopt(request->easy, CURLOPT_COPYPOSTFIELDS, json) == CURLE_OK;
}

struct http_request *http_request_begin(const struct http_request_def *def)
{
    struct http_request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return NULL;
    request->multi = curl_multi_init();
    request->easy = curl_easy_init();
    if (request->multi == NULL || request->easy == NULL ||
        curl_easy_setopt(request->easy, CURLOPT_URL, def->url) != CURLE_OK)
        goto failed;
    restrict_protocols(request->easy);
    if (def->avoids_proxy)
        curl_easy_setopt(request->easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(request->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(request->easy, CURLOPT_TIMEOUT_MS, def->timeout_ms);
    curl_easy_setopt(request->easy, CURLOPT_ERRORBUFFER, request->problem);
    curl_easy_setopt(request->easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(request->easy, CURLOPT_WRITEDATA, request);
    if ((def->json != NULL && !set_body(request, def->json)) ||
        curl_multi_add_handle(request->multi, request->easy) != CURLM_OK)
        goto failed;
    return request;

failed:
    http_request_destroy(request);
    return NULL;
}

void http_request_destroy(struct http_request *request)
{
    if (request == NULL)
        return;
    if (request->multi != NULL && request->easy != NULL)
        curl_multi_remove_handle(request->multi, request->easy);
    curl_easy_cleanup(request->easy);
    curl_multi_cleanup(request->multi);
    curl_slist_free_all(request->headers);
    free(request->bytes);
    free(request);
}

static void fail(struct http_request *request, const char *problem)
{
    request->state = HTTP_REQUEST_FAILED;
    if (request->problem[0] == '\0')
        snprintf(request->problem, sizeof request->problem, "%s", problem);
}

static void finish(struct http_request *request, CURLcode code)
{
    if (code != CURLE_OK) {
        fail(request, curl_easy_strerror(code));
        return;
    }
    curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &request->status);
    request->state = HTTP_REQUEST_ANSWERED;
}

enum http_request_state http_request_poll(struct http_request *request)
{
    int running = 0, left = 0;
    if (request->state != HTTP_REQUEST_PENDING)
        return request->state;
    if (curl_multi_perform(request->multi, &running) != CURLM_OK)
        fail(request, "out of memory");
    const CURLMsg *message = curl_multi_info_read(request->multi, &left);
    if (message != NULL && message->msg == CURLMSG_DONE)
        finish(request, message->data.result);
    return request->state;
}

long http_request_status(const struct http_request *request)
{
    return request->status;
}

const char *http_request_body(const struct http_request *request, size_t *size)
{
    *size = request->size;
    return request->bytes;
}

const char *http_request_problem(const struct http_request *request)
{
    return request->problem;
}
