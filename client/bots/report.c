// SPDX-License-Identifier: MIT
// Sums up the clients' statistics and prints them.
#include "report.h"

#include <jansson.h>
#include <stdio.h>

struct totals {
    int connected, rejected, broken;
    struct raim_client_stats sum;
    struct raim_client_quality mean;         // over the clients; counts are sums
    double bytes_down_per_s, bytes_up_per_s; // means over the clients
    uint64_t largest_datagram;
    uint64_t arenas; // entered, with a matchmaker
};

int report_connected(const struct report_source *source)
{
    int connected = 0;
    for (int i = 0; i < source->player_count; i++)
        connected += source->players[i].played;
    return connected;
}

int report_disconnected(const struct report_source *source)
{
    int disconnected = 0;
    for (int i = 0; i < source->player_count; i++)
        disconnected += source->players[i].played && source->players[i].broken;
    return disconnected;
}

void report_sample(struct report_samples *samples, const struct opponent *players, int count)
{
    for (int i = 0; i < count; i++) {
        if (!players[i].is_playing)
            continue;
        const struct raim_client_quality quality =
            raim_client_get_quality(raim_link_client(players[i].link));
        ping_histogram_add(&samples->pings, quality.round_trip_ms);
        samples->count++;
        samples->late += quality.margin < 0;
    }
}

static double late_percent(const struct report_samples *samples)
{
    return samples->count > 0 ? 100.0 * (double)samples->late / (double)samples->count : 0;
}

void report_second(const struct opponent *players, int count, double seconds)
{
    static struct report_samples samples;
    double lost = 0;
    samples = (struct report_samples){0};
    report_sample(&samples, players, count);
    printf("%6.0f s  %llu of %d play", seconds, (unsigned long long)samples.count, count);
    for (int i = 0; i < count; i++)
        if (players[i].is_playing)
            lost += raim_client_get_quality(raim_link_client(players[i].link)).loss;
    if (samples.count > 0)
        printf(", ping p50 %.1f p95 %.1f p99 %.1f ms, late %.1f %%, lost %.1f %%",
               ping_histogram_quantile(&samples.pings, 0.5),
               ping_histogram_quantile(&samples.pings, 0.95),
               ping_histogram_quantile(&samples.pings, 0.99), late_percent(&samples),
               100 * lost / (double)samples.count);
    putchar('\n');
    fflush(stdout);
}

void report_note_pause(struct report_samples *samples, struct opponent *player, double now_s)
{
    if (player->link == NULL)
        return;
    const struct raim_client_stats *stats = raim_client_get_stats(raim_link_client(player->link));
    if (stats->snapshots == player->snapshots)
        return;
    if (stats->resumes > player->resumes)
        ping_histogram_add(&samples->pauses, 1000 * (now_s - player->snapshot_s));
    player->snapshots = stats->snapshots;
    player->resumes = stats->resumes;
    player->snapshot_s = now_s;
}

static void add_quality(struct raim_client_quality *mean, const struct raim_client_quality *quality,
                        int count)
{
    mean->round_trip_ms += quality->round_trip_ms / count;
    mean->jitter_ms += quality->jitter_ms / count;
    mean->loss += quality->loss / count;
    mean->view_delay_ms += quality->view_delay_ms / count;
    mean->interpolation_ms += quality->interpolation_ms / count;
    mean->predictions += quality->predictions;
    mean->mispredictions += quality->mispredictions;
    mean->corrections_units += quality->corrections_units;
}

static struct totals add_up(const struct report_source *source)
{
    struct totals totals = {.connected = report_connected(source)};
    for (int i = 0; i < source->player_count; i++) {
        const struct opponent *player = &source->players[i];
        const struct raim_link_traffic traffic = opponent_traffic(player);
        const struct raim_client_stats stats = opponent_stats(player);
        opponent_add_stats(&totals.sum, &stats);
        totals.arenas += player->queue.arenas;
        if (player->played) {
            const struct raim_client_quality quality = opponent_quality(player);
            add_quality(&totals.mean, &quality, totals.connected);
        }
        totals.broken += player->played && player->broken;
        totals.rejected += !player->played && player->broken;
        if (traffic.largest_datagram > totals.largest_datagram)
            totals.largest_datagram = traffic.largest_datagram;
        const double played_s = opponent_played_s(player);
        if (played_s > 0) {
            totals.bytes_down_per_s += (double)traffic.bytes_down / played_s / totals.connected;
            totals.bytes_up_per_s += (double)traffic.bytes_up / played_s / totals.connected;
        }
    }
    return totals;
}

