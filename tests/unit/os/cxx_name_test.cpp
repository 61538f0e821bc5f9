// Names of C++ functions, shortened; and damaged ones, which end the reading and do no harm.
#include "os/cxx_name.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>

using namespace weft;

namespace {

std::string short_name(const std::string& mangled, std::size_t capacity = 256) {
  std::string out(capacity, 'x');
  const bool is_read = os::read_cxx_name(mangled.c_str(), out.data(), capacity);
  out.resize(std::strlen(out.c_str()));
  CHECK(is_read == !out.empty());
  return out;
}

struct named {
  const char* mangled;
  const char* name;
};

constexpr named names[] = {
    {"_Z4workPv", "work"},
    {"_ZL4workPv", "work"},
    {"_ZN4weft5sched4waitE", "weft::sched::wait"},
    {"_ZN12_GLOBAL__N_14dineEPv", "dine"},
    {"_ZN3app4loopIiEEvPKc", "app::loop"},
    {"_ZNK3app3jobIiLi3EEclEv", "app::job::operator()"},
    {"_ZN3app3jobC2ERKS0_", "app::job::job"},
    {"_ZN3app3jobD0Ev", "app::job::~job"},
    {"_ZZ4mainENKUlvE_clEv", "main::{lambda#1}::operator()"},
    {"_ZZN3app4loopERKSt6vectorIiSaIiEEENKUliE0_clEi", "app::loop::{lambda#2}::operator()"},
    {"_ZZ4mainENK3$_2clEv", "main::{lambda#3}::operator()"},
    {"_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", "std::operator<<"},
    {"_ZNSt6vectorIN3app3jobESaIS1_EE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPS1_S3_EEDpOT_",
     "std::vector::_M_realloc_insert"},
    {"_ZNSs6appendEPKc", "std::string::append"},
    {"_ZN3appcvbEv", "app::operator type"},
    {"_ZN3app4backB5cxx11Ev", "app::back"},
    {"_ZN3app3bagIXtlNS_4sizeELi3EEEE3addEv", "app::bag::add"},
    {"_ZN3app3runITkSt8integraliEEvT_", "app::run"},
    {"_ZN3app2ofEPDoFvRKS_MNS_3jobEFiRiEz", "app::of"},
    {"_ZN3app4workEPv.constprop.0", "app::work"},
    {"_ZZ4mainENUt_3runEv", "main::{unnamed type#1}::run"},
    {"_ZZ4mainENUt0_3runEv", "main::{unnamed type#2}::run"},
    {"_ZZN3app3runEiEd_NKUlvE_clEv", "app::run::{lambda#1}::operator()"},  // in its default argument
    {"_ZZ4mainEs", "main::{string}"},
    {"_ZN3app4takeIA3_iEEvRT_", "app::take"},
    {"_ZN3app4takeIA_NS_3jobEEEvv", "app::take"},
};

constexpr const char* unreadable[] = {"",          "main",
                                      "_Z",        "_ZN",
                                      "_ZNE",      "_ZN3ap",
                                      "_ZS_",      "_ZNS0_4workEv",
                                      "_Z99work",  "_Z999999999999999999999work",
                                      "_ZN3appI",  "_ZN3appILi",
                                      "_ZZ4mainE", "_ZZ4mainEUl",
                                      "_ZTV3app",  "_ZN3app3runIXsrE"};

}  // namespace

TEST_CASE("names without parameters and template arguments") {
  for (const named& each : names) {
    INFO(each.mangled);
    CHECK(short_name(each.mangled) == each.name);
  }
}

TEST_CASE("what is no name of a function, or damaged") {
  for (const char* each : unreadable) {
    INFO(each);
    CHECK(short_name(each) == "");
  }
}

TEST_CASE("a long name is cut at its tail") {
  CHECK(short_name("_ZN3app7kitchen4cookEv", 14) == "app::kitch...");
  CHECK(short_name("_ZN3app7kitchen4cookEv", 19) == "app::kitchen::cook");
  CHECK(short_name("_Z4workv", 2) == "w");
}

