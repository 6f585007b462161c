// SPDX-License-Identifier: MIT
// Reads a password from a terminal without echo, or from a pipe.
#define _GNU_SOURCE
#include "password_prompt.h"

#include "crypto.h"
#include "password.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { SIGNALS = 3, LINE_BYTES = PASSWORD_MAX_BYTES + 1 };

// The signals that end a program at its terminal, which must have its echo again before.
static const int ending[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t ended_by;

static void on_signal(int number)
{
    ended_by = number;
}

// Reads a line of the standard input without buffering more than it. Returns false, with the
// reason in `problem`, if the text cannot be a password.
static bool read_line(char line[LINE_BYTES], const char **problem)
{
    size_t length = 0;
    ssize_t count;
    char byte = '\n';
    *problem = NULL;
    while ((count = read(STDIN_FILENO, &byte, 1)) == 1 && byte != '\n')
        if ((unsigned char)byte < 0x20 || byte == 0x7F)
            *problem = "want no control characters";
        else if (length == LINE_BYTES - 1)
            *problem = "want at most 128 bytes";
        else
            line[length++] = byte;
    line[length] = '\0';
    if (count < 0)
        *problem = errno == EINTR ? "interrupted" : strerror(errno);
    else if (length == 0 && *problem == NULL)
        *problem = "want at least one byte";
    return *problem == NULL;
}

// Reads a line of the terminal after a prompt, without echo.
static bool ask(const char *prompt, char line[LINE_BYTES], const char **problem)
{
    struct termios normal, silent;
    struct sigaction before[SIGNALS];
    const struct sigaction action = {.sa_handler = on_signal}; // read(2) then ends with EINTR
    if (tcgetattr(STDIN_FILENO, &normal) != 0) {
        *problem = strerror(errno);
        return false;
    }
    for (int i = 0; i < SIGNALS; i++)
        sigaction(ending[i], &action, &before[i]);
    silent = normal;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    fputs(prompt, stderr);
    const bool good = read_line(line, problem);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &normal);
    fputs("\n", stderr);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(ending[i], &before[i], NULL);
    if (ended_by != 0)
        raise(ended_by);
    return good;
}

static bool read_password(char line[LINE_BYTES], const char **problem)
{
    char again[LINE_BYTES];
    if (!isatty(STDIN_FILENO))
        return read_line(line, problem);
    bool good = ask("Password: ", line, problem) && ask("The same again: ", again, problem);
    if (good && strcmp(line, again) != 0) {
        *problem = "the two were not the same";
        good = false;
    }
    raim_crypto_wipe(again, sizeof again);
    return good;
}

bool password_prompt(const char **problem)
{
    uint8_t salt[PASSWORD_SALT_BYTES];
    char line[LINE_BYTES], text[PASSWORD_TEXT_BYTES];
    struct password password;
    if (!raim_crypto_init()) {
        *problem = "no random numbers";
        return false;
    }
    bool good = read_password(line, problem);
    raim_crypto_random(salt, sizeof salt);
    if (good && !password_make(line, salt, &password)) {
        *problem = "it needs 64 MiB of memory, which are not free";
        good = false;
    }
    raim_crypto_wipe(line, sizeof line);
    if (!good)
        return false;
    password_print(&password, text);
    puts(text);
    return true;
}