const char *report_first_rejection(const struct opponent *players, int count)
{
    for (int i = 0; i < count; i++) {
        const struct opponent *player = &players[i];
        if (player->link == NULL || player->played || !player->broken)
            continue;
        const struct raim_client_end end = raim_client_get_end(raim_link_client(player->link));
        return raim_client_reason_name(end.reason);
    }
    return "none";
}

void report_table(const struct report_source *source)
{
    const struct totals totals = add_up(source);
    const struct raim_client_stats *sum = &totals.sum;
    const struct raim_client_quality *mean = &totals.mean;
    printf("%-18s %d of %d\n", "connected", totals.connected, source->player_count);
    printf("%-18s %d (first reason: %s)\n", "rejected", totals.rejected,
           report_first_rejection(source->players, source->player_count));
    printf("%-18s %d (%llu resumed)\n", "disconnected", totals.broken,
           (unsigned long long)sum->resumes);
    if (source->server_count == 0)
        printf("%-18s %llu, rounds %llu\n", "arenas", (unsigned long long)totals.arenas,
               (unsigned long long)sum->rounds);
    printf("%-18s %llu\n", "snapshots", (unsigned long long)sum->snapshots);
    printf("%-18s %llu\n", "decode errors", (unsigned long long)sum->decode_errors);
    printf("%-18s %llu (ignored: %llu early, %llu repeated)\n", "events",
           (unsigned long long)sum->events, (unsigned long long)sum->events_ahead,
           (unsigned long long)sum->events_repeated);
    printf("%-18s %.0f down, %.0f up\n", "bytes/s, a client", totals.bytes_down_per_s,
           totals.bytes_up_per_s);
    printf("%-18s %llu bytes\n", "largest datagram", (unsigned long long)totals.largest_datagram);
    printf("%-18s round trip %.0f ms, jitter %.0f ms, loss %.1f %%, others shown %.0f ms late\n",
           "network", mean->round_trip_ms, mean->jitter_ms, 100 * mean->loss, mean->view_delay_ms);
    const struct report_samples *samples = source->samples;
    printf("%-18s p50 %.1f ms, p95 %.1f ms, p99 %.1f ms\n", "ping",
           ping_histogram_quantile(&samples->pings, 0.5),
           ping_histogram_quantile(&samples->pings, 0.95),
           ping_histogram_quantile(&samples->pings, 0.99));
    if (samples->pauses.count > 0)
        printf("%-18s %llu, p50 %.0f ms, p99 %.0f ms, longest %.0f ms\n", "resumed after",
               (unsigned long long)samples->pauses.count,
               ping_histogram_quantile(&samples->pauses, 0.5),
               ping_histogram_quantile(&samples->pauses, 0.99),
               ping_histogram_quantile(&samples->pauses, 1));
    printf("%-18s %.2f %% of client-seconds\n", "late inputs", late_percent(samples));
    printf("%-18s %llu, wrong %llu, mean error %.1f units\n", "predictions",
           (unsigned long long)mean->predictions, (unsigned long long)mean->mispredictions,
           mean->mispredictions > 0 ? mean->corrections_units / (double)mean->mispredictions : 0);
    printf("%-18s %llu, hits %llu, kills %llu, deaths %llu\n", "shots",
           (unsigned long long)sum->shots, (unsigned long long)sum->hits,
           (unsigned long long)sum->kills, (unsigned long long)sum->deaths);
}

