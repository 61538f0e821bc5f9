#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "calls.h"

static void run(const char *program) {
  lua_State *const state = luaL_newstate();
  NEED(state != NULL);
  luaL_openlibs(state);
  NEED(luaL_dostring(state, program) == LUA_OK);
  lua_close(state);
}

static void recursion_of_10000_calls(void *unused) {
  (void)unused;
  run("local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(10000)");
}

static void pcall_190_deep(void *unused) {
  (void)unused;
  run("local function f(n) if n == 0 then return 0 end return select(2, pcall(f, n - 1)) end return f(190)");
}

static void gsub_callback_180_deep(void *unused) {
  (void)unused;
  run("local function f(n) if n == 0 then return 'x' end\n"
      "return (string.gsub('a', 'a', function() return f(n - 1) end)) end return f(180)");
}

int main(void) {
  static const weft_function calls[] = {recursion_of_10000_calls, pcall_190_deep, gsub_callback_180_deep};
  run_calls(LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE, calls, sizeof calls / sizeof *calls);
  return 0;
}
