// SPDX-License-Identifier: MIT
// The text of servers' addresses.
#include "connector.h"
#include "crypto.h"
#include "host_address.h"
#include "test.h"

TEST(addresses_are_split)
{
    static const struct {
        const char *text, *host;
        uint16_t port; // 1: none given
    } good[] = {
        {"play.example.org:7246", "play.example.org", 7246},
        {"play.example.org", "play.example.org", 1},
        {"127.0.0.1:65535", "127.0.0.1", 65535},
        {"[::1]:7246", "::1", 7246},
        {"[2001:db8::7]", "2001:db8::7", 1},
        {"2001:db8::7", "2001:db8::7", 1},
        {"::", "::", 1},
        {"[::ffff:192.0.2.1]:7246", "::ffff:192.0.2.1", 7246},
        {"[fe80::1%eth0.5]:7246", "fe80::1%eth0.5", 7246},
        {"fe80::1%eth0", "fe80::1%eth0", 1},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char host[RAIM_LINK_HOST_BYTES] = "", printed[300];
        uint16_t port = 1;
        assert_true(raim_link_read_address(good[i].text, host, &port));
        assert_string_equal(host, good[i].host);
        assert_int_equal(port, good[i].port);
        // What is printed is read again as what it was.
        raim_host_address_print(host, 7246, printed, sizeof printed);
        char again[RAIM_LINK_HOST_BYTES];
        assert_true(raim_link_read_address(printed, again, &port));
        assert_string_equal(again, host);
        assert_int_equal(port, 7246);
    }
}

TEST(other_text_is_rejected)
{
    static const char *const bad[] = {
        "",
        ":",
        ":7246",
        "[]",
        "[]:7246",
        "host:",
        "host:0",
        "host:65536",
        "host:07246x",
        "host:-1",
        "host:+1",
        "host: 1",
        "host:99999999999999999999",
        "[::1",
        "[::1]7246",
        "[::1]:",
        "[::1]:0",
        "[host]:7246",
        "[127.0.0.1]:7246",
        "::1]:7246",
        "a b:1",
        "a/b:1",
        "host?x:1",
        "[::1%]x:1",
        "user@host:1",
        "::g",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char host[RAIM_LINK_HOST_BYTES] = "before";
        uint16_t port = 1;
        assert_false(raim_link_read_address(bad[i], host, &port));
        assert_string_equal(host, "before");
        assert_int_equal(port, 1);
    }
    char longest[RAIM_LINK_HOST_BYTES + 10], host[RAIM_LINK_HOST_BYTES];
    uint16_t port = 1;
    memset(longest, 'a', sizeof longest);
    longest[RAIM_LINK_HOST_BYTES] = '\0';
    assert_false(raim_link_read_address(longest, host, &port));
    longest[RAIM_LINK_HOST_BYTES - 1] = '\0';
    assert_true(raim_link_read_address(longest, host, &port));
}

// --- Invitation ---

// Whose invitation to come back is taken.

static const uint8_t token[RAIM_TOKEN_BYTES] = {0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7,
                                                0xA8, 0xA9, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF};

// The example of PROTOCOL.md.
static const struct raim_invite example = {
    .nonce = {1, 2, 3, 4, 5, 6, 7, 8},
    .proof = {0xF0, 0x77, 0x73, 0x85, 0xC4, 0x07, 0xBF, 0x98},
};

static bool is_right(const struct raim_invite *invite, const uint8_t *of)
{
    struct raim_invitations none = {0};
    return raim_invitation_take(&none, invite, of);
}

TEST(each_counts_once_and_only_so_many)
{
    struct raim_invitations invitations = {0};
    struct raim_invite invites[RAIM_INVITATIONS + 1] = {0};
    for (int i = 0; i <= RAIM_INVITATIONS; i++) {
        invites[i].nonce[0] = (uint8_t)i;
        const uint64_t hash = raim_crypto_siphash(token, invites[i].nonce, sizeof invites[i].nonce);
        for (int k = 0; k < 8; k++)
            invites[i].proof[k] = (uint8_t)(hash >> 8 * k);
        assert_int_equal(raim_invitation_take(&invitations, &invites[i], token),
                         i < RAIM_INVITATIONS);
        for (int old = 0; old <= i; old++)
            assert_false(raim_invitation_take(&invitations, &invites[old], token));
    }
}

TEST(who_has_the_token_may_invite)
{
    assert_true(is_right(&example, token));
}

TEST(nobody_else_may)
{
    for (size_t bit = 0; bit < 8 * sizeof example; bit++) {
        struct raim_invite forged = example;
        ((uint8_t *)&forged)[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(is_right(&forged, token));
    }
    for (size_t bit = 0; bit < 8 * sizeof token; bit++) {
        uint8_t other[sizeof token];
        memcpy(other, token, sizeof other);
        other[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(is_right(&example, other));
    }
}

TEST(bytes_of_the_wire_are_read_as_written_or_not_at_all)
{
    uint8_t bytes[RAIM_INVITE_BYTES + 1];
    struct raim_invite read;
    assert_int_equal(raim_invite_write(&example, bytes), RAIM_INVITE_BYTES);
    assert_int_equal(raim_connectionless_kind(bytes, RAIM_INVITE_BYTES),
                     RAIM_CONNECTIONLESS_INVITE);
    assert_true(raim_invite_read(bytes, RAIM_INVITE_BYTES, &read));
    assert_memory_equal(&read, &example, sizeof read);
    assert_false(raim_invite_read(bytes, RAIM_INVITE_BYTES - 1, &read));
    assert_false(raim_invite_read(bytes, RAIM_INVITE_BYTES + 1, &read));
}
