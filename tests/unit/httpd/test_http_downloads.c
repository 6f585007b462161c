// SPDX-License-Identifier: MIT
// Tests of downloads over real sockets: bytes and headers, limits, slow clients, and files that
// vanish or shrink meanwhile.
#define _GNU_SOURCE
#include "http_downloads.h"

#include "http_answer.h"
#include "http_clients.h"
#include "http_listener.h"
#include "loop.h"
#include "monotonic.h"
#include "socket_address.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEADLINE_MS 30000U
#define FILE_BYTES ((size_t)3 << 20)

enum { MAX = 4, MAX_OF_ADDRESS = 3 };

// A server of one file.
static struct {
    struct loop *loop;
    struct http_listener *listener;
    struct http_downloads *downloads;
    uint16_t port;
    char path[64];
    char *bytes; // of the file
} server;

static bool answer(void *context, const struct http_request *request)
{
    (void)context;
    if (*request->memory == NULL) {
        *request->memory = &server;
        return true;
    }
    http_connection_renew(request->connection);
    const int file = open(server.path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return http_answer_send_problem(request->connection, HTTP_NOT_FOUND, "not found", NULL);
    return http_downloads_answer(server.downloads, request->connection,
                                 strcmp(request->method, "HEAD") == 0, file, "yard.raimrec");
}

static void start_with(unsigned max_of_address, uint64_t bytes_per_s)
{
    char error[128] = "";
    strcpy(server.path, "/tmp/raimd-download-XXXXXX");
    const int file = mkstemp(server.path);
    server.bytes = malloc(FILE_BYTES);
    assert_true(file >= 0 && server.bytes != NULL);
    for (size_t i = 0; i < FILE_BYTES; i++)
        server.bytes[i] = (char)(i * 2654435761U >> 13);
    assert_int_equal(write(file, server.bytes, FILE_BYTES), FILE_BYTES);
    close(file);
    const struct http_downloads_def limits = {
        .max = MAX, .max_of_address = max_of_address, .bytes_per_s = bytes_per_s};
    server.loop = loop_create();
    server.downloads = http_downloads_create(server.loop, &limits);
    const int socket = listen_socket_tcp("127.0.0.1", 0, error, sizeof error);
    assert_true(socket >= 0);
    server.port = listen_socket_port(socket);
    const struct http_listener_def def = {.loop = server.loop,
                                          .socket = socket,
                                          .max_connections = HTTP_MAX_CLIENTS,
                                          .answer = answer};
    server.listener = http_listener_start(&def);
    assert_non_null(server.listener);
}

static void start(void)
{
    start_with(MAX_OF_ADDRESS, 0);
}

static void stop(void)
{
    http_downloads_close(server.downloads);
    http_listener_stop(server.listener);
    http_downloads_destroy(server.downloads);
    loop_destroy(server.loop);
    unlink(server.path);
    free(server.bytes);
}

TEST_EACH(start, stop)

// Starts it anew with other limits.
static void restart(unsigned max_of_address, uint64_t bytes_per_s)
{
    stop();
    start_with(max_of_address, bytes_per_s);
}

static void serve(int longest_ms)
{
    loop_wait(server.loop, longest_ms);
}

// --- Clients ---

struct client {
    int socket;
    char *text; // received
    size_t size, capacity;
    bool is_over; // the server has closed the connection
};

static void forget(void *client)
{
    struct client *gone = client;
    if (gone->socket >= 0)
        close(gone->socket);
    free(gone->text);
    free(gone);
}

// The client is forgotten after the test.
static struct client *ask(const char *method, const char *headers)
{
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(server.port)};
    char request[12288];
    const int buffer = 1 << 17; // so that what is not read stays with the server
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct client *client = calloc(1, sizeof *client);
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    client->capacity = FILE_BYTES + 65536;
    client->text = malloc(client->capacity);
    assert_non_null(client->text);
    test_at_end(forget, client);
    setsockopt(client->socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    assert_int_equal(connect(client->socket, (const struct sockaddr *)&name, sizeof name), 0);
    const int size =
        snprintf(request, sizeof request, "%s / HTTP/1.1\r\nHost: x\r\n%sConnection: close\r\n\r\n",
                 method, headers);
    assert_int_equal(send(client->socket, request, (size_t)size, MSG_NOSIGNAL), size);
    return client;
}

// Receives at most `most` bytes of what has arrived.
static size_t receive(struct client *client, size_t most)
{
    const size_t left = client->capacity - 1 - client->size;
    const ssize_t count =
        recv(client->socket, client->text + client->size, most < left ? most : left, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN))
        client->is_over = true;
    client->size += count > 0 ? (size_t)count : 0;
    client->text[client->size] = '\0';
    return count > 0 ? (size_t)count : 0;
}

