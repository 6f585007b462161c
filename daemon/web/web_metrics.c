// SPDX-License-Identifier: MIT
// The rows of the gateway's status.
#include "web_metrics.h"

#define ROW(member, the_kind, words)                                                               \
    {                                                                                              \
        .key = #member, .kind = the_kind, METRIC_OF(struct web_counts, member), .meaning = words   \
    }

static const struct metric rows[] = {
    ROW(connections, METRIC_GAUGE, "Connections of QUIC."),
    ROW(handshaking, METRIC_GAUGE, "Connections whose handshake is not complete."),
    ROW(sessions, METRIC_GAUGE, "Sessions of WebTransport: players and spectators."),
    ROW(handshakes, METRIC_COUNTER, "Handshakes that were completed."),
    ROW(sessions_total, METRIC_COUNTER, "Sessions that began."),
    ROW(packets_in, METRIC_COUNTER, "Packets of QUIC received."),
    ROW(packets_out, METRIC_COUNTER, "Packets of QUIC sent."),
    ROW(datagrams_in, METRIC_COUNTER, "Datagrams sent on to arenas."),
    ROW(datagrams_out, METRIC_COUNTER, "Datagrams of arenas sent on to browsers."),
    ROW(retries, METRIC_COUNTER, "Retry packets, by which a client proves its address."),
    ROW(versions, METRIC_COUNTER, "Clients that were offered another version of QUIC."),
    ROW(resets, METRIC_COUNTER, "Stateless resets of connections that are not known."),
    ROW(displaced, METRIC_COUNTER,
        "Connections by which nobody played that made room for a new one."),
    ROW(rejected_full, METRIC_COUNTER, "Rejected connections: there are too many."),
    ROW(rejected_address, METRIC_COUNTER, "Rejected connections: too many of an address."),
    ROW(rejected_network, METRIC_COUNTER, "Rejected connections: too many of a network."),
    ROW(rejected_rate, METRIC_COUNTER, "Rejected connections: too many handshakes at a time."),
    ROW(rejected_token, METRIC_COUNTER, "Rejected connections: the token of a Retry is wrong."),
    ROW(rejected_request, METRIC_COUNTER,
        "Closed connections: no session within five seconds, or no proper request."),
    ROW(rejected_path, METRIC_COUNTER, "Rejected sessions: no arena of this address."),
    ROW(dropped_malformed, METRIC_COUNTER, "Dropped packets: not of QUIC."),
    ROW(dropped_early, METRIC_COUNTER, "Dropped datagrams: of no session."),
    ROW(dropped_large, METRIC_COUNTER, "Dropped datagrams: larger than a packet has room for."),
    ROW(dropped_rate, METRIC_COUNTER, "Dropped datagrams: a player sends too many."),
    ROW(dropped_congested, METRIC_COUNTER, "Dropped datagrams: the way to a browser is congested."),
    ROW(dropped_unsent, METRIC_COUNTER, "Dropped datagrams and packets: the kernel took none."),
};

const struct metric_table web_metrics = {METRIC_ROWS(rows)};
