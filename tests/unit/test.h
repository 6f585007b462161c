// SPDX-License-Identifier: MIT
// The tests of a component: TEST(name) {...} defines and registers one, cmocka runs it and has its
// assertions. The program's command line is described in test.c.
#pragma once

// Every test has these at hand; a test file names only its other headers.
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Adds a test to the group of its file.
void test_register(const char *file, struct CMUnitTest test);

// What is called before the first test of the file and after the last.
void test_register_group(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down);

// What is called before and after each test of the file.
void test_register_each(const char *file, void (*set_up)(void), void (*tear_down)(void));

// Calls the function after the running test, passed or not; the last one added comes first.
void test_at_end(void (*function)(void *), void *argument);

// Calls the function of this argument now, where a test makes many things.
void test_end_now(const void *argument);

// Frees the memory after the running test, and returns it.
static inline void *freed(void *memory)
{
    test_at_end(free, memory);
    return memory;
}

// TEST(name), or TEST(name, set_up, tear_down), either of which may be NULL. The body may use
// `void **state`.
#define TEST(...) TEST_WITH(__VA_ARGS__, NULL, NULL, )
#define TEST_WITH(name, set_up, tear_down, ...)                                                    \
    static void test_##name(void **state);                                                         \
    __attribute__((constructor)) static void register_##name(void)                                 \
    {                                                                                              \
        test_register(__FILE__, (struct CMUnitTest){#name, test_##name, set_up, tear_down, NULL}); \
    }                                                                                              \
    static void test_##name(__attribute__((unused)) void **state)

// Once in a file or in its fixture's header: calls a `void set_up(void)` before and a
// `void tear_down(void)` after each test.
#define TEST_EACH(set_up, tear_down)                                                               \
    __attribute__((constructor)) static void register_each(void)                                   \
    {                                                                                              \
        test_register_each(__BASE_FILE__, set_up, tear_down);                                      \
    }

// Once in a file, behind its fixtures.
#define TEST_GROUP(set_up, tear_down)                                                              \
    __attribute__((constructor)) static void register_group(void)                                  \
    {                                                                                              \
        test_register_group(__FILE__, set_up, tear_down);                                          \
    }
