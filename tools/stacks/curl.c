#include <curl/curl.h>

#include "calls.h"

static size_t ignore(char *bytes, size_t size, size_t count, void *unused) {
  (void)bytes;
  (void)unused;
  return size * count;
}

static void perform_of_a_file(void *unused) {
  (void)unused;
  CURL *const transfer = curl_easy_init();
  NEED(curl_easy_setopt(transfer, CURLOPT_URL, "file:///etc/passwd") == CURLE_OK);
  NEED(curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, ignore) == CURLE_OK);
  NEED(curl_easy_perform(transfer) == CURLE_OK);
  curl_easy_cleanup(transfer);
}

int main(void) {
  static const weft_function calls[] = {perform_of_a_file};
  NEED(curl_global_init(CURL_GLOBAL_ALL) == CURLE_OK);
  run_calls(curl_version_info(CURLVERSION_NOW)->version, calls, sizeof calls / sizeof *calls);
  return 0;
}
