// SPDX-License-Identifier: MIT
// The table of used tokens after a kill, a clean stop, a reboot and damage to its file.
#define _GNU_SOURCE
#include "access_control_fixture.h"
#include "loop.h"

#include <sys/stat.h>
#include <unistd.h>

static struct directories {
    char runtime[64], state[64];
} made;
static char table_path[128], copy_path[128];

static void remove_directories(void *unused)
{
    (void)unused;
    static const char *const files[] = {"duel.tokens", "duels.tokens", "other",
                                        STATE_FILE_RESTORED};
    const char *const paths[] = {made.runtime, made.state};
    close_admission(admission);
    admission = NULL;
    if (made.runtime[0] == '\0')
        return;
    for (int i = 0; i < 2; i++) {
        char path[128];
        for (size_t j = 0; j < sizeof files / sizeof files[0]; j++) {
            snprintf(path, sizeof path, "%s/%s", paths[i], files[j]);
            unlink(path);
        }
        assert_int_equal(rmdir(paths[i]), 0); // no other file is left
    }
    made.runtime[0] = '\0';
}

static void make_directories(void)
{
    made = (struct directories){"/tmp/raim-admission-run-XXXXXX", "/tmp/raim-admission-XXXXXX"};
    assert_non_null(mkdtemp(made.runtime));
    assert_non_null(mkdtemp(made.state));
    snprintf(table_path, sizeof table_path, "%s/duel.tokens", made.runtime);
    snprintf(copy_path, sizeof copy_path, "%s/duel.tokens", made.state);
}

static void reopen(int64_t now_s)
{
    admission = open_admission("duel", made.runtime, made.state, now_s);
    assert_non_null(admission);
}

// In directories that are removed after the test.
static void open_in_directories(void)
{
    remove_directories(NULL);
    make_directories();
    test_at_end(remove_directories, NULL);
    reopen(NOW);
}

static struct access_control *killed[32]; // reachable, so that no leak is reported
static size_t kills;

// Simulates a kill: reopens the table without closing it.
static void kill_and_reopen(int64_t now_s)
{
    killed[kills++] = admission;
    reopen(now_s);
}

TEST(a_used_token_is_used_after_a_kill_and_after_a_clean_end)
{
    open_in_directories();
    assert_string_equal(error, "");
    const struct token used = usual_token(), unused = usual_token(), other = usual_token();
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_ADMITTED);
    kill_and_reopen(NOW + 1);
    assert_int_equal(judge(&used, NOW + 1), ACCESS_CONTROL_USED);
    assert_int_equal(judge(&unused, NOW + 1), ACCESS_CONTROL_ADMITTED);
    // As if the service manager had removed the runtime directory at a stop.
    close_admission(admission);
    assert_int_equal(access(table_path, F_OK), -1);
    reopen(NOW + 2);
    assert_int_equal(judge(&used, NOW + 2), ACCESS_CONTROL_USED);
    assert_int_equal(judge(&unused, NOW + 2), ACCESS_CONTROL_USED);
    assert_int_equal(judge(&other, NOW + 2), ACCESS_CONTROL_ADMITTED);
}

// Damages the table by `harm` and checks that only later tokens are valid.
static void assert_unknown_after(const char *what, void (*harm)(void))
{
    open_in_directories();
    const struct token used = usual_token(), unused = usual_token();
    struct raim_access later = usual();
    later.not_before = NOW + 10 + ACCESS_CONTROL_SKEW_S + 1;
    const struct token new = sign(&later, &matchmaker);
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_ADMITTED);
    harm();
    kill_and_reopen(NOW + 10);
    if (strstr(error, "lost") == NULL || judge(&used, NOW + 10) != ACCESS_CONTROL_UNRECORDED ||
        judge(&unused, NOW + 10) != ACCESS_CONTROL_UNRECORDED)
        fail_msg("%s: %s", what, error);
    assert_int_equal(judge(&new, NOW + 20), ACCESS_CONTROL_ADMITTED);
    // They stay rejected until the earlier tokens have expired.
    close_admission(admission);
    reopen(NOW + 100);
    assert_int_equal(judge(&used, NOW + 100), ACCESS_CONTROL_UNRECORDED);
    assert_int_equal(judge(&new, NOW + 100), ACCESS_CONTROL_USED);
}

