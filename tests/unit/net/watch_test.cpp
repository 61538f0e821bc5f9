// Where keepers listen: at the addresses that they tell the others, and at no other one.
#include "net/mpi/watch.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace weft::net;

namespace {

struct meeting_place {
  char text[meeting_bytes] = "";
  keeper_listeners listeners;

  explicit meeting_place(reach from) : listeners(listen_for_keepers(from, text)) {}
  meeting_place(const meeting_place&) = delete;
  meeting_place& operator=(const meeting_place&) = delete;
  ~meeting_place() { close_listeners(&listeners); }

  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> found;
    std::istringstream all(text);
    for (std::string word; std::getline(all, word, '/');) found.push_back(word);
    return found;
  }
  [[nodiscard]] std::vector<std::string> told() const {
    auto found = words();
    found.erase(found.begin(), found.begin() + 2);
    return found;
  }
  [[nodiscard]] int port() const { return std::stoi(words().at(1)); }
};

std::string address_of(int socket, int port) {
  sockaddr_storage at = {};
  socklen_t bytes = sizeof at;
  char text[INET6_ADDRSTRLEN] = "";
  REQUIRE(getsockname(socket, reinterpret_cast<sockaddr*>(&at), &bytes) == 0);
  const auto& four = reinterpret_cast<const sockaddr_in&>(at);
  const auto& six = reinterpret_cast<const sockaddr_in6&>(at);
  CHECK(ntohs(at.ss_family == AF_INET ? four.sin_port : six.sin6_port) == port);
  if (at.ss_family == AF_INET)
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
  else
    inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
  return text;
}

bool answers_at(const char* address, int port) {
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, address, &to.sin_addr);
  const int made = socket(AF_INET, SOCK_STREAM, 0);
  const bool is_open = connect(made, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  close(made);
  return is_open;
}

void check_addresses(const meeting_place& here) {
  std::vector<std::string> bound;
  for (int i = 0; i < here.listeners.count; ++i) bound.push_back(address_of(here.listeners.of[i], here.port()));
  CHECK(bound == here.told());
  CHECK(std::ranges::find(bound, "0.0.0.0") == bound.end());
  CHECK(std::ranges::find(bound, "::") == bound.end());
}

}  // namespace

TEST_CASE("ranks of one machine meet at its loopback alone") {
  const meeting_place here(reach::this_machine);
  REQUIRE(here.listeners.count != 0);
  check_addresses(here);
  for (const std::string& each : here.told()) CHECK_MESSAGE((each.starts_with("127.") || each == "::1"), each);
  CHECK(answers_at("127.0.0.1", here.port()));
  CHECK_FALSE(answers_at("127.0.0.2", here.port()));
}

TEST_CASE("ranks of several machines meet at the addresses that are told, and at no other one") {
  const meeting_place here(reach::other_machines);
  REQUIRE(here.listeners.count != 0);
  check_addresses(here);
  CHECK_FALSE(answers_at("127.0.0.2", here.port()));
}

TEST_CASE("a keeper is met by its secret") {
  const meeting_place here(reach::this_machine);
  int rank = -1, came = -1;
  std::thread other([&here, &came] { came = meet_keeper(here.text, 7, 0); });
  pollfd one = {here.listeners.of[0], POLLIN, 0};
  REQUIRE(poll(&one, 1, -1) == 1);
  const int made = accept_keeper(here.listeners.of[0], here.text, 0, &rank);
  other.join();
  CHECK(made >= 0);
  CHECK(came >= 0);
  CHECK(rank == 7);
  close(made);
  close(came);
}