namespace {

struct started {
  const char* mangled;
  os::callable what;
  const char* name;
  const char* scope;
};

constexpr started starts[] = {
    {"_ZN4weft6detail10run_packedIZ4mainEUlvE_EEvPv", os::callable::named, "main::{lambda#1}", "main"},
    {"_ZN4weft6detail9run_boxedINS0_10bound_callIZN3app4loopEiEUliE0_JiEEEEEvPv", os::callable::named, "app::loop::{lambda#2}",
     "app::loop"},
    {"_ZN4weft6detail9run_boxedINS0_10bound_callIN3app4cookEJiEEEEEvPv", os::callable::named, "app::cook", ""},
    {"_ZN4weft6detail10run_packedIPFvvEEEvPv", os::callable::pointer, "", ""},
    {"_ZN4weft6detail10run_packedIPDoFvvEEEvPv", os::callable::pointer, "", ""},
    {"_ZN4weft6detail9run_boxedINS0_10bound_callIPFviEJiEEEEEvPv", os::callable::boxed_pointer, "", ""},
    {"_ZN4weft6detail10run_placedINS0_10bound_callIPFviEJiEEEEEvPv", os::callable::boxed_pointer, "", ""},
    {"_ZN4weft6detail10run_placedINS0_10bound_callIN3app4cookEJiEEEEEvPv", os::callable::named, "app::cook", ""},
    {"_ZN4weft6detail11async_stateINS0_10bound_callIPFiiEJiEEEiE3runEPv", os::callable::unnamed, "", ""},
    {"_ZN4weft6detail9run_boxedINS0_10bound_callINS_13packaged_taskIFivEEEJEEEEEvPv", os::callable::named, "weft::packaged_task",
     ""},
    {"_ZN4weft10task_group4taskIZ4mainEUlvE2_E3runEPv", os::callable::named, "main::{lambda#4}", "main"},
    {"_ZN4weft6detail17run_fork_by_valueIZ4mainEUlvE5_iEEvPv", os::callable::named, "main::{lambda#7}", "main"},
    // weft::for_each and weft::parallel_for call the user's lambda in lambdas of their own
    {"_ZN4weft6detail9run_takenITkNS0_13divisible_jobENS0_8loop_jobIZNS_12parallel_forIiiZ4morevEUliE1_EEvT_T0_RKT1_EUlRKT_E_S9_"
     "EEEEvPv",
     os::callable::named, "more::{lambda#3}", "more"},
    {"_ZN4weft6detail9run_takenINS0_8loop_jobIZNS0_8exchangeIPiEEvT_EUlRKS5_E_NS_5rangeIlEEEEEEvPv", os::callable::named,
     "weft::detail::exchange", ""},
    {"_ZN4weft6detail9run_takenINS0_8sort_jobIPiSt4lessIvEEEEEvPv", os::callable::named, "weft::detail::sort_job", ""},
    {"_ZN4weft5sched4waitEPv", os::callable::none, "", ""},
    {"_ZN3app4workEPv", os::callable::none, "", ""},
    {"work", os::callable::none, "", ""},
};

}  // namespace

TEST_CASE("what the C++ headers' own functions start") {
  for (const started& each : starts) {
    INFO(each.mangled);
    char name[256] = "stale", scope[256] = "stale";
    CHECK(os::read_cxx_callable(each.mangled, name, sizeof name) == each.what);
    CHECK(std::string(name) == each.name);
    CHECK(os::read_cxx_scope(each.mangled, scope, sizeof scope) == (*each.scope != '\0'));
    CHECK(std::string(scope) == each.scope);
  }
}

namespace {

void read_all(const std::string& mangled) {
  char out[40];
  static_cast<void>(os::read_cxx_name(mangled.c_str(), out, sizeof out));
  CHECK(std::strlen(out) < sizeof out);
  static_cast<void>(os::read_cxx_callable(mangled.c_str(), out, sizeof out));
  static_cast<void>(os::read_cxx_scope(mangled.c_str(), out, sizeof out));
}

// Cut anywhere, and with each character replaced by each of those that mean something.
void damage(const std::string& mangled) {
  for (std::size_t at = 2; at <= mangled.size(); ++at) {
    read_all(mangled.substr(0, at));
    for (const char other : std::string("NZIESTJLXUKPFMDQ_0139vi")) {
      std::string damaged = mangled;
      damaged[at - 1] = other;
      read_all(damaged);
    }
  }
}

}  // namespace

TEST_CASE("damaged names") {
  for (const named& each : names) damage(each.mangled);
  for (const started& each : starts) damage(each.mangled);
}

TEST_CASE("deep names and those that grow without bounds end") {
  std::string deep = "_Z1f", grows = "_ZN1a";
  for (int level = 0; level < 10000; ++level) deep += 'P';
  read_all(deep + "i");
  CHECK(short_name("_ZN1aI" + std::string(10000, 'I')) == "");
  CHECK(short_name("_ZN1aI" + std::string(10000, 'P') + "iEE1fEv") == "");
  CHECK(short_name("_Z" + std::string(10000, 'Z') + "1fv") == "");
  // A part that repeats one that repeats one, and so on.
  std::string repeats = "_ZN1aIiEEvN1bIS_EE";
  for (int level = 0; level < 60; ++level)
    repeats += "N1cIS" + (level == 0 ? "" : std::string(1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[level % 36])) + "_EE";
  read_all(repeats);
  // More parts than are noted: what comes later is not read.
  std::string many = "_ZN1aI";
  for (char first = 'a'; first <= 'z'; ++first) {
    for (char second = 'a'; second <= 'z'; ++second) many += std::string("2") + first + second;
  }
  CHECK(short_name(many + "EE1fEv") == "");
  // Each name repeats the one before it twice.
  grows = "_ZN1aIiEEvN1bIS_S_EE";
  for (char index = '0'; index <= '9'; ++index) grows += std::string("N1cIS") + index + "_S" + index + "_EE";
  read_all(grows);
}