static void lose_runtime(void)
{
    assert_int_equal(unlink(table_path), 0);
}

static void change_byte(const char *path, long at)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
}

static void change_magic(void)
{
    change_byte(table_path, 0);
}

static void change_boot(void)
{
    change_byte(table_path, 24);
}

static void cut(void)
{
    // Another file replaces the table while it is mapped.
    assert_int_equal(unlink(table_path), 0);
    FILE *file = fopen(table_path, "w");
    fputs("RAIMUSED", file);
    fclose(file);
    chmod(table_path, 0600);
}

static void link_elsewhere(void)
{
    char other[128];
    snprintf(other, sizeof other, "%s/other", made.runtime);
    assert_int_equal(rename(table_path, other), 0);
    assert_int_equal(symlink(other, table_path), 0);
}

static void open_to_all(void)
{
    assert_int_equal(chmod(table_path, 0666), 0);
}

TEST(after_a_lost_table_only_later_tokens_are_good)
{
    assert_unknown_after("the runtime directory is gone", lose_runtime);
    assert_unknown_after("another magic", change_magic);
    assert_unknown_after("a reboot, the directory on a disk", change_boot);
    assert_unknown_after("cut short", cut);
    assert_unknown_after("a symbolic link", link_elsewhere);
    assert_unknown_after("everybody could write it", open_to_all);
}

TEST(a_damaged_copy_of_a_clean_end_is_believed_in_no_byte)
{
    open_in_directories();
    const struct token used = usual_token();
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_ADMITTED);
    close_admission(admission);
    struct stat status;
    assert_int_equal(stat(copy_path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    for (long at = 0; at < status.st_size; at += at < 100 ? 1 : 9973) {
        char *bytes = malloc((size_t)status.st_size);
        FILE *file = fopen(copy_path, "r");
        assert_int_equal(fread(bytes, 1, (size_t)status.st_size, file), status.st_size);
        fclose(file);
        change_byte(copy_path, at);
        reopen(NOW + 10);
        assert_int_equal(judge(&used, NOW + 10), ACCESS_CONTROL_UNRECORDED);
        close_admission(admission);
        file = fopen(copy_path, "w");
        assert_int_equal(fwrite(bytes, 1, (size_t)status.st_size, file), status.st_size);
        fclose(file);
        free(bytes);
    }
    reopen(NOW + 10);
    assert_int_equal(judge(&used, NOW + 10), ACCESS_CONTROL_USED);
}

// A power cut while the table is in use: the runtime directory is empty, and the copy of the last
// clean end must not be there any more.
TEST(a_mark_stands_in_the_place_of_the_copy_while_tokens_are_used)
{
    char text[16] = "";
    open_in_directories();
    close_admission(admission); // leaves a whole copy
    reopen(NOW);
    FILE *file = fopen(copy_path, "r");
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "in use\n");
    const struct token used = usual_token();
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_ADMITTED);
    lose_runtime();
    kill_and_reopen(NOW + 10);
    assert_int_equal(judge(&used, NOW + 10), ACCESS_CONTROL_UNRECORDED);
}

// The copy that a backup may have, or has not, says nothing of the tokens used since.
TEST(after_a_restore_only_later_tokens_are_good)
{
    char path[128];
    remove_directories(NULL);
    make_directories();
    test_at_end(remove_directories, NULL);
    snprintf(path, sizeof path, "%s/" STATE_FILE_RESTORED, made.state);
    FILE *file = fopen(path, "w");
    fprintf(file, "%d\n", NOW);
    fclose(file);
    chmod(path, 0600);
    admission = open_admission("duel", made.runtime, made.state, NOW + 10);
    const struct token before = usual_token();
    assert_int_equal(judge(&before, NOW + 10), ACCESS_CONTROL_UNRECORDED);
    struct raim_access later = usual();
    later.not_before = NOW + ACCESS_CONTROL_SKEW_S + 1;
    const struct token new = sign(&later, &matchmaker);
    assert_int_equal(judge(&new, NOW + 10), ACCESS_CONTROL_ADMITTED);
}

