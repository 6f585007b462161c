// SPDX-License-Identifier: MIT
// Makes, reads and renews certificates by GnuTLS.
#define _GNU_SOURCE // st_mtim
#include "certificate.h"

#include "crypto.h"
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DAY_S = 24 * 3600,
    VALID_S = 10 * DAY_S,
    ANNOUNCE_S = 6 * DAY_S, // the next one is made when the current one has less left,
    REPLACE_S = 2 * DAY_S,  // and takes its place when it has less than this
    EARLY_S = 3600,         // for browsers whose clocks are late
    MAX_FILE_BYTES = 1 << 17,
};

// What tells that a file has changed.
struct version {
    struct timespec modified;
    off_t size;
    ino_t inode;
};

struct certificates {
    struct certificates_def def;
    struct certificate *current, *next; // `next` of self-made ones alone
    struct version chain, key;
};

struct certificate *certificate_keep(struct certificate *certificate)
{
    certificate->references++;
    return certificate;
}

void certificate_release(struct certificate *certificate)
{
    if (certificate == NULL || --certificate->references > 0)
        return;
    if (certificate->credentials != NULL)
        gnutls_certificate_free_credentials(certificate->credentials);
    if (certificate->key != NULL)
        raim_crypto_wipe(certificate->key, strlen(certificate->key));
    free(certificate->key);
    free(certificate->chain);
    free(certificate);
}

// Reads the date and the hash of the first certificate of a chain.
static int read_chain(struct certificate *certificate, const gnutls_datum_t *chain)
{
    gnutls_x509_crt_t first = NULL;
    uint8_t hash[32];
    size_t size = sizeof hash;
    gnutls_datum_t base64 = {NULL, 0};
    const int made = gnutls_x509_crt_init(&first);
    int result = made;
    if (result == 0)
        result = gnutls_x509_crt_import(first, chain, GNUTLS_X509_FMT_PEM);
    if (result == 0)
        result = gnutls_x509_crt_get_fingerprint(first, GNUTLS_DIG_SHA256, hash, &size);
    if (result == 0)
        result = gnutls_base64_encode2(
            &(gnutls_datum_t){.data = hash, .size = (unsigned)sizeof hash}, &base64);
    if (result == 0) {
        snprintf(certificate->hash, sizeof certificate->hash, "%.*s", (int)base64.size,
                 (const char *)base64.data);
        certificate->expires_s = (int64_t)gnutls_x509_crt_get_expiration_time(first);
        gnutls_free(base64.data);
    }
    if (made == 0)
        gnutls_x509_crt_deinit(first);
    return result;
}

// Makes a certificate of PEM texts, which it takes. NULL with GnuTLS's reason.
static struct certificate *create(char *chain, char *key, int *result)
{
    struct certificate *certificate = calloc(1, sizeof *certificate);
    *result = GNUTLS_E_MEMORY_ERROR;
    if (certificate == NULL || chain == NULL || key == NULL) {
        free(chain);
        free(key);
        free(certificate);
        return NULL;
    }
    *certificate = (struct certificate){.references = 1, .chain = chain, .key = key};
    const gnutls_datum_t chain_text = {(unsigned char *)chain, (unsigned)strlen(chain)};
    const gnutls_datum_t key_text = {(unsigned char *)key, (unsigned)strlen(key)};
    *result = gnutls_certificate_allocate_credentials(&certificate->credentials);
    if (*result == 0) {
        // Positive numbers are indices of the pair.
        const int added = gnutls_certificate_set_x509_key_mem(certificate->credentials, &chain_text,
                                                              &key_text, GNUTLS_X509_FMT_PEM);
        *result = added < 0 ? added : read_chain(certificate, &chain_text);
    }
    if (*result == 0)
        return certificate;
    certificate_release(certificate);
    return NULL;
}

// --- The operator's files ---

static bool read_version(const char *path, struct version *version)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    *version = (struct version){status.st_mtim, status.st_size, status.st_ino};
    return true;
}

static bool is_same(const struct version *a, const struct version *b)
{
    return a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec &&
           a->size == b->size && a->inode == b->inode;
}

