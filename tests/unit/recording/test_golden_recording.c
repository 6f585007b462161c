// SPDX-License-Identifier: MIT
// The recording in tests/golden is replayed to the bit by every compiler and on every little-endian
// machine; a big-endian one rejects it. After an intended change of what a step does, or of a
// world's bytes, increment RAIM_WORLD_LAYOUT and make the file anew by ./dev bless.
#include "recording.h"
#include "recording_writer.h"
#include "test.h"

static uint8_t bytes[128 * 1024];
static size_t size;

static int load(void **state)
{
    (void)state;
    FILE *file = fopen(RAIM_SOURCE_DIR "/tests/golden/crossfire.raimrec", "rb");
    if (file == NULL)
        return -1;
    size = fread(bytes, 1, sizeof bytes, file);
    return fclose(file);
}

TEST(the_golden_recording_is_replayed_to_the_bit)
{
    char error[RAIM_RECORDING_ERROR_BYTES] = "";
    struct raim_recording *recording = raim_recording_open(bytes, size, error, sizeof error);
    if (!raim_recording_is_supported()) {
        assert_null(recording);
        assert_string_equal(error, "recordings need a little-endian machine");
        return;
    }
    if (recording == NULL)
        fail_msg("%s", error);
    while (raim_recording_step(recording)) {
    }
    const struct raim_recording_fault *fault = raim_recording_fault(recording);
    if (fault != NULL)
        fail_msg("%s, after tick %u", fault->why, fault->agreed);
    const struct raim_recording_info *info = raim_recording_info(recording);
    assert_int_equal(raim_recording_tick(recording), 900);
    assert_int_equal(info->clients, 3);
    assert_int_equal(info->bots, 12);
    assert_int_equal(raim_recording_comparisons(recording), 15 + 1 + 1); // seconds, keyframe, end
    uint32_t chapters, kills = 0;
    const struct raim_chapter *chapter = raim_recording_chapters(recording, &chapters);
    for (uint32_t i = 0; i < chapters; i++)
        kills += chapter[i].kind == RAIM_CHAPTER_KILL;
    assert_true(kills > 0);
    raim_recording_close(recording);
}

TEST_GROUP(load, NULL)
