// Explores the models of a program: the loop over paths, what is expected of it, and the command
// line.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

#include "explorer/explorer.hpp"
#include "explorer/schedule.hpp"

namespace explorer {
namespace {

std::vector<const model*>& registry() {
  static std::vector<const model*> models;
  return models;
}

struct command {
  bool deep = false;
  bool list = false;
  bool quiet = false;
  long executions = 0;  // not 0: a model is cut after so many, whatever its bounds say
  int promises = -1;    // not -1: instead of the model's own bound
  const char* only = nullptr;
  const char* replay = nullptr;  // an id, preemptions/weak/choices; goes with only
};

struct exploration {
  bounds limits;  // of the last round
  long finished = 0;
  long pruned = 0;
  long states = 0;  // of all rounds: places with a choice, and ends
  bool cut = false;
  std::set<std::string> outcomes;
  report failure{ending::finished, {}, {}, {}, {}, {}};
  std::string failed_path;
  double seconds = 0;
};

std::set<std::string> split(const char* text) {
  std::istringstream words(text);
  std::set<std::string> result;
  for (std::string each; words >> each;) result.insert(each);
  return result;
}

std::string join(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : " ") + each;
  return text.empty() ? "nothing" : text;
}

// Adds one execution. False: no need to look further.
bool take(exploration& so_far, const report& result, const choices& path) {
  if (result.end == ending::pruned) {
    ++so_far.pruned;
    return true;
  }
  if (!path.deterministic() || result.end == ending::failed) {
    so_far.failure = result;
    if (!path.deterministic()) so_far.failure.kind = "not deterministic: the body keeps something between executions";
    so_far.failure.end = ending::failed;
    so_far.failed_path = path.id();
    return false;
  }
  ++so_far.finished;
  if (!result.outcome.empty()) so_far.outcomes.insert(result.outcome);
  return true;
}

// Everything within the limits, depth first. Adds to the failure that was found, if any; the counts
// are of this call.
void explore_once(const model& what, const bounds& limits, long budget, exploration& result) {
  result.finished = result.pruned = 0;
  result.cut = false;
  choices path;
  long count = 0;
  do {
    if (count == budget) {
      result.cut = true;
      break;
    }
    ++count;
  } while (take(result, run(what.body, path, limits, false), path) && path.advance());
  result.states += path.places() + count;
}

bounds capped(const bounds& limits, int most) {
  const auto cap = [&](int bound) { return bound < 0 ? bound : std::min(bound, most); };
  bounds result = limits;
  result.preemptions = cap(limits.preemptions);
  result.weak = cap(limits.weak);
  return result;
}

// Bounded explorations go by rounds with more and more preemptions and weak choices, so that the
// simplest failure comes first and a cut leaves out the most intricate executions, not the ones
// that happen to come late.
exploration explore(const model& what, const bounds& limits) {
  const auto begin = std::chrono::steady_clock::now();
  exploration result;
  long budget = limits.executions;
  const int rounds = std::max(limits.preemptions, limits.weak);
  for (int round = limits.preemptions < 0 ? rounds : 0; round <= rounds || rounds < 0; ++round) {
    result.limits = capped(limits, rounds < 0 ? 0 : round);
    explore_once(what, result.limits, budget, result);
    budget -= result.finished + result.pruned;
    if (budget <= 0 && round < rounds) result.cut = true;
    if (result.cut || rounds < 0 || result.failure.end == ending::failed) break;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// What is wrong with an exploration; empty: nothing.
std::string complaint(const expectations& expected, const exploration& found) {
  const bool failed = found.failure.end == ending::failed;
  if (expected.must_fail != nullptr) {
    return failed && found.failure.kind == expected.must_fail ? ""
                                                              : std::string("did not find the expected ") + expected.must_fail;
  }
  if (failed) return found.failure.kind + ": " + found.failure.detail;
  if (found.finished < expected.at_least)
    return "explored fewer executions than the model states, " + std::to_string(expected.at_least);
  if (expected.outcomes == nullptr) return "";
  const std::set<std::string> wanted = split(expected.outcomes);
  const bool equal = wanted == found.outcomes;
  const bool within = std::includes(wanted.begin(), wanted.end(), found.outcomes.begin(), found.outcomes.end());
  if (equal || (found.cut && within)) return "";
  return "outcomes are " + join(found.outcomes) + ", should be " + join(wanted);
}

bounds limits_of(const model& what, const command& asked) {
  bounds limits = asked.deep ? what.expected.deep : what.expected.quick;
  // Failures for no reason in every model, together with stale reads; a litmus test has its own
  // outcomes.
  if (asked.deep && limits.preemptions >= 0 && what.expected.outcomes == nullptr) limits.spurious = std::max(limits.spurious, 1);
  if (asked.executions != 0) limits.executions = std::min(limits.executions, asked.executions);
  if (asked.promises != -1) limits.promises = asked.promises;
  return limits;
}

void print_result(const model& what, const exploration& found, const std::string& wrong) {
  const auto text = [](int bound) { return bound < 0 ? std::string("all") : std::to_string(bound); };
  const std::string extent = text(found.limits.preemptions) + "/" + text(found.limits.weak) + (found.cut ? " cut" : "");
  std::printf("%-4s %-44s %9ld executions %9ld pruned  %-9s %6.2f s\n", wrong.empty() ? "ok" : "FAIL", what.name, found.finished,
              found.pruned, extent.c_str(), found.seconds);
  if (!wrong.empty()) std::printf("     %s\n", wrong.c_str());
}

// For a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char each : text) result += each == '\'' ? "'\\''" : std::string(1, each);
  return result + "'";
}

// Adds to the states that were explored.
bool explore_and_report(const model& what, const command& asked, const char* program, long& states) {
  const exploration found = explore(what, limits_of(what, asked));
  states += found.states;
  const std::string wrong = complaint(what.expected, found);
  print_result(what, found, wrong);
  if (!wrong.empty() && found.failure.end == ending::failed && !asked.quiet) {
    choices path;
    path.restore(found.failed_path);
    print_schedule(run(what.body, path, found.limits, true));
    const std::string options =
        std::string(asked.deep ? " --deep" : "") + (asked.promises == -1 ? "" : " --promises " + std::to_string(asked.promises));
    std::printf("     again: %s --only %s%s --replay %d/%d/%s\n", program, quoted(what.name).c_str(), options.c_str(),
                found.limits.preemptions, found.limits.weak, found.failed_path.c_str());
  }
  return wrong.empty();
}

// Of the models that match, the one of that very name, or the first. Null: none does.
const model* model_to_replay(const char* name) {
  const model* first = nullptr;
  for (const model* each : all_models()) {
    if (std::strcmp(each->name, name) == 0) return each;
    if (first == nullptr && std::strstr(each->name, name) != nullptr) first = each;
  }
  return first;
}

int replay(const command& asked) {
  const model* what = model_to_replay(asked.only);
  if (what == nullptr) {
    std::fprintf(stderr, "no model matches\n");
    return 1;
  }
  choices path;
  bounds limits = limits_of(*what, asked);
  int end = 0;
  std::sscanf(asked.replay, "%d/%d/%n", &limits.preemptions, &limits.weak, &end);
  if (end == 0 || !path.restore(asked.replay + end)) {
    std::fprintf(stderr, "%s is not the id of a schedule\n", asked.replay);
    return 2;
  }
  print_schedule(run(what->body, path, limits, true));
  return 0;
}

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr,
               "usage: %s [--deep] [--quiet] [--executions N] [--promises N] [--only TEXT] [--only TEXT --replay ID] [--list]\n",
               program);
  std::exit(2);
}

