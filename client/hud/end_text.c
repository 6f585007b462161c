// SPDX-License-Identifier: MIT
// The words for each reason.
#include "end_text.h"

#include "message.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

// "%s" stands for the address. Where the server gave a text of its own, it follows.
static const struct words {
    const char *title, *text;
    double retry_s;
} reasons[RAIM_REASONS] = {
    [RAIM_REASON_NONE] = {"%s ended the connection", "It gave no reason.", 5},
    [RAIM_REASON_LEFT] = {"You have left %s", "", 0},
    [RAIM_REASON_LOST] = {"The connection to %s broke",
                          "Your session could not be resumed. Is your network up?", 3},
    [RAIM_REASON_SHUTDOWN] = {"%s has shut down", "It may be back soon.", 5},
    [RAIM_REASON_VERSION] = {"%s speaks another version",
                             "Update the game, or ask the operator to update the server.", 0},
    [RAIM_REASON_FULL] = {"%s is full", "Wait for a place, or spectate from the home screen.", 5},
    [RAIM_REASON_NAME] = {"%s refuses your name", "Choose another one on the home screen.", 0},
    [RAIM_REASON_SILENT] = {"%s has heard nothing from you", "Your network may lose large packets.",
                            3},
    [RAIM_REASON_MALFORMED] = {"%s and this game do not understand each other",
                               "Update the game, or ask the operator to update the server.", 0},
    [RAIM_REASON_RESUMED] = {"Your session goes on elsewhere",
                             "Another window or machine has taken it over.", 0},
    [RAIM_REASON_KICKED] = {"The operator of %s ended your session", "", 0},
    [RAIM_REASON_DRAINING] = {"%s is about to shut down",
                              "It admits nobody any more. Choose another server.", 10},
    [RAIM_REASON_BANNED] = {"%s has banned your address", "", 0},
    [RAIM_REASON_RESTART] = {"%s restarts", "It should be back in a moment.", 3},
    [RAIM_REASON_ACCESS] = {"%s wants an access token",
                            "Type or paste it. The operator has the tokens.", 0},
    [RAIM_REASON_IDLE] = {"You were idle for too long",
                          "Somebody else wanted to join, and the arena was full.", 0},
    [RAIM_REASON_PASSWORD] = {"%s wants its password", "Type it. The operator knows it.", 0},
    [RAIM_REASON_CHANNELS] = {"%s and this game do not understand each other",
                              "The connection had too few channels. Update the game.", 0},
};
static_assert(RAIM_REASONS == RAIM_REASON_PASSWORD + 1, "every reason has its words");

static struct end_text fill(const struct words *words, const struct end_text_case *end)
{
    struct end_text filled = {.retry_s = words->retry_s};
    // A title has at most one place for the address.
    const char *place = words->title;
    int length = 0;
    while (*place != '\0' && *place != '%')
        place++, length++;
    if (*place == '%')
        snprintf(filled.title, sizeof filled.title, "%.*s%s%s", length, words->title, end->where,
                 place + 2);
    else
        snprintf(filled.title, sizeof filled.title, "%s", words->title);
    // What ends a lost connection is said by the game itself.
    const bool speaks =
        end->text != NULL && end->text[0] != '\0' && end->reason != RAIM_REASON_LOST;
    snprintf(filled.text, sizeof filled.text, "%s%s%s%s", words->text,
             speaks && words->text[0] != '\0' ? " " : "", speaks ? "The server says: " : "",
             speaks ? end->text : "");
    return filled;
}

struct end_text end_text_of(const struct end_text_case *end)
{
    static const struct words
        unresolved = {"Unknown host: %s",
                      "This name leads to no server. Is the address right? Is your network up?", 0},
        other_key = {"%s has another key than before",
                     "Somebody may be in its place. If its operator has replaced the key, delete "
                     "its line from known_servers.",
                     0},
        wrong_password = {"%s has another password",
                          "Type it again. Spaces and case count; after ten wrong ones in a minute "
                          "your address has to wait.",
                          0},
        wrong_token =
            {"%s does not accept this access token",
             "It may be of another arena, used or out of date. Type or paste another one.", 0},
        no_encryption = {"%s offers no encryption", "The game wants it there.", 0},
        no_answer = {"No answer from %s", "Is it running? Is the address right?", 3};
    if (!end->is_resolved)
        return fill(&unresolved, end);
    if (end->shows_other_key)
        return fill(&other_key, end);
    if (end->reason == RAIM_REASON_PASSWORD && end->had_password)
        return fill(&wrong_password, end);
    if (end->reason == RAIM_REASON_ACCESS && end->had_access)
        return fill(&wrong_token, end);
    if (end->reason == RAIM_REASON_LOST && !end->was_entered)
        return fill(end->text != NULL && end->text[0] != '\0' ? &no_encryption : &no_answer, end);
    return fill(&reasons[end->reason < RAIM_REASONS ? end->reason : RAIM_REASON_NONE], end);
}
