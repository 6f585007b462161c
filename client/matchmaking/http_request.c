// SPDX-License-Identifier: MIT
// Makes HTTP requests with libcurl. No other file of the clients includes it.
#include "http_request.h"

#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HEADER_BYTES = 64 * 1024 };

struct http_request {
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    enum http_request_state state;
    long status;
    char *bytes;
    size_t size, capacity, most;
    size_t header_bytes;
    bool is_too_long;
    char problem[CURL_ERROR_SIZE];
};

static size_t receive(char *data, size_t one, size_t size, void *user)
{
    (void)one; // always 1
    struct http_request *request = user;
    request->is_too_long = size > request->most - request->size;
    if (request->is_too_long)
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

// Bounds the headers and trailers, which libcurl keeps.
static size_t receive_header(char *data, size_t one, size_t size, void *user)
{
    (void)data, (void)one;
    struct http_request *request = user;
    request->header_bytes += size;
    request->is_too_long = request->header_bytes > MAX_HEADER_BYTES;
    return request->is_too_long ? 0 : size;
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

// Like OpenSSL and the program curl, but unlike libcurl, which does not look into the environment.
static void trust_own_authorities(CURL *easy)
{
    const char *file = getenv("SSL_CERT_FILE");
    if (file != NULL && file[0] != '\0')
        curl_easy_setopt(easy, CURLOPT_CAINFO, file);
}

struct http_request *http_request_begin(const struct http_request_def *def)
{
    struct http_request *request = calloc(1, sizeof *request);
    if (request == NULL)
        return NULL;
    request->most = def->max_bytes;
    request->multi = curl_multi_init();
    request->easy = curl_easy_init();
    if (request->multi == NULL || request->easy == NULL ||
        curl_easy_setopt(request->easy, CURLOPT_URL, def->url) != CURLE_OK)
        goto failed;
    restrict_protocols(request->easy);
    trust_own_authorities(request->easy);
    if (def->avoids_proxy)
        curl_easy_setopt(request->easy, CURLOPT_NOPROXY, "*");
    if (def->only_connects)
        curl_easy_setopt(request->easy, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(request->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(request->easy, CURLOPT_TIMEOUT_MS, def->timeout_ms);
    curl_easy_setopt(request->easy, CURLOPT_ERRORBUFFER, request->problem);
    curl_easy_setopt(request->easy, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(request->easy, CURLOPT_HEADERDATA, request);
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
    if (request->is_too_long)
        request->problem[0] = '\0';
    if (code != CURLE_OK) {
        fail(request, request->is_too_long ? "the answer is too long" : curl_easy_strerror(code));
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

void http_request_wait(struct http_request *request, int timeout_ms)
{
    curl_multi_poll(request->multi, NULL, 0, timeout_ms, NULL);
}

double http_request_connect_ms(const struct http_request *request)
{
    double found_s = 0, connected_s = 0;
    curl_easy_getinfo(request->easy, CURLINFO_NAMELOOKUP_TIME, &found_s);
    curl_easy_getinfo(request->easy, CURLINFO_CONNECT_TIME, &connected_s);
    return connected_s > found_s ? 1000 * (connected_s - found_s) : 0;
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