static struct client *receive_all(struct client *client)
{
    const uint64_t deadline_ms = monotonic_ms() + DEADLINE_MS;
    while (!client->is_over) {
        receive(client, SIZE_MAX);
        serve(5);
        assert_true(monotonic_ms() < deadline_ms);
    }
    return client;
}

static int status_of(const struct client *client)
{
    return client->size > 12 ? atoi(client->text + strlen("HTTP/1.1 ")) : 0;
}

// Serves until a client has received the beginning of its answer.
static int await_status(struct client *client)
{
    const uint64_t deadline_ms = monotonic_ms() + DEADLINE_MS;
    while (client->size < 1024 && !client->is_over) {
        receive(client, 1024 - client->size);
        serve(5);
        assert_true(monotonic_ms() < deadline_ms);
    }
    return status_of(client);
}

static const char *body_of(const struct client *client, size_t *size)
{
    const char *end = strstr(client->text, "\r\n\r\n");
    assert_non_null(end);
    *size = client->size - (size_t)(end + 4 - client->text);
    return end + 4;
}

static void assert_body(const struct client *client, size_t first, size_t count)
{
    size_t size;
    const char *body = body_of(client, &size);
    assert_int_equal(size, count);
    assert_memory_equal(body, server.bytes + first, count);
}

static void assert_header(const struct client *client, const char *header)
{
    if (strstr(client->text, header) == NULL)
        fail_msg("no %s in %.600s", header, client->text);
}

// --- Tests ---

TEST(whole_file_has_the_headers_of_a_download)
{
    struct client *client = receive_all(ask("GET", ""));
    assert_int_equal(status_of(client), 200);
    assert_header(client, "\r\nContent-Length: 3145728\r\n");
    assert_header(client, "\r\nContent-Type: application/octet-stream\r\n");
    assert_header(client, "\r\nContent-Disposition: attachment; filename=\"yard.raimrec\"\r\n");
    assert_header(client, "\r\nX-Content-Type-Options: nosniff\r\n");
    assert_header(client, "\r\nAccept-Ranges: bytes\r\n");
    assert_header(client, "\r\nCache-Control: no-cache\r\n");
    assert_body(client, 0, FILE_BYTES);
}

static void assert_part(const char *headers, size_t first, size_t count)
{
    char wanted[96];
    struct client *client = receive_all(ask("GET", headers));
    assert_int_equal(status_of(client), 206);
    snprintf(wanted, sizeof wanted, "\r\nContent-Range: bytes %zu-%zu/3145728\r\n", first,
             first + count - 1);
    assert_header(client, wanted);
    snprintf(wanted, sizeof wanted, "\r\nContent-Length: %zu\r\n", count);
    assert_header(client, wanted);
    assert_body(client, first, count);
}

TEST(parts_are_sent_alone)
{
    assert_part("Range: bytes=0-0\r\n", 0, 1);
    assert_part("Range: bytes=65535-65537\r\n", 65535, 3);
    assert_part("Range: bytes=-100000\r\n", FILE_BYTES - 100000, 100000);
    assert_part("Range: bytes=1000000-\r\n", 1000000, FILE_BYTES - 1000000);
}

// Thousands of ranges cost no more than the file.
TEST(many_ranges_are_the_file_once)
{
    char headers[4096] = "Range: bytes=0-0";
    while (strlen(headers) < 4000)
        strcat(headers, ",0-0");
    strcat(headers, "\r\n");
    struct client *client = receive_all(ask("GET", headers));
    assert_int_equal(status_of(client), 200);
    assert_body(client, 0, FILE_BYTES);
}

// Copies the entity tag of an answer.
static void read_tag(const struct client *client, char tag[64])
{
    const char *header = strstr(client->text, "\r\nETag: ");
    assert_non_null(header);
    assert_int_equal(sscanf(header, "\r\nETag: %63[^\r]", tag), 1);
}

TEST(broken_download_goes_on_where_it_ended)
{
    char tag[64], headers[160];
    struct client *client = ask("GET", "");
    assert_int_equal(await_status(client), 200);
    read_tag(client, tag);
    snprintf(headers, sizeof headers, "Range: bytes=5000-\r\nIf-Range: %s\r\n", tag);
    assert_part(headers, 5000, FILE_BYTES - 5000);

    assert_int_equal(truncate(server.path, FILE_BYTES / 2), 0); // another file by now
    client = receive_all(ask("GET", headers));
    assert_int_equal(status_of(client), 200);
    assert_body(client, 0, FILE_BYTES / 2);
}

TEST(file_that_vanishes_is_still_sent)
{
    struct client *client = ask("GET", "");
    assert_int_equal(await_status(client), 200);
    assert_int_equal(unlink(server.path), 0);
    receive_all(client);
    assert_body(client, 0, FILE_BYTES);
    client = ask("GET", "");
    assert_int_equal(await_status(client), 404);
}

