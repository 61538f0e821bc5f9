// The wait for an MPI's launcher. `weft launch` stays its parent, because an MPI's launcher waits
// for a node that does not answer. The ranks tell `weft launch` over a connection that the job has
// ended.
#pragma once

#include <string>
#include <vector>

namespace cli {

class mpi_wait {
 public:
  mpi_wait();
  ~mpi_wait();
  mpi_wait(const mpi_wait&) = delete;
  mpi_wait& operator=(const mpi_wait&) = delete;

  // For the ranks, in WEFT_LAUNCH_PARENT: "SECRET/PORT/ADDRESS/ADDRESS...", as net/mpi/watch.hpp
  // has it. Empty: this machine has no network.
  [[nodiscard]] const std::string& meeting() const { return meeting_; }

  // Runs the launcher; `words` are its name and arguments. The exit status for this process. When a
  // signal has ended the launcher, this process ends by it, too. Throws std::runtime_error: it
  // cannot be started.
  int run(const std::string& file, std::vector<std::string> words);

 private:
  void stop_listening();

  std::vector<int> listeners_;  // one for each address of the meeting, and for no other
  std::string meeting_;
};

}  // namespace cli
