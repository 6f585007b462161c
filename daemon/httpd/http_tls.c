// SPDX-License-Identifier: MIT
// Checks certificates with GnuTLS, which libmicrohttpd uses.
#include "http_tls.h"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// Of RSA keys.
enum { MAX_MODULUS_BITS = 8192, MAX_EXPONENT_BYTES = 4 };

// A client proves that it has the key of its certificate before anybody knows whether an authority
// has signed it. With an RSA key whose public exponent is as long as its modulus, to verify that
// takes 75 ms of CPU time at 8192 bits, and the client, whose private exponent is short, next to
// none.
static bool is_cheap(gnutls_x509_crt_t certificate)
{
    unsigned bits;
    gnutls_datum_t modulus, exponent;
    const int algorithm = gnutls_x509_crt_get_pk_algorithm(certificate, &bits);
    if (algorithm == GNUTLS_PK_ECDSA || algorithm == GNUTLS_PK_EDDSA_ED25519 ||
        algorithm == GNUTLS_PK_EDDSA_ED448)
        return true;
    if (algorithm != GNUTLS_PK_RSA ||
        gnutls_x509_crt_get_pk_rsa_raw(certificate, &modulus, &exponent) != 0)
        return false;
    gnutls_free(modulus.data);
    gnutls_free(exponent.data);
    return bits <= MAX_MODULUS_BITS && exponent.size <= MAX_EXPONENT_BYTES;
}

// Called when the signature by a client's key has been received, before it is verified: in TLS 1.3
// a verify function is called behind that. Returns 0 to go on.
static int check_key(gnutls_session_t session, unsigned type, unsigned when, unsigned is_incoming,
                     const gnutls_datum_t *message)
{
    (void)type, (void)when, (void)is_incoming, (void)message;
    unsigned count = 0;
    gnutls_x509_crt_t certificate;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    if (chain == NULL || count == 0)
        return 0; // its requests are refused
    if (gnutls_x509_crt_init(&certificate) != 0)
        return GNUTLS_E_MEMORY_ERROR;
    const bool is_good = gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) == 0 &&
                         is_cheap(certificate);
    gnutls_x509_crt_deinit(certificate);
    return is_good ? 0 : GNUTLS_E_UNSUPPORTED_CERTIFICATE_TYPE;
}

void http_tls_limit_keys(struct gnutls_session_int *session)
{
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_CERTIFICATE_VERIFY,
                                       GNUTLS_HOOK_PRE, check_key);
}

bool http_tls_has_certificate(struct gnutls_session_int *session)
{
    // An authority may sign certificates of servers, too, whose owners may not ask for anything.
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned faults;
    return gnutls_certificate_verify_peers(session, &purpose, 1, &faults) == 0 && faults == 0;
}

void http_tls_name(struct gnutls_session_int *session, char *name, size_t capacity)
{
    unsigned count = 0;
    gnutls_x509_crt_t certificate;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    name[0] = '\0';
    if (chain == NULL || count == 0 || gnutls_x509_crt_init(&certificate) != 0)
        return;
    size_t size = capacity;
    if (gnutls_x509_crt_import(certificate, chain, GNUTLS_X509_FMT_DER) != 0 ||
        gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, name,
                                      &size) != 0)
        name[0] = '\0';
    gnutls_x509_crt_deinit(certificate);
}
