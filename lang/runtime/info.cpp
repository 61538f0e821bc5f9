// weft_tascell_info_walk: what `weft info` shows of Tascell.
#include <cstdio>

#include "worker.hpp"

namespace weft::tascell_runtime {
namespace {

struct visitor {
  void (*each)(void* state, const char* key, const char* value);
  void* state;
};

void say(const visitor& to, const char* form, const char* name, const char* value) {
  char key[128];
  std::snprintf(key, sizeof key, form, name);
  to.each(to.state, key, value);
}

void say_count(const visitor& to, const char* key, std::size_t count) {
  char text[32];
  std::snprintf(text, sizeof text, "%zu", count);
  to.each(to.state, key, text);
}

void say_setting(const description& of, const char* value, void* state) {
  const visitor& to = *static_cast<const visitor*>(state);
  say(to, "setting.%s", of.name, value);
  say(to, "variable.%s.text", of.name, of.text);
  say(to, "variable.%s.range", of.name, of.accepted);
  say(to, "variable.%s.default", of.name, of.usual);
}

}  // namespace
}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

void weft_tascell_info_walk(void (*each)(void* state, const char* key, const char* value), void* state) {
  if (each == nullptr) return;
  visitor to = {each, state};
  settings ignored;
  (void)read_settings(&ignored);  // names what cannot be used
  say_count(to, "tascell.worker_bytes", sizeof(worker));
  say_count(to, "tascell.running_task_bytes", sizeof(frame));
  say_count(to, "tascell.task_header_bytes", sizeof(weft_tascell_task));
  say_count(to, "tascell.choice_record_bytes", sizeof(weft_tascell_choice));
  say_count(to, "tascell.wind_record_bytes", sizeof(weft_tascell_wind));
  walk_settings(say_setting, &to);
}
