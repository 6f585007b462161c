// SPDX-License-Identifier: MIT
// Tests of the rows of metrics: what the status and Prometheus are given of them.
#include "metric.h"

#include "json_writer.h"
#include "test.h"

struct module {
    uint64_t made;
    uint32_t now;
    bool is_on;
    struct histogram times;
};

static uint64_t half(const void *object)
{
    const struct module *module = object;
    return 10 * module->made / 2;
}

#define MODULE(member) METRIC_OF(struct module, member)

static const struct metric rows[] = {
    {"made", "raimd_made_total", "Made.", METRIC_COUNTER, MODULE(made)},
    {"now", "raimd_now", "Now.", METRIC_GAUGE, MODULE(now)},
    {"on", "raimd_on", "On.", METRIC_FLAG, MODULE(is_on)},
    {"half", NULL, "Half of them.", METRIC_TENTHS, .get = half},
    {NULL, "raimd_time_seconds", "Times.", METRIC_HISTOGRAM, MODULE(times)},
};

static bool is_on(const void *object)
{
    const struct module *module = object;
    return module->is_on;
}

static void write_words(const void *object, struct json_writer *json, uint64_t now_ms)
{
    (void)object;
    json_write_count(json, "at", now_ms);
}

static const struct metric_table plain = {METRIC_ROWS(rows)};
static const struct metric_table grouped = {
    .group = "things", METRIC_ROWS(rows), .write_members = write_words};
static const struct metric_table optional = {
    .group = "things", METRIC_ROWS(rows), .is_optional = true, .is_on = is_on};

static void assert_status(const struct metric_table *table, const void *object, const char *wanted)
{
    struct json_writer json = {0};
    json_begin_object(&json, NULL);
    metric_write_status(&(struct metric_source){table, object}, &json, 7);
    json_write_end(&json);
    char *text = json_write_take(&json);
    assert_string_equal(text, wanted);
    free(text);
}

TEST(status_has_a_value_of_each_row_with_a_key)
{
    const struct module module = {.made = 5, .now = 2, .is_on = true};
    assert_status(&plain, &module, "{\"made\":5,\"now\":2,\"on\":true,\"half\":2.5}");
    assert_status(&grouped, &module,
                  "{\"things\":{\"at\":7,\"made\":5,\"now\":2,\"on\":true,\"half\":2.5}}");
    assert_status(&optional, &module,
                  "{\"things\":{\"made\":5,\"now\":2,\"on\":true,\"half\":2.5}}");
}

TEST(module_that_is_off_has_zeros_or_is_null)
{
    const struct module off = {.made = 5};
    assert_status(&plain, NULL, "{\"made\":0,\"now\":0,\"on\":false,\"half\":0.0}");
    assert_status(&optional, NULL, "{\"things\":null}");
    assert_status(&optional, &off, "{\"things\":null}");
}

static char *families(const struct metric_table *table, const void *object)
{
    struct text_buffer out = {0};
    metric_write_families(&(struct metric_source){table, object}, &out, 7);
    return text_buffer_take(&out);
}

TEST(prometheus_has_a_family_of_each_row_with_a_name)
{
    struct module module = {.made = 5, .now = 2, .is_on = true};
    histogram_count(&module.times, 1);
    char *text = families(&plain, &module);
    const char *begin = "# HELP raimd_made_total Made.\n# TYPE raimd_made_total counter\n"
                        "raimd_made_total 5\n# HELP raimd_now Now.\n# TYPE raimd_now gauge\n"
                        "raimd_now 2\n# HELP raimd_on On.\n# TYPE raimd_on gauge\nraimd_on 1\n"
                        "# HELP raimd_time_seconds Times.\n# TYPE raimd_time_seconds histogram\n";
    assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
    assert_non_null(strstr(text, "\nraimd_time_seconds_count 1\n"));
    assert_null(strstr(text, "half"));
    free(text);
}

TEST(module_that_is_off_has_no_family_if_it_is_optional)
{
    char *text = families(&optional, NULL);
    assert_string_equal(text, "");
    free(text);
    text = families(&plain, NULL);
    assert_non_null(strstr(text, "\nraimd_made_total 0\n"));
    assert_non_null(strstr(text, "\nraimd_time_seconds_count 0\n"));
    free(text);
}
