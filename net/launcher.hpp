// The launcher: the parent of a job's ranks. It runs on the process's only OS thread, and outlives
// all ranks. It waits, passes signals on, and ends the job when a rank dies or leaves the others
// alone.
#pragma once

#include <signal.h>

#include <cstdint>

#include "net/job.hpp"

namespace weft::net {

class launcher {
 public:
  launcher(const job_request& request, const job& all) : request_(request), all_(all) {}

  // Blocks the signals that wait_for_ranks waits for; a rank takes its own mask back. False:
  // refused.
  [[nodiscard]] bool take_signals();
  void give_signals_back() const;

  // Has what ranks start end with the job, unless the process has had children before: it could not
  // tell them apart. False: refused.
  [[nodiscard]] bool adopt_orphans();

  // Forks the ranks. In a rank: its number. In the launcher: -1, and all ranks have been started.
  // When the kernel refuses one, the others are killed and the launcher exits with a line.
  int fork_ranks();

  // Until all ranks have ended: the exit status of the job.
  int wait_for_ranks();

 private:
  enum class phase : std::uint8_t { running, ending };

  void take_ends();
  void take_end(int rank, int exit_status, int signal);
  void take_exit(int rank, int exit_status);
  void tell_death(int rank, int signal) const;
  void tell_exit(int rank, const char* why) const;
  void end_all(int status);
  void reap_for(std::uint64_t ns);
  void end_orphans();
  void look_at_others();
  const char* awaited_in(int* waiting) const;
  void pass_on(int signal, bool is_from_terminal);
  int rank_of(int process) const;
  std::uint64_t timeout() const;

  const job_request& request_;
  const job& all_;
  sigset_t waited_for_ = {};
  sigset_t mask_before_ = {};
  struct sigaction child_before_ = {};
  int exit_status_[most_ranks] = {};
  int processes_[most_ranks] = {};  // less than 0: has ended
  int running_ = 0;
  int status_ = 0;             // of the job, so far
  int gone_ = -1;              // the first rank that exited; -1: none
  int failed_ = -1;            // the first rank that exited with a failure
  int asked_to_end_ = 0;       // the signal by which; 0: not
  std::uint64_t kill_at_ = 0;  // when the ranks that are left after a failure are killed; 0: not
  bool adopts_orphans_ = false;
  phase phase_ = phase::running;
};

}  // namespace weft::net
