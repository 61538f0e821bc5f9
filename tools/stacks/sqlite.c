#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"

static void execute(const char *file, const char *statements) {
  sqlite3 *database;
  NEED(sqlite3_open(file, &database) == SQLITE_OK);
  NEED(sqlite3_exec(database, statements, NULL, NULL, NULL) == SQLITE_OK);
  NEED(sqlite3_close(database) == SQLITE_OK);
}

static void repeat(const char *first, const char *further, int count) {
  char *const statement = malloc(strlen(first) + (size_t)count * strlen(further) + 1);
  NEED(statement != NULL);
  char *end = stpcpy(statement, first);
  for (int each = 0; each < count; ++each) end = stpcpy(end, further);
  execute(":memory:", statement);
  free(statement);
}

static void create_insert_select_in_file(void *unused) {
  (void)unused;
  static const char file[] = "stacks.db";
  execute(file, "create table t(a, b); insert into t values(1, 'one'); select * from t where a = 1");
  (void)unlink(file);
}

static void sum_of_150_terms(void *unused) {
  (void)unused;
  repeat("select 1", "+1", 149);
}

static void sum_of_990_terms(void *unused) {
  (void)unused;
  repeat("select 1", "+1", 989);
}

static void union_of_400_selects(void *unused) {
  (void)unused;
  repeat("select 1", " union select 1", 399);
}

int main(void) {
  static const weft_function calls[] = {create_insert_select_in_file, sum_of_150_terms, sum_of_990_terms, union_of_400_selects};
  run_calls(sqlite3_libversion(), calls, sizeof calls / sizeof *calls);
  return 0;
}
