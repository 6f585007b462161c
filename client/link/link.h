// SPDX-License-Identifier: MIT
// A client of one server over UDP, IPv6 and IPv4: couples a raim_client with an ENet connection,
// encrypts where the server offers it, and connects again where a session is to be resumed. No
// function blocks: names are resolved by a short-lived thread.
// Time: the link reads the system's steady clock; raim_link_now_us returns it.
// Errors: after raim_link_open, every failure ends the client; see raim_client_get_end.
// Thread rule: without raim_link_start_thread, a link and its client belong to one thread at a
// time. Links of several threads share nothing but ENet, which the first raim_link_open of the
// process initializes: let it return before another thread calls it. No function of libenet is
// replaced, so a program may use ENet itself beside a link.
#pragma once

#include "client.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct raim_link;

#define RAIM_LINK_HOST_BYTES 256 // of a host with its terminating zero

// Splits an address as people write it: HOST:PORT, [IPV6]:PORT, or without :PORT, which leaves
// `port` as it is. A host is a name, an IPv4 address, or an IPv6 address, which has brackets
// wherever a port follows it. False for any other text; `host` and `port` are then unchanged.
bool raim_link_read_address(const char *text, char host[RAIM_LINK_HOST_BYTES], uint16_t *port);

// Decodes an access token from the text that people pass on, base64url without padding. Returns its
// size in bytes, at most `capacity`; 0 for other text and for a larger token.
uint32_t raim_link_read_access(const char *text, uint8_t *access, size_t capacity);

// Reads the seed of an admin's key, for struct raim_client_def, from a file of `raimctl token key`.
// False for any other file.
bool raim_link_read_admin_key(const char *path, uint8_t key[RAIM_KEY_BYTES]);

// Reads the first line of a file, without its end, as a password: at most 128 bytes, and at least
// one. False for any other file, or one that cannot be read. The caller wipes the password.
#define RAIM_LINK_PASSWORD_BYTES 129 // with its terminating zero
bool raim_link_read_password(const char *path, char password[RAIM_LINK_PASSWORD_BYTES]);

// Overwrites a secret with zeros; the compiler cannot optimise this away.
void raim_link_wipe(void *secret, size_t size);

// Begins to connect a client of this def to a host (a name, or an address of IPv4 or IPv6 without
// brackets) and UDP port. Where a name has several addresses, those of both families are tried in
// turns, a quarter of a second apart, and the first server that answers wins (RFC 8305). Copies the
// def and all that it points to. NULL for an invalid host or def, or when no memory or no random
// numbers are available. A name that cannot be resolved ends the client.
struct raim_link *raim_link_open(const char *host, uint16_t port,
                                 const struct raim_client_def *def);

// Closes at once, with an unreliable notice to the server, and frees the client too. Takes NULL. To
// say goodbye, call raim_link_leave first.
void raim_link_close(struct raim_link *link);

// The client of the link, which is valid until raim_link_close. The link moves its bytes: the
// caller uses only the functions for the application.
struct raim_client *raim_link_client(struct raim_link *link);

// Receives everything that has arrived, sends what is due, and begins a connection where one is
// wanted. Call it at least once per tick, unless the link has a service thread.
void raim_link_update(struct raim_link *link);

// The steady clock of the link and its client in microseconds: `now_us` of client.h.
uint64_t raim_link_now_us(void);

// Whether an input is due, and takes the input for one tick, which the link sends at once where the
// server needs it; see raim_client_write_input.
bool raim_link_is_input_due(const struct raim_link *link);
void raim_link_send_input(struct raim_link *link, const raim_input *input);

// Sends a chat line with the next update; see raim_client_write_chat. A line that begins with
// "/admin" is not sent over a connection that is not encrypted; an event RAIM_CLIENT_NOTICE says
// so.
void raim_link_send_chat(struct raim_link *link, const char *text);

// Sends a message reliably that a function of the client has written, such as
// raim_client_write_watch. Lock the link for both calls.
void raim_link_send(struct raim_link *link, const uint8_t *bytes, size_t size);

// Lets a spectator watch another player; see raim_client_write_watch.
void raim_link_send_watch(struct raim_link *link, raim_player_id player);

