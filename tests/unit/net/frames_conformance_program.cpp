// A node of the conformance program over a transport: TRANSPORT NODES [ADDRESS [KEY-FILE]]. Where a
// death ends all nodes, none dies.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "frames_conformance.hpp"
#include "net/frames/choose.hpp"
#include "net/frames/note.hpp"

int main(int count, char** words) {
  if (count < 3) return 2;
  const weft::net::frames* const by = weft::net::find_frames(words[1]);
  if (by == nullptr) return 2;
  unsigned const nodes = static_cast<unsigned>(std::atoi(words[2]));
  weft::net::frame_options options;
  options.address = count > 3 ? words[3] : nullptr;
  options.key_file = count > 4 ? words[4] : nullptr;
  // By the launcher's own number, which node takes itself for another program.
  const char* const other = std::getenv("TEST_OTHER_PROGRAM");
  const char* const rank = std::getenv(std::getenv("PMI_RANK") != nullptr ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK");
  options.program = other != nullptr && rank != nullptr && std::atoi(other) == std::atoi(rank) + 1 ? 1 : 28;
  weft::net::frame_group* const group = by->open(options);
  if (group == nullptr) return 1;
  unsigned const self = group->self;
  auto* const die = +[](weft::net::frame_group*) { (void)raise(SIGKILL); };
  if (!weft::test::frames_conformance(group, nodes, by->survives_death ? die : nullptr).run()) return 1;
  std::printf("node %u of %u conforms over %s\n", self, nodes, by->name);
  return 0;
}
