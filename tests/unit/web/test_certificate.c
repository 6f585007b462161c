// SPDX-License-Identifier: MIT
// Self-made certificates are what browsers accept by their hashes, and are renewed with an overlap;
// those of files follow their files.
#define _GNU_SOURCE
#include "certificate.h"
#include "crypto.h"
#include "test.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <sys/stat.h>
#include <unistd.h>

enum { DAY_S = 24 * 3600 };

static const int64_t NOW_S = 1800000000;

static char directory[] = "/tmp/test_certificate_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return raim_crypto_init() && mkdtemp(directory) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

TEST_GROUP(set_up, tear_down)

static const char *path_of(const char *name)
{
    static char paths[2][128];
    static int next;
    char *path = paths[next++ % 2];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static struct certificates *open_made(const char *state, int64_t now_s)
{
    char problem[256];
    const struct certificates_def def = {.chain = "", .key = "", .state = state};
    struct certificates *certificates = certificates_open(&def, now_s, problem, sizeof problem);
    assert_string_equal(problem, "");
    assert_non_null(certificates);
    return certificates;
}

static bool update(struct certificates *certificates, int64_t now_s)
{
    char problem[256];
    const bool is_new = certificates_update(certificates, now_s, problem, sizeof problem);
    assert_string_equal(problem, "");
    return is_new;
}

TEST(a_self_made_certificate_is_one_that_browsers_accept)
{
    struct certificates *certificates = open_made(NULL, NOW_S);
    gnutls_x509_crt_t crt;
    const char *pem = certificates_current(certificates)->chain;
    const gnutls_datum_t text = {(unsigned char *)pem, (unsigned)strlen(pem)};
    char name[64];
    size_t size = sizeof name;
    unsigned bits, is_critical;
    assert_int_equal(gnutls_x509_crt_init(&crt), 0);
    assert_int_equal(gnutls_x509_crt_import(crt, &text, GNUTLS_X509_FMT_PEM), 0);
    assert_int_equal(gnutls_x509_crt_get_version(crt), 3);
    assert_int_equal(gnutls_x509_crt_get_pk_algorithm(crt, &bits), GNUTLS_PK_ECDSA);
    assert_int_equal(bits, 256);
    const time_t valid =
        gnutls_x509_crt_get_expiration_time(crt) - gnutls_x509_crt_get_activation_time(crt);
    assert_in_range(valid, 8 * DAY_S, 14 * DAY_S);
    assert_in_range(NOW_S, gnutls_x509_crt_get_activation_time(crt),
                    gnutls_x509_crt_get_expiration_time(crt));
    assert_in_range(gnutls_x509_crt_get_subject_alt_name(crt, 0, name, &size, &is_critical), 0,
                    GNUTLS_SAN_MAX);

    uint8_t hash[32], told[64];
    size_t hash_size = sizeof hash;
    gnutls_datum_t decoded;
    assert_int_equal(gnutls_x509_crt_get_fingerprint(crt, GNUTLS_DIG_SHA256, hash, &hash_size), 0);
    const char *hashes[2];
    assert_int_equal(certificates_hashes(certificates, hashes), 1);
    const gnutls_datum_t base64 = {(unsigned char *)hashes[0], (unsigned)strlen(hashes[0])};
    assert_int_equal(gnutls_base64_decode2(&base64, &decoded), 0);
    assert_int_equal(decoded.size, sizeof hash);
    memcpy(told, decoded.data, decoded.size);
    assert_memory_equal(told, hash, sizeof hash);
    gnutls_free(decoded.data);
    gnutls_x509_crt_deinit(crt);
    certificates_close(certificates);
}

TEST(each_page_that_asked_for_hashes_stays_good_for_four_days)
{
    struct certificates *certificates = open_made(NULL, NOW_S);
    struct {
        char hashes[2][CERTIFICATE_HASH_BYTES];
        int count;
    } told[100];
    int replaced = 0;
    enum { STEP_S = DAY_S / 2, STEPS = 100 };
    for (int step = 0; step < STEPS; step++) {
        const int64_t now_s = NOW_S + (int64_t)step * STEP_S;
        const char *hashes[2];
        replaced += update(certificates, now_s);
        told[step].count = certificates_hashes(certificates, hashes);
        for (int i = 0; i < told[step].count; i++)
            strcpy(told[step].hashes[i], hashes[i]);
        const struct certificate *current = certificates_current(certificates);
        assert_in_range(current->expires_s - now_s, DAY_S, 10 * DAY_S);
        for (int earlier = step > 7 ? step - 7 : 0; earlier <= step; earlier++) {
            bool is_known = false;
            for (int i = 0; i < told[earlier].count; i++)
                is_known |= strcmp(told[earlier].hashes[i], current->hash) == 0;
            assert_true(is_known);
        }
    }
    assert_in_range(replaced, 8, 13); // in 50 days
    certificates_close(certificates);
}

TEST(a_restart_keeps_the_certificate)
{
    char hash[CERTIFICATE_HASH_BYTES];
    struct certificates *certificates = open_made(directory, NOW_S);
    strcpy(hash, certificates_current(certificates)->hash);
    certificates_close(certificates);
    certificates = open_made(directory, NOW_S + DAY_S);
    assert_string_equal(certificates_current(certificates)->hash, hash);
    certificates_close(certificates);
    struct stat status;
    assert_int_equal(stat(path_of("current.pem"), &status), 0);
    assert_int_equal(status.st_mode & 077, 0);

    // One that has expired meanwhile, or is damaged, is replaced.
    certificates = open_made(directory, NOW_S + 30 * DAY_S);
    assert_string_not_equal(certificates_current(certificates)->hash, hash);
    certificates_close(certificates);
    FILE *file = fopen(path_of("current.pem"), "w");
    fputs("-----BEGIN CERTIFICATE-----\nnothing", file);
    fclose(file);
    certificates = open_made(directory, NOW_S);
    assert_non_null(certificates_current(certificates));
    certificates_close(certificates);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

TEST(files_are_read_again_when_they_change)
{
    struct certificates *one = open_made(NULL, NOW_S), *other = open_made(NULL, NOW_S);
    const struct certificate *first = certificates_current(one);
    const struct certificate *second = certificates_current(other);
    char problem[256];
    write_file(path_of("chain"), first->chain);
    write_file(path_of("key"), first->key);
    const struct certificates_def def = {.chain = path_of("chain"), .key = path_of("key")};
    struct certificates *certificates = certificates_open(&def, NOW_S, problem, sizeof problem);
    assert_non_null(certificates);
    const char *hashes[2];
    assert_int_equal(certificates_hashes(certificates, hashes), 0);
    assert_string_equal(certificates_current(certificates)->hash, first->hash);
    assert_false(update(certificates, NOW_S));

    // A session keeps the certificate that it began with.
    struct certificate *kept = certificate_keep(certificates_current(certificates));
    write_file(def.chain, second->chain);
    assert_false(certificates_update(certificates, NOW_S, problem, sizeof problem));
    assert_non_null(strstr(problem, "cannot use")); // the key is still the old one
    assert_string_equal(certificates_current(certificates)->hash, first->hash);
    write_file(def.key, second->key);
    assert_true(update(certificates, NOW_S));
    assert_string_equal(certificates_current(certificates)->hash, second->hash);
    assert_string_equal(kept->hash, first->hash);
    certificate_release(kept);
    certificates_close(certificates);
    certificates_close(one);
    certificates_close(other);

    unlink(def.key);
    assert_null(certificates_open(&def, NOW_S, problem, sizeof problem));
    assert_non_null(strstr(problem, "No such file"));
}