// Call a vote, vote in the running one, and withdraw a vote that the local player has called; see
// raim_client_write_vote_call.
void raim_link_call_vote(struct raim_link *link, const struct raim_client_vote_call *call);
void raim_link_cast_vote(struct raim_link *link, enum raim_client_vote_choice choice);
void raim_link_withdraw_vote(struct raim_link *link);

// Sends the goodbye and begins to disconnect. Go on with raim_link_update (a service thread does
// so) until raim_link_is_open returns false, which takes a round trip; then close the link.
void raim_link_leave(struct raim_link *link);

// Whether there is a connection, or one is being made or ended.
bool raim_link_is_open(const struct raim_link *link);

// Mean round trip in ms, as ENet measures it every two seconds; 0 without a connection.
uint32_t raim_link_ping_ms(const struct raim_link *link);

// Copies the server's public key, to be stored and set in the def of the next link. False where the
// connection is not encrypted, or before a handshake is complete; `key` is then meaningless.
bool raim_link_server_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);

// Whether the server has shown a wrong key for a second: not that of the def, or not the one that
// it showed to this link earlier. Copies the wrong key. The link does not connect to the server
// then. `key` is undefined when the function returns false.
bool raim_link_other_key(const struct raim_link *link, uint8_t key[RAIM_KEY_BYTES]);

// Whether the client has ended because the name of the server cannot be resolved.
bool raim_link_is_unresolved(const struct raim_link *link);

// Whether the link, while it connects, derives the key of its def's password. A thread of the link
// does so, with 64 MiB of memory and in some 100 ms of a processor.
bool raim_link_is_deriving(const struct raim_link *link);

// Totals since raim_link_open.
struct raim_link_traffic {
    uint64_t bytes_down, bytes_up; // UDP payload
    uint64_t largest_datagram;     // received, bytes
};
struct raim_link_traffic raim_link_get_traffic(const struct raim_link *link);

// --- A service thread ---
//
// A game whose frames take long, or wait for a display, lets a thread of the link's own receive and
// send. Inputs then leave in time and round trips are those of the network, whatever a frame takes.
// One mutex guards the link and its client. The hand-over:
// - Every raim_link_* function takes the mutex itself, so the application may call it from any one
//   of its threads. It waits for an update of the service thread at most, well below a millisecond.
// - Functions of the client, raim_client_*, are called between raim_link_lock and raim_link_unlock.
//   Once per frame: lock, interpolate, copy players, bullets, events and whatever else is to be
//   drawn, unlock; then draw without the lock. Pointers that client.h returns are valid until
//   raim_link_unlock. A map is valid until the next raim_client_interpolate, so that it can be
//   drawn without the lock.
// - Inputs: raim_link_set_input. Do not call raim_link_send_input.
// - Events and snapshots wait in the client until the application reads them under the lock.

// Starts the thread. False if the system provides none, or if it runs already.
bool raim_link_start_thread(struct raim_link *link);

// Ends the thread, within 10 ms, and gives the link back to the caller's thread; raim_link_close
// does so, too. Call neither of them between raim_link_lock and raim_link_unlock: the thread could
// not end. Nothing happens where no thread runs.
void raim_link_stop_thread(struct raim_link *link);

// Takes and gives back the mutex of the link, for functions of its client. The thread that has it
// may take it again. Hold it for the time of copying, not of drawing: no input leaves meanwhile.
// Both do nothing harmful in a link without a thread.
void raim_link_lock(struct raim_link *link);
void raim_link_unlock(struct raim_link *link);

// The input of the local player from now on. Call it with every change or once per frame: the
// service thread sends the newest one in each tick. Nothing is lost between two ticks: a fire that
// was set and released again fires in the next tick, with the aim that it was set with, and a
// direction that was set and released again moves for the next tick. The application leaves
// `rewind` at 0.
void raim_link_set_input(struct raim_link *link, const raim_input *input);

// Does once what the service thread does all the time, for a system without threads: call it when
// datagrams have arrived, and every few milliseconds. Nothing happens where the thread runs.
void raim_link_serve(struct raim_link *link);

#ifdef __cplusplus
}
#endif
