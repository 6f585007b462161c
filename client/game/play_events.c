// SPDX-License-Identifier: MIT
// What the arena reports to its player: kills, chat, notices, votes and rounds.
#include "effects.h"
#include "platform.h"
#include "play_internal.h"

#include <stdio.h>
#include <string.h>

static raim_player_id own_id(const struct raim_client *client)
{
    if (raim_client_is_spectator(client))
        return RAIM_NOBODY;
    return raim_client_get_roster_entry(client, raim_client_own_slot(client))->id;
}

static void copy_names(struct play *play, const struct raim_client *client)
{
    for (uint32_t slot = 0; slot < raim_client_max_players(client); slot++) {
        const struct raim_client_roster_entry *member = raim_client_get_roster_entry(client, slot);
        if (member->id != RAIM_NOBODY)
            memcpy(play->names[slot], member->name, sizeof member->name);
    }
}

static struct hud_person person(const struct play *play, raim_player_id id)
{
    struct hud_person person = {.id = id};
    if (id != RAIM_NOBODY)
        snprintf(person.name, sizeof person.name, "%s", play->names[raim_player_slot(id)]);
    return person;
}

static void rumble(const struct play *play, double strength, double seconds)
{
    if (play->preferences->settings.rumbles && play->controls.by_pad)
        window_rumble(play->window, strength, seconds);
}

static void note_killer(struct play *play, struct hud_person killer, double now)
{
    play->hurt_at_s = now;
    play->killer = killer;
    play->has_killer_at = picture_find_shooter(play->picture, killer.id, &play->killer_at) ||
                          picture_find_shooter(play->before, killer.id, &play->killer_at);
    rumble(play, 1, 0.35);
}

static void note_victim(struct play *play, struct hud_person victim, uint32_t streak, double now)
{
    play->kill_at_s = now;
    play->victim = victim;
    play->streak = streak;
    sound_play_here(play->preferences->sound, SOUND_KILL);
    rumble(play, 0.5, 0.15);
}

static void handle_kill(struct play *play, const struct raim_client_event *event,
                        raim_player_id own, double now)
{
    struct kill_feed_line line = {
        .born_s = now,
        .own = own != RAIM_NOBODY && (event->player == own || event->victim == own),
        .first = person(play, event->player),
        .second = person(play, event->victim),
        .text = "destroyed",
    };
    kill_feed_add(&play->kills, &line);
    const struct hud_person victim = line.second;
    const uint32_t streak = summary_add_kill(&play->summary, raim_player_slot(event->player),
                                             raim_player_slot(event->victim));
    if (streak == 3 || (streak > 0 && streak % 5 == 0)) {
        line.second = person(play, RAIM_NOBODY);
        snprintf(line.text, sizeof line.text, "%u in a row", streak);
        kill_feed_add(&play->kills, &line);
    }
    effects_add_kill(&play->effects, event->victim, now);
    if (event->victim == own && own != RAIM_NOBODY)
        note_killer(play, line.first, now);
    if (event->player == own && own != RAIM_NOBODY)
        note_victim(play, victim, streak, now);
}

// Adds a line to the chat, and tells it.
static void add_chat(struct play *play, const struct kill_feed_line *line)
{
    char words[RAIM_MAX_NAME_BYTES + sizeof line->text + 2];
    snprintf(words, sizeof words, "%s%s%s", line->first.name,
             line->first.name[0] != '\0' ? ": " : "", line->text);
    kill_feed_add(&play->chat, line);
    platform_say(words);
}

static const char *words_for_chat_rejection(uint32_t rejection)
{
    static const char *const words[][2] = {
        {"rate", "Not sent: too many messages. Wait a second"},
        {"muted", "Not sent: the operator of this server has muted you"},
        {"text", "Not sent: there is nothing visible in your message"},
        {"length", "Not sent: your message is too long. Shorten it"},
        {"watching", "Not sent: spectators cannot chat. Join as a player"},
        {"busy", "Not sent: the server is busy. Try again"},
        {"repeat", "Not sent: you have just said that"},
        {"command", "Not sent: this server does not know this command"},
    };
    const char *name = raim_client_chat_rejection_name(rejection);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i][0]) == 0)
            return words[i][1];
    return "Your message could not be sent";
}