command parse(int count, char** words) {
  command result;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool has_value = i + 1 < count;
    if (word == "--deep") {
      result.deep = true;
    } else if (word == "--list") {
      result.list = true;
    } else if (word == "--quiet") {
      result.quiet = true;
    } else if (word == "--executions" && has_value) {
      result.executions = std::atol(words[++i]);
    } else if (word == "--promises" && has_value) {
      result.promises = std::atoi(words[++i]);
    } else if (word == "--only" && has_value) {
      result.only = words[++i];
    } else if (word == "--replay" && has_value) {
      result.replay = words[++i];
    } else {
      usage(words[0]);
    }
  }
  if (result.replay != nullptr && result.only == nullptr) usage(words[0]);
  return result;
}

int run_all(const command& asked, const char* program) {
  int matched = 0;
  int failed = 0;
  long states = 0;
  for (const model* each : all_models()) {
    if (asked.only != nullptr && std::strstr(each->name, asked.only) == nullptr) continue;
    ++matched;
    if (asked.list) {
      std::printf("%s\n", each->name);
    } else if (!explore_and_report(*each, asked, program, states)) {
      ++failed;
      if (asked.quiet) return 1;
    }
  }
  if (matched == 0) std::fprintf(stderr, "no model matches\n");
  if (matched != 0 && !asked.list) std::printf("figure: states explored = %ld\n", states);
  return matched == 0 || failed != 0 ? 1 : 0;
}

}  // namespace

model::model(const char* what, const expectations& wanted, void (*run_once)()) : name(what), expected(wanted), body(run_once) {
  registry().push_back(this);
}

const std::vector<const model*>& all_models() { return registry(); }

}  // namespace explorer

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const explorer::command asked = explorer::parse(count, words);
  return asked.replay != nullptr ? explorer::replay(asked) : explorer::run_all(asked, words[0]);
}