TEST(file_that_shrinks_ends_the_connection)
{
    size_t size;
    struct client *client = ask("GET", "");
    assert_int_equal(await_status(client), 200);
    assert_int_equal(truncate(server.path, FILE_BYTES / 2), 0);
    receive_all(client);
    assert_header(client, "\r\nContent-Length: 3145728\r\n");
    body_of(client, &size);
    assert_in_range(size, 1, FILE_BYTES / 2);
    client = ask("HEAD", "");
    assert_int_equal(await_status(client), 200);
}

TEST(downloads_of_an_address_are_limited)
{
    struct client *clients[MAX_OF_ADDRESS];
    for (int i = 0; i < MAX_OF_ADDRESS; i++) {
        clients[i] = ask("GET", "");
        assert_int_equal(await_status(clients[i]), 200);
    }
    struct client *more = receive_all(ask("GET", ""));
    assert_int_equal(status_of(more), 503);
    assert_header(more, "\r\nRetry-After: 10\r\n");
    receive_all(clients[0]);
    more = receive_all(ask("GET", ""));
    assert_body(more, 0, FILE_BYTES);
}

static long resident_kb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// Of many clients that ask and do not read, MAX get a download, and the others an answer.
TEST(hundreds_of_slow_clients_keep_little)
{
    enum { CLIENTS = 150 };
    struct client *clients[CLIENTS];
    int downloads = 0;
    restart(UINT32_MAX, 0);
    const long before_kb = resident_kb();
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = ask("GET", "");
        assert_true(await_status(clients[i]) > 0);
        downloads += status_of(clients[i]) == 200;
    }
    assert_int_equal(downloads, MAX);
    print_message("%ld kB for %d slow clients\n", resident_kb() - before_kb, CLIENTS);
}

// Receives what a client at this pace has received by now.
static void trickle(struct client *client, uint64_t elapsed_ms, size_t bytes_per_ms)
{
    const size_t due = (size_t)elapsed_ms * bytes_per_ms;
    if (client->size < due)
        receive(client, due - client->size);
}

TEST(only_a_client_that_is_too_slow_is_disconnected)
{
    int status = 0;
    restart(2, 0);
    struct client *slow = ask("GET", ""), *patient = ask("GET", "");
    assert_int_equal(await_status(slow), 200);
    assert_int_equal(await_status(patient), 200);
    const uint64_t start_ms = monotonic_ms();
    uint64_t elapsed_ms = 0, asked_ms = 0;
    while (status != 200 || elapsed_ms < HTTP_DEADLINE_MS + 1000) {
        serve(20);
        elapsed_ms = monotonic_ms() - start_ms;
        assert_in_range(elapsed_ms, 0, DEADLINE_MS);
        trickle(slow, elapsed_ms, 4);
        trickle(patient, elapsed_ms, 40);
        if (elapsed_ms - asked_ms < 1000)
            continue;
        asked_ms = elapsed_ms;
        struct client *third = ask("HEAD", "");
        status = await_status(third);
        assert_true(status == 200 || status == 503);
    }
    receive_all(slow);
    receive_all(patient);
    assert_true(slow->size < FILE_BYTES);
    assert_body(patient, 0, FILE_BYTES);
}

// Two clients that read as fast as they can get half of the rate each.
TEST(downloads_share_the_rate)
{
    struct client *clients[2];
    const uint64_t rate = 4 << 20;
    restart(MAX, rate);
    for (int i = 0; i < 2; i++)
        clients[i] = ask("GET", "");
    const uint64_t start_ms = monotonic_ms();
    size_t lead = 0;
    while (!clients[0]->is_over && !clients[1]->is_over) {
        serve(5);
        for (int i = 0; i < 2; i++)
            receive(clients[i], SIZE_MAX);
        const size_t a = clients[0]->size, b = clients[1]->size;
        lead = a > b + lead ? a - b : b > a + lead ? b - a : lead;
        assert_in_range(monotonic_ms() - start_ms, 0, DEADLINE_MS);
    }
    for (int i = 0; i < 2; i++)
        receive_all(clients[i]);
    const uint64_t took_ms = monotonic_ms() - start_ms;
    // A quarter of a second of the rate is saved up.
    assert_true(took_ms + 250 + 50 >= 2 * FILE_BYTES * 1000 / rate);
    assert_in_range(lead, 0, FILE_BYTES / 2);
    for (int i = 0; i < 2; i++)
        assert_body(clients[i], 0, FILE_BYTES);
}

TEST(server_stops_amid_downloads)
{
    struct client *clients[MAX];
    restart(MAX, 1 << 20);
    for (int i = 0; i < MAX; i++) {
        clients[i] = ask("GET", "");
        await_status(clients[i]);
    }
    for (int i = 0; i < 20; i++)
        serve(1);
    close(clients[0]->socket); // while it waits for its turn
    clients[0]->socket = -1;
}
