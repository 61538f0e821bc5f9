// Names what outlived its runtime, in checked builds (worker/outlived.hpp).
#pragma once

namespace weft::sched {

struct unit;

void tell_outlived(const unit* one);
// made_at: where the generator, coroutine or context was made, or null.
void tell_outlived_context(const void* made_at);

}  // namespace weft::sched