static void handle_event(struct play *play, const struct raim_client_event *event,
                         raim_player_id own, double now)
{
    struct kill_feed_line line = {.born_s = now, .first = person(play, event->player)};
    switch (event->kind) {
    case RAIM_CLIENT_JOINED:
    case RAIM_CLIENT_LEFT:
        snprintf(line.text, sizeof line.text, "%s",
                 event->kind == RAIM_CLIENT_JOINED ? "joined" : "left");
        summary_forget(&play->summary, raim_player_slot(event->player));
        kill_feed_add(&play->kills, &line);
        break;
    case RAIM_CLIENT_KILL:
        handle_kill(play, event, own, now);
        break;
    case RAIM_CLIENT_CHAT:
        snprintf(line.text, sizeof line.text, "%s", event->text);
        add_chat(play, &line);
        sound_play_here(play->preferences->sound, SOUND_CHAT);
        break;
    case RAIM_CLIENT_PHASE: // drawn for as long as it lasts
        sound_play_here(play->preferences->sound, SOUND_ROUND);
        break;
    case RAIM_CLIENT_CHAT_REJECTED:
        snprintf(line.text, sizeof line.text, "%s",
                 words_for_chat_rejection(event->chat_rejection));
        line.is_notice = true;
        add_chat(play, &line);
        break;
    case RAIM_CLIENT_VOTE_BEGAN:
        sound_play_here(play->preferences->sound, SOUND_CHAT);
        break;
    case RAIM_CLIENT_VOTE_ENDED: // drawn by the panel
        break;
    case RAIM_CLIENT_VOTE_REJECTED:
    case RAIM_CLIENT_NOTICE:
        snprintf(line.text, sizeof line.text, "%s", event->text);
        line.is_notice = true;
        add_chat(play, &line);
        break;
    }
}

// Shows the message of the day as a chat line of the server, at first and after each change.
static void show_motd(struct play *play, const struct raim_client *client, double now)
{
    const char *motd = raim_client_motd(client);
    if (strcmp(motd, play->motd) == 0)
        return;
    struct kill_feed_line line = {.born_s = now, .first = person(play, RAIM_NOBODY)};
    snprintf(play->motd, sizeof play->motd, "%s", motd);
    snprintf(line.text, sizeof line.text, "%s", motd);
    if (motd[0] != '\0')
        add_chat(play, &line);
}

// Stores the winner's name, because the winner may leave before the break is over.
static void note_winner(struct play *play, const struct raim_client *client)
{
    const struct raim_client_phase phase = raim_client_get_phase(client);
    const bool is_known = phase.kind != RAIM_CLIENT_BREAK || phase.winner == play->winner.id;
    if (!is_known && raim_player_slot(phase.winner) < raim_client_max_players(client))
        play->winner = person(play, phase.winner);
}

static void note_round(struct play *play, const struct raim_client *client, double now)
{
    const struct raim_client_phase phase = raim_client_get_phase(client);
    summary_look(&play->summary, &phase);
    if (phase.kind != RAIM_CLIENT_PLAY || phase.round == play->round)
        return;
    play->round = phase.round;
    play->round_s = now;
    summary_begin(&play->summary, raim_client_get_stats(client));
}

void play_take_events(struct play *play, struct raim_client *client, double now)
{
    struct raim_client_event event;
    copy_names(play, client);
    show_motd(play, client, now);
    note_winner(play, client);
    note_round(play, client, now);
    while (raim_client_next_event(client, &event))
        handle_event(play, &event, own_id(client), now);
    const uint64_t hits = raim_client_get_stats(client)->hits;
    if (hits > play->hits) {
        play->hit_at_s = now;
        sound_play_here(play->preferences->sound, SOUND_HIT);
    }
    play->hits = hits;
}
