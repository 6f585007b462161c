// SPDX-License-Identifier: MIT
// Writes the families that belong to no arena.
#include "metrics_process.h"

#include "message.h"
#include "metrics_write.h"
#include "process_usage.h"

#include <inttypes.h>
#include <stddef.h>

#define NS_PER_MS UINT64_C(1000000)

#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)

#ifdef __clang__
#define COMPILER "clang " NUMBER_TEXT(__clang_major__) "." NUMBER_TEXT(__clang_minor__)
#else
#define COMPILER "gcc " NUMBER_TEXT(__GNUC__) "." NUMBER_TEXT(__GNUC_MINOR__)
#endif

static void write_real(FILE *out, const char *name, enum metrics_kind kind, const char *help,
                       double value)
{
    metrics_family(out, name, kind, help);
    fprintf(out, "%s %.2f\n", name, value);
}

// Names and meanings are those of Prometheus' guide for client libraries.
static void write_usage(FILE *out, struct process_usage *usage)
{
    struct process_usage_values values;
    if (!process_usage_read(usage, &values))
        return;
    write_real(out, "process_cpu_seconds_total", METRICS_COUNTER,
               "User and system CPU time of the process.", values.cpu_s);
    write_real(out, "process_start_time_seconds", METRICS_GAUGE,
               "Start of the process, in seconds since 1970.", values.started_s);
    const struct {
        const char *name, *help;
        uint64_t value;
    } gauges[] = {
        {"process_virtual_memory_bytes", "Virtual memory of the process.", values.virtual_bytes},
        {"process_resident_memory_bytes", "Resident memory of the process.", values.resident_bytes},
        {"process_threads", "Threads of the process.", values.threads},
        {"process_open_fds", "Open file descriptors.", values.open_descriptors},
        {"process_max_fds", "Largest number of open file descriptors.", values.max_descriptors},
    };
    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        metrics_count(out, gauges[i].name, METRICS_GAUGE, gauges[i].help, gauges[i].value);
}

static void write_build(FILE *out)
{
    metrics_family(out, "raimd_build_info", METRICS_GAUGE,
                   "Version of raimd, its protocol and its compiler as labels; the value is always "
                   "1.");
    fprintf(out, "raimd_build_info{version=\"%s\",protocol=\"%d\",compiler=\"%s\"} 1\n",
            RAIM_VERSION, RAIM_PROTOCOL_VERSION, COMPILER);
}

static void write_workers(FILE *out, const struct arena_list *list)
{
    metrics_count(out, "raimd_workers", METRICS_GAUGE, "Worker threads.",
                  (uint64_t)list->worker_count);
    metrics_family(out, "raimd_worker_overloaded", METRICS_GAUGE,
                   "1 while a worker was busy for more than 90 % of the last 5 s, else 0.");
    for (int i = 0; i < list->worker_count; i++)
        fprintf(out, "raimd_worker_overloaded{worker=\"%d\"} %d\n", i, list->loads[i].is_on);
    metrics_family(out, "raimd_worker_busy_seconds_total", METRICS_COUNTER,
                   "Busy time of a worker; its rate is the utilization.");
    for (int i = 0; i < list->worker_count; i++) {
        fprintf(out, "raimd_worker_busy_seconds_total{worker=\"%d\"} ", i);
        metrics_seconds(out, worker_busy_ns(list->workers[i]));
        fputc('\n', out);
    }
}

static void write_uptime(FILE *out, const struct arena_list *list, uint64_t now_ms)
{
    metrics_family(out, "raimd_uptime_seconds", METRICS_GAUGE, "Time since the start.");
    fputs("raimd_uptime_seconds ", out);
    metrics_seconds(out, (now_ms - list->started_ms) * NS_PER_MS);
    fputc('\n', out);
}

static void write_requests(FILE *out, const char *kind, const char *result, uint64_t count)
{
    fprintf(out, "raimd_agones_requests_total{kind=\"%s\",result=\"%s\"} %" PRIu64 "\n", kind,
            result, count);
}

static void write_orchestrator(FILE *out, const struct orchestrator_report *report)
{
    if (report == NULL)
        return;
    metrics_family(out, "raimd_agones_up", METRICS_GAUGE,
                   "1 while Agones' SDK server answers, else 0.");
    fprintf(out, "raimd_agones_up %d\n", report->is_connected);
    metrics_family(out, "raimd_agones_phase", METRICS_GAUGE,
                   "Phase under Agones as a label; the value is always 1.");
    fputs("raimd_agones_phase{", out);
    metrics_label(out, "phase", report->phase);
    fputs("} 1\n", out);
    metrics_family(out, "raimd_agones_requests_total", METRICS_COUNTER,
                   "Requests to Agones' SDK server since its first answer.");
    for (int i = 0; i < report->kinds; i++) {
        const struct orchestrator_requests *requests = &report->requests[i];
        write_requests(out, requests->kind, "accepted", requests->accepted);
        write_requests(out, requests->kind, "refused", requests->refused);
        write_requests(out, requests->kind, "unanswered", requests->unanswered);
    }
    metrics_family(out, "raimd_agones_updates_total", METRICS_COUNTER,
                   "Updates of the GameServer received.");
    fprintf(out, "raimd_agones_updates_total %" PRIu64 "\n", report->updates);
    metrics_family(out, "raimd_agones_malformed_total", METRICS_COUNTER,
                   "Answers, updates and requests for rooms that could not be read.");
    fprintf(out, "raimd_agones_malformed_total %" PRIu64 "\n", report->malformed);
}

