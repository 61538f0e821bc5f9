// weft tascell-server: passes on what the nodes of a Tascell program say to each other.
#include <CLI/CLI.hpp>
#include <memory>

#include "commands.hpp"
#include "server/relay.hpp"

namespace cli {

void add_tascell_server(CLI::App& app, int* status) {
  CLI::App* const command =
      app.add_subcommand("tascell-server", "Let the nodes of a Tascell program reach each other: PROGRAM --server HOST:PORT");
  auto const options = std::make_shared<tascell::relay_options>();
  command->add_option("--parent", options->parent, "The server above this one, as HOST:PORT; by default this is the only one");
  command->add_option("--port", options->port, "Where nodes connect, by default 9865; 0: any port that is free")
      ->check(CLI::Range(0u, 65535u));
  command->add_option(
      "--key-file", options->key_file,
      "The key that nodes and servers of all machines must have, made if it is not there; without it nodes of this user on this "
      "machine find a key that the server makes");
  command->add_flag("--no-key", options->is_keyless, "Let every user of this machine join");
  command->add_flag("--once", options->is_once, "End when the program has ended");
  command->callback([options, status] {
    if (options->is_keyless && !options->key_file.empty())
      throw usage_error("tascell-server: --key-file and --no-key exclude each other: leave one of them out");
    *status = tascell::run_relay(*options);
  });
}

}  // namespace cli
