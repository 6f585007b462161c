// SPDX-License-Identifier: MIT
// What differs between ngtcp2 0.12 (Debian 12) and 1.x (Debian 13), by the names of 1.x. A file
// that includes this header includes ngtcp2.h first.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if NGTCP2_VERSION_NUM >= 0x010000

#define QUIC_LEVEL_1RTT NGTCP2_ENCRYPTION_LEVEL_1RTT

static inline const uint8_t *quic_token(const ngtcp2_pkt_hd *header, size_t *size)
{
    *size = header->tokenlen;
    return header->token;
}

static inline void quic_set_token(ngtcp2_settings *settings, const ngtcp2_pkt_hd *header)
{
    settings->token = header->token;
    settings->tokenlen = header->tokenlen;
    settings->token_type = NGTCP2_TOKEN_TYPE_RETRY;
}

static inline void quic_set_original(ngtcp2_transport_params *parameters, ngtcp2_cid original)
{
    parameters->original_dcid = original;
    parameters->original_dcid_present = 1;
}

#else

typedef ngtcp2_crypto_level ngtcp2_encryption_level;
typedef ngtcp2_connection_close_error ngtcp2_ccerr;
#define QUIC_LEVEL_1RTT NGTCP2_CRYPTO_LEVEL_APPLICATION
#define ngtcp2_ccerr_default ngtcp2_connection_close_error_default
#define ngtcp2_ccerr_set_liberr ngtcp2_connection_close_error_set_transport_error_liberr
#define ngtcp2_ccerr_set_tls_alert ngtcp2_connection_close_error_set_transport_error_tls_alert
#define ngtcp2_ccerr_set_application_error ngtcp2_connection_close_error_set_application_error
#define ngtcp2_conn_in_closing_period ngtcp2_conn_is_in_closing_period
#define ngtcp2_conn_in_draining_period ngtcp2_conn_is_in_draining_period

static inline const uint8_t *quic_token(const ngtcp2_pkt_hd *header, size_t *size)
{
    *size = header->token.len;
    return header->token.base;
}

static inline void quic_set_token(ngtcp2_settings *settings, const ngtcp2_pkt_hd *header)
{
    settings->token = header->token;
}

static inline void quic_set_original(ngtcp2_transport_params *parameters, ngtcp2_cid original)
{
    parameters->original_dcid = original;
}

#endif