// The text of a file, which the caller frees; NULL with errno.
static char *read_file(int file)
{
    char *text = malloc(MAX_FILE_BYTES + 1);
    size_t size = 0;
    ssize_t count = 1;
    while (text != NULL && size < MAX_FILE_BYTES && count > 0) {
        count = read(file, text + size, MAX_FILE_BYTES - size);
        size += count > 0 ? (size_t)count : 0;
    }
    if (text == NULL || count == 0) {
        if (text != NULL)
            text[size] = '\0';
        return text;
    }
    free(text);
    errno = count > 0 ? EFBIG : errno;
    return NULL;
}

// Opens and reads a file; NULL with a reason.
static char *read_path(const char *path, char *problem, size_t capacity)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    char *text = file >= 0 ? read_file(file) : NULL;
    if (text == NULL)
        snprintf(problem, capacity, "cannot read %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return text;
}

static struct certificate *load_files(const struct certificates_def *def, char *problem,
                                      size_t capacity)
{
    char *chain = read_path(def->chain, problem, capacity);
    char *key = chain != NULL ? read_path(def->key, problem, capacity) : NULL;
    if (key == NULL) {
        free(chain);
        return NULL;
    }
    int result;
    struct certificate *certificate = create(chain, key, &result);
    if (certificate == NULL)
        snprintf(problem, capacity, "cannot use %s with the key %s: %s", def->chain, def->key,
                 gnutls_strerror(result));
    return certificate;
}

static bool reload_changed_files(struct certificates *certificates, char *problem, size_t capacity)
{
    struct version chain, key;
    const struct certificates_def *def = &certificates->def;
    if (!read_version(def->chain, &chain) || !read_version(def->key, &key) ||
        (is_same(&chain, &certificates->chain) && is_same(&key, &certificates->key)))
        return false;
    certificates->chain = chain;
    certificates->key = key;
    struct certificate *certificate = load_files(def, problem, capacity);
    if (certificate == NULL)
        return false;
    certificate_release(certificates->current);
    certificates->current = certificate;
    return true;
}

// --- Self-made ones ---

static int fill(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key, int64_t now_s)
{
    static const char name[] = "raim-web", host[] = "localhost";
    uint8_t serial[16];
    raim_crypto_random(serial, sizeof serial);
    serial[0] = (uint8_t)((serial[0] & 0x3F) | 0x40); // positive, and as long as it is
    int result = gnutls_x509_crt_set_version(certificate, 3);
    if (result == 0)
        result = gnutls_x509_crt_set_serial(certificate, serial, sizeof serial);
    if (result == 0)
        result = gnutls_x509_crt_set_activation_time(certificate, (time_t)(now_s - EARLY_S));
    if (result == 0)
        result =
            gnutls_x509_crt_set_expiration_time(certificate, (time_t)(now_s - EARLY_S + VALID_S));
    if (result == 0)
        result = gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                               sizeof name - 1);
    // Chromium has rejected a certificate without any extension.
    if (result == 0)
        result = gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, host,
                                                      sizeof host - 1, GNUTLS_FSAN_SET);
    if (result == 0)
        result = gnutls_x509_crt_set_key(certificate, key);
    return result == 0 ? gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0)
                       : result;
}

// A copy of what GnuTLS has exported.
static char *take_text(gnutls_datum_t *datum)
{
    char *text = strndup((const char *)datum->data, datum->size);
    gnutls_free(datum->data);
    return text;
}

static struct certificate *make(int64_t now_s, int *result)
{
    gnutls_x509_privkey_t key = NULL;
    gnutls_x509_crt_t crt = NULL;
    gnutls_datum_t chain_text = {NULL, 0}, key_text = {NULL, 0};
    struct certificate *certificate = NULL;
    *result = gnutls_x509_privkey_init(&key);
    if (*result == 0)
        *result = gnutls_x509_crt_init(&crt);
    if (*result == 0)
        *result = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
                                               GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (*result == 0)
        *result = fill(crt, key, now_s);
    if (*result == 0)
        *result = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &chain_text);
    if (*result == 0)
        *result = gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &key_text);
    if (*result == 0)
        certificate = create(take_text(&chain_text), take_text(&key_text), result);
    else if (chain_text.data != NULL)
        gnutls_free(chain_text.data);
    gnutls_x509_crt_deinit(crt);
    gnutls_x509_privkey_deinit(key);
    return certificate;
}

static void state_path(const struct certificates *certificates, bool is_next, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.pem", certificates->def.state, is_next ? "next" : "current");
}

