// SPDX-License-Identifier: MIT
// The triple buffer between two threads that use it at the same time.
#include "test.h"
#include "triple_buffer.h"

#include <pthread.h>

enum { WORDS = 64, VALUES = 200000 };

static void *write_values(void *argument)
{
    struct triple_buffer *buffer = argument;
    for (uint32_t value = 1; value <= VALUES; value++) {
        uint32_t *words = triple_buffer_back(buffer);
        for (int i = 0; i < WORDS; i++)
            words[i] = value;
        triple_buffer_publish(buffer);
    }
    return NULL;
}

TEST(a_reader_sees_whole_values_that_only_grow)
{
    struct triple_buffer buffer;
    pthread_t writer;
    assert_true(triple_buffer_create(&buffer, WORDS * sizeof(uint32_t)));
    assert_int_equal(((const uint32_t *)triple_buffer_front(&buffer))[0], 0);
    assert_int_equal(pthread_create(&writer, NULL, write_values, &buffer), 0);
    for (uint32_t last = 0; last < VALUES;) {
        const uint32_t *words = triple_buffer_front(&buffer);
        for (int i = 1; i < WORDS; i++)
            assert_int_equal(words[i], words[0]);
        assert_true(words[0] >= last);
        last = words[0];
    }
    pthread_join(writer, NULL);
    triple_buffer_destroy(&buffer);
}
