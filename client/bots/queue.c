// SPDX-License-Identifier: MIT
// Takes a bot from the queue to an arena and back.
#include "queue.h"

#include "matchmaker.h"
#include "opponent.h"

#include <stdio.h>
#include <string.h>

// The shortest time between two arenas.
static const double pause_s = 0.5;

// Rounds that ended while the player was there. The client counts one when the next begins.
static unsigned long long count_rounds(const struct raim_client *client)
{
    return raim_client_get_stats(client)->rounds +
           (raim_client_get_phase(client).kind == RAIM_CLIENT_BREAK);
}

static void log_state(const struct opponent *player, double now_s, const char *state)
{
    fprintf(stderr, "raim-bots: at=%.3f bot=%s state=%s", now_s, player->name, state);
    if (player->link != NULL) {
        const struct raim_client *client = raim_link_client(player->link);
        fprintf(stderr, " server=%s rounds=%llu", player->queue.server, count_rounds(client));
        if (raim_client_get_state(client) == RAIM_CLIENT_ENDED)
            fprintf(stderr, " reason=%s",
                    raim_client_reason_name(raim_client_get_end(client).reason));
    }
    fputc('\n', stderr);
}

static void log_change(struct opponent *player, enum raim_client_state state, double now_s)
{
    static const char *const names[] = {
        [RAIM_CLIENT_CONNECTING] = "connecting", [RAIM_CLIENT_ENTERING] = "entering",
        [RAIM_CLIENT_PLAYING] = "playing",       [RAIM_CLIENT_RESUMING] = "resuming",
        [RAIM_CLIENT_ENDED] = "ended",
    };
    if (state == player->queue.state)
        return;
    if (state == RAIM_CLIENT_RESUMING)
        player->queue.lost_s = now_s;
    player->queue.state = state;
    log_state(player, now_s, names[state]);
}

static void wait_for_arena(struct opponent *player, const struct options *options, double now_s)
{
    struct queue *queue = &player->queue;
    if (queue->matchmaker == NULL && now_s >= queue->next_s) {
        queue->matchmaker = matchmaker_queue(options->matchmaker, player->name, &options->regions);
        log_state(player, now_s, "queued");
    }
    if (queue->matchmaker == NULL)
        return;
    const struct matchmaker_arena *arena = matchmaker_poll(queue->matchmaker, now_s);
    const char *problem = matchmaker_problem(queue->matchmaker);
    if (strcmp(problem, queue->problem) != 0) {
        strcpy(queue->problem, problem);
        if (problem[0] != '\0')
            fprintf(stderr, "raim-bots: bot=%s matchmaker: %s\n", player->name, problem);
    }
    if (arena == NULL)
        return;
    player->access_size =
        raim_link_read_access(arena->access, player->access, sizeof player->access);
    player->require_encryption = options->require_encryption;
    player->small_datagrams = options->small_datagrams;
    player->connect_timeout_s = MATCHMAKER_CONNECT_S;
    snprintf(queue->server, sizeof queue->server, "%s:%u", arena->address, arena->port);
    if (opponent_open(player, arena->address, arena->port, options->known_servers)) {
        queue->state = RAIM_CLIENT_CONNECTING;
        queue->opened_s = now_s;
        log_state(player, now_s, "connecting");
    } else {
        queue->next_s = now_s + pause_s;
    }
    matchmaker_close(queue->matchmaker);
    queue->matchmaker = NULL;
}

static void leave_arena(struct opponent *player)
{
    player->queue.next_s = player->queue.opened_s + pause_s;
    if (player->play_ended_s == 0)
        player->play_ended_s = player->queue.lost_s;
    opponent_close(player);
}

void queue_close(struct opponent *player)
{
    matchmaker_close(player->queue.matchmaker);
    player->queue.matchmaker = NULL;
}

static double patience_s(const struct raim_client *client)
{
    return raim_client_get_phase(client).kind == RAIM_CLIENT_BREAK ? MATCHMAKER_BREAK_PATIENCE_S
                                                                   : MATCHMAKER_PATIENCE_S;
}

void queue_service(struct opponent *player, const struct options *options, double now_s, bool fire)
{
    struct queue *queue = &player->queue;
    if (player->link == NULL) {
        wait_for_arena(player, options, now_s);
        return;
    }
    const bool was_entered = queue->state >= RAIM_CLIENT_PLAYING;
    opponent_service(player, now_s, fire);
    const struct raim_client *client = raim_link_client(player->link);
    const enum raim_client_state state = raim_client_get_state(client);
    if (state == RAIM_CLIENT_PLAYING && !was_entered)
        queue->arenas++;
    log_change(player, state, now_s);
    if (state == RAIM_CLIENT_ENDED && matchmaker_requeues(raim_client_get_end(client).reason)) {
        leave_arena(player);
    } else if (state == RAIM_CLIENT_RESUMING && now_s > queue->lost_s + patience_s(client)) {
        log_state(player, now_s, "lost");
        leave_arena(player);
    }
}
