#include "cli/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace cli {

namespace {

// Levenshtein's, row by row.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      std::size_t const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) names.push_back(option->get_name());
  }
  return names;
}

const CLI::App* chosen(const CLI::App& app, std::span<const std::string> arguments) {
  for (std::size_t place = 0; place < arguments.size(); ++place) {
    for (const CLI::App* const command : app.get_subcommands({})) {
      if (command->check_name(arguments[place])) return chosen(*command, arguments.subspan(place + 1));
    }
  }
  return &app;
}

// "weft bench compare"
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> words) {
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;  // a third of it may be wrong
  std::string best;
  for (const std::string& candidate : words) {
    std::size_t const distance = edit_distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

usage_error no_such(std::string_view kind, std::string_view word, std::span<const std::string> words) {
  std::string const meant = nearest(word, words);
  std::string const question = meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant);
  return usage_error(fmt::format("there is no {} '{}'{}\n{}s: {}", kind, word, question, kind, fmt::join(words, ", ")));
}

std::string explain(const CLI::App& app, const CLI::ParseError& error, std::span<const std::string> arguments) {
  const CLI::App* const command = chosen(app, arguments);
  bool const has_commands = !app.get_subcommands({}).empty();
  if (command == &app && has_commands && !arguments.empty() && !arguments[0].starts_with('-')) {
    return no_such("command", arguments[0], names_of_commands(app)).what();
  }
  std::vector<std::string> const options = names_of_options(*command);
  for (const std::string& argument : arguments) {
    if (argument == "--") break;  // no option is behind it
    std::string const name = argument.substr(0, argument.find('='));
    bool const is_option = name.size() > 1 && name[0] == '-' && (name[1] < '0' || name[1] > '9');
    if (is_option && command->get_option_no_throw(name) == nullptr) return no_such("option", name, options).what();
  }
  return fmt::format("{}\n'{} --help' explains it", error.what(), full_name(*command));
}

}  // namespace cli
