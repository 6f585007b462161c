// SPDX-License-Identifier: MIT
// Every message but SNAPSHOT, read and written again.
#pragma once

#include "chat.h"
#include "events_fixture.h"
#include "handshake.h"
#include "input.h"
#include "notice.h"
#include "pings.h"
#include "roster.h"
#include "vote.h"
#include "watch.h"

// Reads a message behind its kind, of a client or of the server, and writes what was read. Returns
// the size; 0 for a message that is rejected.
static inline size_t rewrite_message(uint32_t kind, bool is_clients, raim_reader *reader,
                                     uint8_t *bytes, size_t capacity)
{
    static struct raim_wire_obstacle obstacles[128]; // no message holds more
    static struct raim_roster_entry entries[512];    // also
    static struct raim_events_message events;
    static struct raim_vote_offer offer;
    struct raim_hello hello = {0};
    struct raim_welcome welcome;
    struct raim_goodbye goodbye;
    struct raim_client_goodbye client_goodbye;
    struct raim_input_message input;
    struct raim_pings pings;
    struct raim_notice notice;
    struct raim_vote_request request;
    struct raim_vote_report report;
    char text[RAIM_MAX_CHAT_BYTES + 1];
    uint32_t number, count, written;
    switch (kind) {
    case RAIM_MESSAGE_HELLO:
        return raim_hello_read(reader, &hello) ? raim_hello_write(&hello, bytes, capacity) : 0;
    case RAIM_MESSAGE_INPUT:
        return raim_input_read(reader, &input) ? raim_input_write(&input, bytes, capacity) : 0;
    case RAIM_MESSAGE_WELCOME:
        return raim_welcome_read(reader, &welcome) ? raim_welcome_write(&welcome, bytes, capacity)
                                                   : 0;
    case RAIM_MESSAGE_OBSTACLES:
        return raim_obstacles_read(reader, obstacles, 128, &count)
                   ? raim_obstacles_write(obstacles, count, &written, bytes, capacity)
                   : 0;
    case RAIM_MESSAGE_ROSTER:
        return raim_roster_read(reader, entries, 512, &count)
                   ? raim_roster_write(entries, count, &written, bytes, capacity)
                   : 0;
    case RAIM_MESSAGE_EVENTS:
        return raim_events_read(reader, &events) && raim_reader_done(reader)
                   ? write_events(&events, bytes, capacity)
                   : 0;
    case RAIM_MESSAGE_GOODBYE:
        if (is_clients)
            return raim_client_goodbye_read(reader, &client_goodbye)
                       ? raim_client_goodbye_write(&client_goodbye, bytes, capacity)
                       : 0;
        return raim_goodbye_read(reader, &goodbye) ? raim_goodbye_write(&goodbye, bytes, capacity)
                                                   : 0;
    case RAIM_MESSAGE_CHAT:
        return raim_chat_read(reader, text) ? raim_chat_write(text, bytes, capacity) : 0;
    case RAIM_MESSAGE_CHAT_REJECTED:
        return raim_chat_rejected_read(reader, &number)
                   ? raim_chat_rejected_write(number, bytes, capacity)
                   : 0;
    case RAIM_MESSAGE_WATCH:
        return raim_watch_read(reader, &number) ? raim_watch_write(number, bytes, capacity) : 0;
    case RAIM_MESSAGE_PINGS:
        return raim_pings_read(reader, &pings) ? raim_pings_write(&pings, bytes, capacity) : 0;
    case RAIM_MESSAGE_VOTE:
        if (is_clients)
            return raim_vote_request_read(reader, &request)
                       ? raim_vote_request_write(&request, bytes, capacity)
                       : 0;
        if (!raim_vote_report_read(reader, &report, &offer))
            return 0;
        return report.kind == RAIM_VOTE_OFFER ? raim_vote_offer_write(&offer, bytes, capacity)
                                              : raim_vote_report_write(&report, bytes, capacity);
    case RAIM_MESSAGE_NOTICE:
        return raim_notice_read(reader, &notice) ? raim_notice_write(&notice, bytes, capacity) : 0;
    default:
        return 0;
    }
}
