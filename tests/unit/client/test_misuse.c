// SPDX-License-Identifier: MIT
// What an application may get wrong: defs of any size, and messages at any time.
#include "client.h"
#include "link.h"
#include "test.h"

// The def's first bytes in memory of exactly that size, so that ASan detects a read beyond.
static struct raim_client *create(size_t struct_size, size_t bytes)
{
    struct raim_client_def def = raim_client_default_def();
    struct raim_client_def *exact = malloc(bytes);
    def.struct_size = struct_size;
    memcpy(exact, &def, bytes < sizeof def ? bytes : sizeof def);
    struct raim_client *client = raim_client_create(exact);
    free(exact);
    return client;
}

TEST(a_def_of_any_size_is_taken_or_rejected)
{
    const size_t least = offsetof(struct raim_client_def, require_encryption) + sizeof(bool);
    for (size_t size = sizeof(size_t); size < least; size++)
        assert_null(create(size, size));
    assert_null(create(0, sizeof(size_t)));
    assert_null(create(1, sizeof(size_t)));
    // A later library's def is longer; this one reads what it knows.
    const size_t sizes[] = {least, sizeof(struct raim_client_def),
                            sizeof(struct raim_client_def) + 1, SIZE_MAX / 2, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const size_t known = sizeof(struct raim_client_def);
        struct raim_client *client = create(sizes[i], sizes[i] < known ? sizes[i] : known);
        assert_non_null(client);
        raim_client_destroy(client);
    }
}

TEST(a_smaller_def_is_filled_only_so_far)
{
    for (size_t size = 0; size <= sizeof(struct raim_client_def); size++) {
        uint8_t *exact = malloc(size + 1);
        exact[size] = 0xA5;
        raim_client_init_def((struct raim_client_def *)(void *)exact, size);
        assert_int_equal(exact[size], 0xA5);
        free(exact);
    }
}

TEST(a_client_without_a_welcome_has_no_slot)
{
    const struct raim_client_def def = raim_client_default_def();
    struct raim_client *client = raim_client_create(&def);
    assert_int_equal(raim_client_own_slot(client), UINT32_MAX);
    raim_client_destroy(client);
    assert_int_equal(raim_client_player_slot(3 * RAIM_MAX_PLAYERS + 5), 5);
}

static void send_everything(struct raim_link *link)
{
    static char endless[1 << 20];
    memset(endless, 'a', sizeof endless - 1);
    raim_link_send_chat(link, "hello");
    raim_link_send_chat(link, "");
    raim_link_send_chat(link, "\xFF\xFE");
    raim_link_send_chat(link, endless);
    raim_link_send_watch(link, RAIM_NOBODY);
    raim_link_send_watch(link, UINT16_MAX);
}

// Nothing listens on port 1.
TEST(what_is_sent_before_and_after_a_connection_is_dropped)
{
    struct raim_client_def def = raim_client_default_def();
    struct raim_link *link = raim_link_open("127.0.0.1", 1, &def);
    assert_non_null(link);
    send_everything(link); // before the first update
    raim_link_update(link);
    send_everything(link); // while it connects
    assert_true(raim_link_start_thread(link));
    send_everything(link); // while the thread runs
    raim_link_leave(link);
    send_everything(link); // after its end
    assert_int_equal(raim_client_get_state(raim_link_client(link)), RAIM_CLIENT_ENDED);
    raim_link_close(link);
    raim_link_close(NULL);
}