// Keeps a certificate for the next start; without it, pages that know its hash only lose theirs.
static void store(const struct certificates *certificates, bool is_next)
{
    const struct certificate *certificate = is_next ? certificates->next : certificates->current;
    char path[PATH_MAX], *text = NULL;
    if (certificates->def.state == NULL || certificate == NULL ||
        asprintf(&text, "%s%s", certificate->key, certificate->chain) < 0)
        return;
    state_path(certificates, is_next, path);
    state_file_replace(path, text, strlen(text), STATE_FILE_PROCESS);
    raim_crypto_wipe(text, strlen(text));
    free(text);
}

// What was kept; NULL: nothing, or nothing good.
static struct certificate *restore(const struct certificates *certificates, bool is_next)
{
    char path[PATH_MAX];
    const char *problem;
    int result;
    if (certificates->def.state == NULL)
        return NULL;
    state_path(certificates, is_next, path);
    const int file = state_file_open(path, O_RDONLY, STATE_FILE_SECRET, &problem);
    if (file < 0)
        return NULL;
    char *text = read_file(file);
    close(file);
    const char *chain = text != NULL ? strstr(text, "-----BEGIN CERTIFICATE") : NULL;
    char *key = chain != NULL ? strndup(text, (size_t)(chain - text)) : NULL;
    struct certificate *certificate = chain != NULL ? create(strdup(chain), key, &result) : NULL;
    if (text != NULL)
        raim_crypto_wipe(text, strlen(text));
    free(text);
    return certificate;
}

static bool has_left(const struct certificate *certificate, int64_t now_s, int64_t least_s)
{
    // One of the future is of a clock that was wrong, or of another program.
    return certificate != NULL && certificate->expires_s - now_s >= least_s &&
           certificate->expires_s - now_s <= VALID_S;
}

static bool renew(struct certificates *certificates, int64_t now_s, char *problem, size_t capacity)
{
    int result = 0;
    bool is_new = false;
    if (!has_left(certificates->current, now_s, REPLACE_S)) {
        struct certificate *next =
            has_left(certificates->next, now_s, REPLACE_S) ? certificates->next : NULL;
        if (next == NULL)
            next = make(now_s, &result);
        else
            certificates->next = NULL;
        if (next != NULL) {
            certificate_release(certificates->current);
            certificates->current = next;
            store(certificates, false);
            is_new = true;
        }
    }
    if (result == 0 && !has_left(certificates->current, now_s, ANNOUNCE_S) &&
        !has_left(certificates->next, now_s, ANNOUNCE_S)) {
        struct certificate *next = make(now_s, &result);
        if (next != NULL) {
            certificate_release(certificates->next);
            certificates->next = next;
            store(certificates, true);
        }
    }
    if (result != 0)
        snprintf(problem, capacity, "cannot make a certificate: %s", gnutls_strerror(result));
    return is_new;
}

// --- Both ---

struct certificates *certificates_open(const struct certificates_def *def, int64_t now_s,
                                       char *problem, size_t capacity)
{
    struct certificates *certificates = calloc(1, sizeof *certificates);
    if (certificates == NULL) {
        snprintf(problem, capacity, "out of memory");
        return NULL;
    }
    certificates->def = *def;
    problem[0] = '\0';
    if (def->chain[0] != '\0') {
        read_version(def->chain, &certificates->chain);
        read_version(def->key, &certificates->key);
        certificates->current = load_files(def, problem, capacity);
    } else {
        certificates->current = restore(certificates, false);
        certificates->next = restore(certificates, true);
        renew(certificates, now_s, problem, capacity);
    }
    if (certificates->current != NULL)
        return certificates;
    certificates_close(certificates);
    return NULL;
}

void certificates_close(struct certificates *certificates)
{
    if (certificates == NULL)
        return;
    certificate_release(certificates->current);
    certificate_release(certificates->next);
    free(certificates);
}

bool certificates_update(struct certificates *certificates, int64_t now_s, char *problem,
                         size_t capacity)
{
    problem[0] = '\0';
    return certificates->def.chain[0] != '\0'
               ? reload_changed_files(certificates, problem, capacity)
               : renew(certificates, now_s, problem, capacity);
}

struct certificate *certificates_current(const struct certificates *certificates)
{
    return certificates->current;
}

int certificates_hashes(const struct certificates *certificates, const char *hashes[2])
{
    if (certificates->def.chain[0] != '\0')
        return 0;
    hashes[0] = certificates->current->hash;
    if (certificates->next == NULL)
        return 1;
    hashes[1] = certificates->next->hash;
    return 2;
}
