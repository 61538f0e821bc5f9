#include <Python.h>
#include <string.h>

#include "calls.h"

static void run(const char *program) { NEED(PyRun_SimpleString(program) == 0); }

static void initialize(void *unused) {
  (void)unused;
  Py_InitializeEx(0);
}

static void import_json(void *unused) {
  (void)unused;
  run("import json");
}

static void recursion_of_900_calls(void *unused) {
  (void)unused;
  run("def f(n): return n and f(n - 1)\nf(900)");
}

static void json_of_900_lists(void *unused) {
  (void)unused;
  run("json.loads('[' * 900 + ']' * 900)");
}

static void eval_of_90_parentheses(void *unused) {
  (void)unused;
  run("eval('(' * 90 + '1' + ')' * 90)");
}

int main(void) {
  static const weft_function calls[] = {initialize, import_json, recursion_of_900_calls, json_of_900_lists,
                                        eval_of_90_parentheses};
  run_calls(PY_VERSION, calls, sizeof calls / sizeof *calls);
  return 0;
}
