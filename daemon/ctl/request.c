// SPDX-License-Identifier: MIT
// Sends HTTP requests to the control socket with libcurl.
#define _GNU_SOURCE
#include "request.h"

#include <curl/curl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEADLINE_S = 10, URL_BYTES = 768 };

bool request_init(void)
{
    return curl_global_init(CURL_GLOBAL_NOTHING) == CURLE_OK;
}

// Where the body of a response goes.
struct sink {
    CURL *curl;
    FILE *file; // the body of a response with status 200; NULL: text, too
    FILE *text;
};

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    const struct sink *sink = context;
    long status = 0;
    curl_easy_getinfo(sink->curl, CURLINFO_RESPONSE_CODE, &status);
    return fwrite(bytes, size, count,
                  sink->file != NULL && status == 200 ? sink->file : sink->text);
}

static CURLcode perform(CURL *curl, const char *socket, const struct request *request,
                        struct sink *sink)
{
    char url[URL_BYTES];
    snprintf(url, sizeof url, "http://raimd%s", request->path);
    curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "raimctl/" RAIM_VERSION);
    if (sink->file == NULL)
        curl_easy_setopt(curl, CURLOPT_TIMEOUT,
                         request->seconds > 0 ? request->seconds : DEADLINE_S);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, request->is_endless ? 0L : 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)DEADLINE_S);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, sink);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    if (request->method != NULL)
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    if (request->body != NULL)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    return curl_easy_perform(curl);
}

bool request_send(const char *socket, const struct request *request, struct reply *reply)
{
    return request_download(socket, request, NULL, reply);
}

bool request_download(const char *socket, const struct request *request, FILE *file,
                      struct reply *reply)
{
    size_t size;
    *reply = (struct reply){0};
    CURL *curl = curl_easy_init();
    FILE *out = open_memstream(&reply->text, &size);
    struct sink sink = {.curl = curl, .file = file, .text = out};
    CURLcode code = CURLE_OUT_OF_MEMORY;
    long failure = 0; // errno of a failed connect
    if (curl != NULL && out != NULL)
        code = perform(curl, socket, request, &sink);
    if (code == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply->status);
    else if (code == CURLE_COULDNT_CONNECT)
        curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &failure);
    if (out != NULL && fclose(out) != 0)
        code = CURLE_OUT_OF_MEMORY;
    curl_easy_cleanup(curl);
    if (code == CURLE_OK)
        return true;
    snprintf(reply->why, sizeof reply->why, "%s",
             failure > 0 ? strerror((int)failure) : curl_easy_strerror(code));
    free(reply->text);
    reply->text = NULL;
    return false;
}
