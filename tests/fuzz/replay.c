// SPDX-License-Identifier: MIT
// Runs a fuzz target without libFuzzer: over every input of every corpus given (TARGET.hex, an
// input a line) and every other file given, and then over random mutations of them. An input that
// fails is left in the working directory.
#define _GNU_SOURCE
#include "fuzz.h"

#include "random.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { MAX_INPUTS = 4096, MAX_BYTES = 1 << 16, EDITS = 4 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input inputs[MAX_INPUTS];
static size_t input_count;
static struct input current;  // what runs
static char crash_path[256];  // where it goes when it fails,
static char crash_words[320]; // and what is then said

// Sanitizers end in abort, so that there is one way to die.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
    return "abort_on_error=1";
}

static void keep_input(int number)
{
    const int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0 && write(file, current.bytes, current.size) == (ssize_t)current.size &&
        write(STDERR_FILENO, crash_words, strlen(crash_words)) > 0)
        close(file);
    signal(number, SIG_DFL);
    raise(number);
}

static void run(const uint8_t *bytes, size_t size)
{
    current.bytes = fuzz_copy(bytes, size);
    current.size = size;
    LLVMFuzzerTestOneInput(current.bytes, size);
    free(current.bytes);
}

static void add_input(uint8_t *bytes, size_t size)
{
    assert(input_count < MAX_INPUTS);
    inputs[input_count++] = (struct input){bytes, size};
}

// A line of a corpus: `HEX` or `NAME: HEX`.
static bool add_line(const char *line)
{
    const char *digits = strchr(line, ':');
    digits = digits != NULL ? digits + 1 : line;
    digits += strspn(digits, " ");
    const size_t size = strspn(digits, "0123456789abcdef") / 2;
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    assert(bytes != NULL);
    for (size_t i = 0; i < size; i++) {
        const char byte[] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
    }
    add_input(bytes, size);
    return size <= MAX_BYTES && strcmp(digits + 2 * size, "\n") == 0;
}

// A corpus, or, if its name does not end in .hex, one input.
static bool load(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool good = true;
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcmp(dot, ".hex") == 0) {
        char *line = NULL;
        size_t capacity = 0;
        while (getline(&line, &capacity, file) > 0)
            good = add_line(line) && good;
        free(line);
    } else {
        uint8_t *bytes = malloc(MAX_BYTES);
        assert(bytes != NULL);
        add_input(bytes, fread(bytes, 1, MAX_BYTES, file));
        good = fgetc(file) == EOF;
    }
    good = ferror(file) == 0 && good;
    fclose(file);
    return good;
}

// Puts a piece of another input over, or between, what is there.
static size_t weave(uint64_t *random, uint8_t *bytes, size_t size)
{
    const struct input *other = &inputs[raim_random_below(random, (uint32_t)input_count)];
    const size_t from = raim_random_below(random, (uint32_t)other->size + 1);
    size_t length = raim_random_below(random, (uint32_t)(other->size - from) + 1);
    const size_t at = raim_random_below(random, (uint32_t)size + 1);
    const size_t kept = raim_random_below(random, 2) != 0 ? size - at : 0;
    length = length < MAX_BYTES - size ? length : MAX_BYTES - size;
    memmove(bytes + at + length, bytes + at, kept);
    memcpy(bytes + at, other->bytes + from, length);
    return at + length + kept;
}

static size_t mutate(uint64_t *random, uint8_t *bytes, size_t size)
{
    for (uint32_t edits = 1 + raim_random_below(random, EDITS); edits > 0; edits--) {
        const uint32_t kind = raim_random_below(random, 8);
        const uint32_t at = size > 0 ? raim_random_below(random, (uint32_t)size) : 0;
        if (kind == 0)
            size = weave(random, bytes, size);
        else if (kind == 1)
            size = at;
        else if (size > 0 && kind < 5)
            bytes[at] ^= (uint8_t)(1 << raim_random_below(random, 8));
        else if (size > 0)
            bytes[at] = (uint8_t)raim_random_below(random, 256);
    }
    return size;
}

static void run_mutations(uint64_t seed, unsigned long runs)
{
    static uint8_t bytes[2 * MAX_BYTES];
    uint64_t random = seed;
    for (unsigned long i = 0; i < runs; i++) {
        const struct input *input = &inputs[raim_random_below(&random, (uint32_t)input_count)];
        memcpy(bytes, input->bytes, input->size);
        run(bytes, mutate(&random, bytes, input->size));
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    unsigned long runs = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            seed = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
            runs = strtoul(argv[++i], NULL, 10);
        } else if (!load(argv[i])) {
            fprintf(stderr, "replay: cannot read %s\n", argv[i]);
            return 1;
        }
    }
    if (input_count == 0) {
        fprintf(stderr, "usage: %s [--runs N] [--seed N] FILE...\n", argv[0]);
        return 64;
    }
    snprintf(crash_path, sizeof crash_path, "./%s-crash", program_invocation_short_name);
    snprintf(crash_words, sizeof crash_words, "the input that failed is in %s\n", crash_path);
    signal(SIGABRT, keep_input);
    for (size_t i = 0; i < input_count; i++)
        run(inputs[i].bytes, inputs[i].size);
    run_mutations(seed, runs);
    printf("%zu inputs and %lu mutations with seed %" PRIu64 "\n", input_count, runs, seed);
    for (size_t i = 0; i < input_count; i++)
        free(inputs[i].bytes);
    return 0;
}