TEST(a_clock_set_back_rejects_tokens_no_longer_than_needed)
{
    open_in_directories();
    lose_runtime();
    kill_and_reopen(NOW + INT64_C(1000000000));
    const struct token before = usual_token();
    assert_int_equal(judge(&before, NOW), ACCESS_CONTROL_UNRECORDED); // the clock has been set back
    struct raim_access later = usual();
    later.not_before = NOW + ACCESS_CONTROL_SKEW_S + 1;
    const struct token new = sign(&later, &matchmaker);
    assert_int_equal(judge(&new, NOW + 60), ACCESS_CONTROL_ADMITTED);
}

TEST(where_nothing_can_be_noted_every_token_is_rejected)
{
    close_admission(admission);
    for (int i = 0; i < 2; i++) {
        make_directories();
        admission = open_admission("duel", i == 0 ? "/nowhere" : made.runtime,
                                   i == 1 ? "/nowhere" : made.state, NOW);
        assert_non_null(admission);
        assert_string_equal(
            error, i == 0 ? "cannot write \"/nowhere/duel.tokens\": No such file or directory"
                          : "the mark cannot be written");
        const struct token token = usual_token();
        assert_int_equal(judge(&token, NOW), ACCESS_CONTROL_UNRECORDED);
        rename_admission(admission, "duels", NOW);
        assert_string_equal(error, "");
        remove_directories(NULL);
    }
}

TEST(an_arena_that_leaves_does_not_close_the_table_of_its_successor)
{
    open_in_directories();
    struct access_control *leaving = admission;
    reopen(NOW + 1);
    const struct token used = usual_token();
    assert_int_equal(judge(&used, NOW + 1), ACCESS_CONTROL_ADMITTED);
    used_tokens_file_leave(opened[index_of(leaving)].file);
    close_admission(leaving);
    kill_and_reopen(NOW + 2);
    assert_int_equal(judge(&used, NOW + 2), ACCESS_CONTROL_USED);
}

TEST(the_table_goes_with_the_arenas_name)
{
    open_in_directories();
    const struct token used = usual_token();
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_ADMITTED);
    rename_admission(admission, "duel", NOW); // its name does not change
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_USED);
    rename_admission(admission, "duels", NOW);
    assert_string_equal(error, "");
    killed[kills++] = admission;
    admission = open_admission("duels", made.runtime, made.state, NOW);
    rename_admission(admission, "duel", NOW);
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_USED);
    // An arena that takes over a name takes over its unknown uses.
    struct access_control *other = open_admission("duels", made.runtime, made.state, NOW);
    rename_admission(other, "duel", NOW + 10);
    assert_string_equal(error, "");
    killed[kills++] = admission;
    admission = other;
    assert_int_equal(judge(&used, NOW), ACCESS_CONTROL_UNRECORDED);
}

static struct used_tokens_file *open_in(struct store *store)
{
    const struct used_tokens_file_def def = {
        .name = "duel", .runtime = made.runtime, .store = store, .now_s = NOW};
    struct used_tokens_file *file = used_tokens_file_open(&def, error, sizeof error);
    assert_non_null(file);
    return file;
}

// Changes of a file may wait, so only the table in the runtime directory is known.
TEST(an_arena_added_again_reads_no_file_of_a_running_store)
{
    static const uint8_t nonce[RAIM_ACCESS_NONCE_BYTES] = {1};
    make_directories();
    struct loop *loop = loop_create();
    assert_non_null(loop);
    struct store *store = store_create(made.state);
    assert_true(store_start(store, loop));
    struct used_tokens_file *file = open_in(store);
    assert_string_equal(error, "");
    used_tokens_file_mark(file, "duel");
    assert_true(used_tokens_add(used_tokens_file_table(file), nonce, NOW + LIFE, NOW));
    used_tokens_file_close(file);
    file = open_in(store);
    assert_string_equal(error, "");
    assert_true(used_tokens_has(used_tokens_file_table(file), nonce));
    used_tokens_file_mark(file, "duel");
    lose_runtime();
    used_tokens_file_close(file);
    file = open_in(store);
    assert_non_null(strstr(error, "lost"));
    used_tokens_file_close(file); // not marked: the copy stays
    store_close(store);
    lose_runtime();
    store = store_create(made.state);
    file = open_in(store);
    assert_string_equal(error, "");
    assert_true(used_tokens_has(used_tokens_file_table(file), nonce));
    used_tokens_file_close(file);
    store_close(store);
    loop_destroy(loop);
    lose_runtime();
    remove_directories(NULL);
}
