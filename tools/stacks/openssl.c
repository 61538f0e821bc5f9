#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "calls.h"

static X509 *self_signed(EVP_PKEY *key) {
  X509 *const certificate = X509_new();
  NEED(X509_gmtime_adj(X509_getm_notBefore(certificate), 0) != NULL);
  NEED(X509_gmtime_adj(X509_getm_notAfter(certificate), 3600) != NULL);
  NEED(X509_set_pubkey(certificate, key) == 1 && X509_sign(certificate, key, EVP_sha256()) != 0);
  return certificate;
}

static bool is_shaken(SSL *side) {
  const int done = SSL_do_handshake(side);
  NEED(done == 1 || SSL_get_error(side, done) == SSL_ERROR_WANT_READ);
  return done == 1;
}

static void tls_handshake_of_both_sides(void *unused) {
  (void)unused;
  EVP_PKEY *const key = EVP_EC_gen("P-256");
  X509 *const certificate = self_signed(key);
  SSL_CTX *const context = SSL_CTX_new(TLS_method());
  NEED(SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1);
  NEED(X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate) == 1);
  SSL *const client = SSL_new(context), *const server = SSL_new(context);
  SSL_set_verify(client, SSL_VERIFY_PEER, NULL);
  BIO *here, *there;
  NEED(BIO_new_bio_pair(&here, 0, &there, 0) == 1);
  SSL_set_bio(client, here, here);
  SSL_set_bio(server, there, there);
  SSL_set_connect_state(client);
  SSL_set_accept_state(server);
  bool is_done = false;
  while (!is_done) {
    const bool is_client_done = is_shaken(client), is_server_done = is_shaken(server);
    is_done = is_client_done && is_server_done;
  }
  SSL_free(client);
  SSL_free(server);
  SSL_CTX_free(context);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

static void sha256_of_a_megabyte(void *unused) {
  (void)unused;
  static unsigned char bytes[1 << 20], digest[EVP_MAX_MD_SIZE];
  NEED(EVP_Digest(bytes, sizeof bytes, digest, NULL, EVP_sha256(), NULL) == 1);
}

int main(void) {
  static const weft_function calls[] = {tls_handshake_of_both_sides, sha256_of_a_megabyte};
  run_calls(OpenSSL_version(OPENSSL_VERSION_STRING), calls, sizeof calls / sizeof *calls);
  return 0;
}
