// SPDX-License-Identifier: MIT
// Reads the headers by which browsers tell who makes them ask: Host, Origin, Sec-Fetch-Site.
#include "operator_page.h"

#include "http_answer.h"

#include <string.h>

static bool has_header(const struct http_request *step)
{
    return http_connection_header(step->connection, OPERATOR_PAGE_HEADER) != NULL;
}

const char *operator_page_via(const struct http_request *step)
{
    static const char raimctl[] = "raimctl/";
    const char *agent = http_connection_header(step->connection, "User-Agent");
    if (has_header(step))
        return "page";
    return agent != NULL && strncmp(agent, raimctl, sizeof raimctl - 1) == 0 ? "raimctl" : "api";
}

static bool is_foreign(const char *origin, const char *host, const char *site)
{
    static const struct http_guard without_names;
    if (site != NULL && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return true;
    return !http_guard_takes_origin(&without_names, origin, host);
}

static bool changes(const struct http_request *step)
{
    return strcmp(step->method, "GET") != 0 && strcmp(step->method, "HEAD") != 0;
}

bool operator_page_check(const struct http_guard *guard, const struct http_request *step,
                         bool *is_answered)
{
    const char *host = http_connection_header(step->connection, "Host");
    const char *origin = http_connection_header(step->connection, "Origin");
    const char *site = http_connection_header(step->connection, "Sec-Fetch-Site");
    *is_answered = true;
    if (guard != NULL && host != NULL && strchr(host, '.') != NULL &&
        !http_guard_takes_host(guard, host))
        return http_answer_send_problem(step->connection, HTTP_MISDIRECTED_REQUEST,
                                        "unknown host name: add it to http.hosts", NULL);
    if (is_foreign(origin, host, site))
        return http_answer_send_problem(step->connection, HTTP_FORBIDDEN,
                                        "requests from pages of another origin are rejected", NULL);
    if (changes(step) && (origin != NULL || site != NULL) && !has_header(step))
        return http_answer_send_problem(step->connection, HTTP_FORBIDDEN,
                                        "pages need the header " OPERATOR_PAGE_HEADER, NULL);
    *is_answered = false;
    return true;
}