static void write_rooms(FILE *out, const struct arena_list_rooms *rooms)
{
    metrics_count(out, "raimd_rooms", METRICS_GAUGE, "Arenas made on request that run.",
                  rooms->now);
    metrics_count(out, "raimd_free_rooms", METRICS_GAUGE, "Arenas that could be made on request.",
                  rooms->free);
    metrics_count(out, "raimd_rooms_made_total", METRICS_COUNTER, "Arenas made on request.",
                  rooms->made);
    metrics_count(out, "raimd_rooms_ended_total", METRICS_COUNTER,
                  "Arenas made on request that have ended.", rooms->ended);
    metrics_count(out, "raimd_room_requests_refused_total", METRICS_COUNTER,
                  "Requests for an arena that were refused.", rooms->refused);
    metrics_family(out, "raimd_room_creation_seconds", METRICS_HISTOGRAM,
                   "Time from a request for an arena to its answer.");
    metrics_histogram(out, "raimd_room_creation_seconds", &rooms->creations, histogram_bounds_ns,
                      NULL, NULL);
}

static void write_control(FILE *out, const struct arena_list_control *control)
{
    metrics_count(out, "raimd_control_connections_limited_total", METRICS_COUNTER,
                  "TLS connections to control.listen that were closed because too many began.",
                  control->limited);
    metrics_count(out, "raimd_control_requests_denied_total", METRICS_COUNTER,
                  "Requests to control.listen without its token or certificate, or of browsers.",
                  control->denied);
    metrics_count(out, "raimd_logins_denied_total", METRICS_COUNTER,
                  "Logins of RCON and of admins that were wrong, or not tried because of earlier "
                  "ones.",
                  control->logins_denied);
}

static void write_results(FILE *out, const struct arena_list_results *results)
{
    metrics_count(out, "raimd_results_written_total", METRICS_COUNTER,
                  "Results of rounds that were recorded.", results->written);
    metrics_count(out, "raimd_results_lost_total", METRICS_COUNTER,
                  "Results of rounds that could not be written.", results->lost);
}

static void write_hook(FILE *out, const struct arena_list_hook *hook)
{
    metrics_count(out, "raimd_event_hook_delivered_total", METRICS_COUNTER,
                  "Events that the hook has accepted.", hook->delivered);
    metrics_count(out, "raimd_event_hook_failures_total", METRICS_COUNTER,
                  "Attempts to hand an event to the hook that failed.", hook->failures);
    metrics_count(out, "raimd_event_hook_dropped_total", METRICS_COUNTER,
                  "Events that the hook refused, or that became too old while it failed.",
                  hook->dropped);
    metrics_count(out, "raimd_event_hook_waiting", METRICS_GAUGE, "Events that wait for the hook.",
                  hook->waiting);
}

static void write_ban_list(FILE *out, const struct arena_list_ban_list *list, uint64_t now_ms)
{
    if (!list->is_on)
        return;
    metrics_count(out, "raimd_ban_list_networks", METRICS_GAUGE,
                  "Networks in force of the ban list that is fetched.", list->count);
    if (list->fetched_ms > 0)
        metrics_count(out, "raimd_ban_list_age_seconds", METRICS_GAUGE,
                      "Time since the ban list was last fetched or found unchanged.",
                      (now_ms - list->fetched_ms) / 1000);
    metrics_count(out, "raimd_ban_list_failures_total", METRICS_COUNTER,
                  "Attempts to fetch and read the ban list that failed.", list->failures);
}

void metrics_process(FILE *out, const struct arena_list *list, uint64_t now_ms)
{
    write_usage(out, list->process);
    write_build(out);
    write_uptime(out, list, now_ms);
    write_workers(out, list);
    metrics_count(out, "raimd_arenas", METRICS_GAUGE, "Arenas that run.", (uint64_t)list->count);
    write_rooms(out, &list->rooms);
    write_results(out, &list->results);
    if (list->hook.is_on)
        write_hook(out, &list->hook);
    metrics_count(out, "raimd_unread_state_lines", METRICS_GAUGE,
                  "Lines in the state directory that the start did not understand and kept.",
                  list->unread_state_lines);
    metrics_count(out, "raimd_lost_state_changes_total", METRICS_COUNTER,
                  "Changes of files in the state directory that could not be written.",
                  list->lost_state_changes);
    write_control(out, &list->control);
    write_ban_list(out, &list->ban_list, now_ms);
    write_orchestrator(out, list->orchestrator);
}
