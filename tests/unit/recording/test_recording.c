// SPDX-License-Identifier: MIT
// Recordings of matches: what is written is replayed to the bit.
//     test_recording [--seed N]
#include "seat_fixture.h"

#include "recording.h"
#include "recording_writer.h"
#include "tape.h"

static void test_nothing(void **state)
{
    (void)state;
    assert_true(raim_recording_is_supported());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
