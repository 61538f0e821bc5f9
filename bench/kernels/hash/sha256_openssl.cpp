// SHA-256 by OpenSSL, which uses the processor's instructions for it.
#include <openssl/evp.h>

#include <new>

#include "kernels/hash/hash.hpp"

namespace bench::hash {

struct sha256::state {
  EVP_MD_CTX* context = EVP_MD_CTX_new();

  state() = default;
  ~state() { EVP_MD_CTX_free(context); }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
};

sha256::sha256() : state_(std::make_unique<state>()) {
  if (state_->context == nullptr || EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}
sha256::~sha256() = default;

void sha256::update(const void* bytes, std::size_t count) { EVP_DigestUpdate(state_->context, bytes, count); }

digest sha256::finish() {
  digest value{};
  EVP_DigestFinal_ex(state_->context, value.data(), nullptr);
  EVP_DigestInit_ex(state_->context, nullptr, nullptr);
  return value;
}

}  // namespace bench::hash