static void set(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static const char *server_of(const struct report_source *source, const struct opponent *player)
{
    return source->server_count > 0 ? source->servers[player->server] : player->queue.server;
}

// The round trip that the server last sent to everybody of this player; -1: unknown.
static int32_t server_ping_ms(const struct raim_client *client)
{
    return raim_client_map(client) == NULL || raim_client_is_spectator(client)
               ? -1
               : raim_client_get_roster_entry(client, raim_client_own_slot(client))->ping_ms;
}

static json_t *player_rows(const struct report_source *source)
{
    json_t *rows = json_array();
    for (int i = 0; i < source->player_count; i++) {
        const struct opponent *player = &source->players[i];
        if (player->link == NULL)
            continue;
        const struct raim_client *client = raim_link_client(player->link);
        const struct raim_client_stats stats = opponent_stats(player);
        json_t *row = json_object();
        json_object_set_new(row, "name", json_string(player->name));
        json_object_set_new(row, "server", json_string(server_of(source, player)));
        json_object_set_new(
            row, "end", json_string(raim_client_reason_name(raim_client_get_end(client).reason)));
        json_object_set_new(row, "text", json_string(raim_client_get_end(client).text));
        set(row, "kills", stats.kills);
        set(row, "deaths", stats.deaths);
        set(row, "kills_seen", stats.kills_seen);
        json_object_set_new(row, "ping_ms", json_integer(server_ping_ms(client)));
        json_array_append_new(rows, row);
    }
    return rows;
}

void report_json(const struct report_source *source)
{
    const struct totals totals = add_up(source);
    const struct raim_client_stats *sum = &totals.sum;
    const struct raim_client_quality *mean = &totals.mean;
    json_t *object = json_object();
    set(object, "clients", (uint64_t)source->player_count);
    json_object_set_new(object, "seconds", json_real(source->seconds));
    set(object, "connected", (uint64_t)totals.connected);
    set(object, "rejected", (uint64_t)totals.rejected);
    set(object, "disconnected", (uint64_t)totals.broken);
    set(object, "snapshots", sum->snapshots);
    set(object, "decode_errors", sum->decode_errors);
    set(object, "events", sum->events);
    set(object, "events_ahead", sum->events_ahead);
    set(object, "events_repeated", sum->events_repeated);
    json_object_set_new(object, "bytes_down_per_s", json_real(totals.bytes_down_per_s));
    json_object_set_new(object, "bytes_up_per_s", json_real(totals.bytes_up_per_s));
    set(object, "largest_datagram", totals.largest_datagram);
    set(object, "largest_snapshot", sum->largest_snapshot);
    set(object, "shots", sum->shots);
    set(object, "hits", sum->hits);
    set(object, "kills", sum->kills);
    set(object, "deaths", sum->deaths);
    set(object, "resumes", sum->resumes);
    set(object, "entries", sum->entries);
    set(object, "rounds", sum->rounds);
    set(object, "arenas", totals.arenas);
    json_object_set_new(object, "round_trip_ms", json_real(mean->round_trip_ms));
    const struct report_samples *samples = source->samples;
    json_object_set_new(object, "ping_p50_ms",
                        json_real(ping_histogram_quantile(&samples->pings, 0.5)));
    json_object_set_new(object, "ping_p95_ms",
                        json_real(ping_histogram_quantile(&samples->pings, 0.95)));
    json_object_set_new(object, "ping_p99_ms",
                        json_real(ping_histogram_quantile(&samples->pings, 0.99)));
    set(object, "pauses", samples->pauses.count);
    json_object_set_new(object, "pause_p50_ms",
                        json_real(ping_histogram_quantile(&samples->pauses, 0.5)));
    json_object_set_new(object, "pause_p99_ms",
                        json_real(ping_histogram_quantile(&samples->pauses, 0.99)));
    json_object_set_new(object, "longest_pause_ms",
                        json_real(ping_histogram_quantile(&samples->pauses, 1)));
    json_object_set_new(object, "late", json_real(late_percent(samples) / 100));
    json_object_set_new(object, "jitter_ms", json_real(mean->jitter_ms));
    json_object_set_new(object, "loss", json_real(mean->loss));
    json_object_set_new(object, "view_delay_ms", json_real(mean->view_delay_ms));
    json_object_set_new(object, "interpolation_ms", json_real(mean->interpolation_ms));
    set(object, "predictions", mean->predictions);
    set(object, "mispredictions", mean->mispredictions);
    json_object_set_new(object, "players", player_rows(source));
    json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(object);
}
