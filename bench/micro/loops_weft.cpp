// weft_parallel_for, grain 1.
#include <weft/loops.h>

#include "loops.hpp"

namespace {

void must(weft_status status) {
  if (status == WEFT_OK) return;
  std::fprintf(stderr, "loops-weft: %s\n", weft_status_name(status));
  std::exit(1);
}

void body(std::size_t begin, std::size_t end, void* rounds) {
  for (std::size_t i = begin; i < end; ++i) loops::step(*static_cast<long*>(rounds));
}

}  // namespace

void loops_with(unsigned workers, loops::stage& stage) {
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = workers;
  must(weft_init(&config));
  stage.play([](std::size_t steps, long rounds) { must(weft_parallel_for(0, steps, 1, body, &rounds)); });
  must(weft_finalize());
}
