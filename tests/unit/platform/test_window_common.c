// SPDX-License-Identifier: MIT
// What windows of all platforms make of text, keys and sticks.
#include "test.h"
#include "window_common.h"

#include <string.h>

TEST(typed_text_that_is_too_long_ends_with_a_whole_character)
{
    static struct window_event event;
    char text[sizeof event.text + 8];
    for (size_t before = 0; before < 4;
         before++) { // so that each byte of a character is the first to be lost
        memset(text, 'x', before);
        text[before] = '\0';
        while (strlen(text) + 4 < sizeof text)
            strcat(text, "\xF0\x9F\x8E\xAE");
        window_type(&event, text);
        const size_t length = strlen(event.text);
        assert_int_equal(event.kind, WINDOW_TYPED);
        assert_true(length < sizeof event.text && length + 4 >= sizeof event.text);
        assert_int_equal((length - before) % 4, 0);
        assert_memory_equal(event.text, text, length);
    }
}

TEST(control_characters_are_typed_as_spaces)
{
    struct window_event event;
    window_type(&event, "one\ntwo\tthree\x1B");
    assert_string_equal(event.text, "one two three ");
}

TEST(a_stick_that_is_hardly_moved_is_at_rest)
{
    assert_true(raim_vec2_length(window_stick(0.1, -0.1)) == 0);
    assert_true(window_stick(0.6, -0.8).y == -0.8);
}
