// The main of the tests that are doctest programs. A run without a test case fails. Failures are
// told to a planned fault, where the program has one, as they happen: a test that goes on after a
// call was refused waits for what does not come.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <system_error>

#include "support/planned_fault.h"

// ThreadSanitizer asks for these. libstdc++ counts the references to an exception in code that the
// sanitizer does not see: the end of an exception that two threads share looks like a race.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer's name
extern "C" [[gnu::visibility("default")]] const char* __tsan_default_suppressions();
const char* __tsan_default_suppressions() {
  return "race:std::__exception_ptr::exception_ptr::_M_release\n"
         "race:std::runtime_error::~runtime_error\n"
         "race:std::logic_error::~logic_error\n";
}

namespace {

// What the error says names its cause; what its code means tells a planned fault which status it was.
std::string words_and_meaning(const std::system_error& one) {
  return std::string(one.what()) + " (" + one.code().message() + ")";
}
REGISTER_EXCEPTION_TRANSLATOR(const std::system_error& one) { return words_and_meaning(one).c_str(); }

class planned_fault_listener : public doctest::IReporter {
 public:
  explicit planned_fault_listener(const doctest::ContextOptions&) {}
  void log_assert(const doctest::AssertData& of) override {
    if (!of.m_failed) return;
    if (of.m_threw) return tell_planned_fault(of.m_expr, of.m_exception.c_str());
    // "1 == 0"
    const bool is_status = std::strstr(of.m_expr, "WEFT_") != nullptr;
    tell_planned_fault(of.m_expr, is_status ? of.m_decomp.c_str() : nullptr);
  }
  void test_case_exception(const doctest::TestCaseException& of) override {
    // Of a crash the process is about to die; this is its signal's handler.
    if (!of.is_crash) tell_planned_fault("an exception that left a test case", of.error_string.c_str());
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  // A filter that lets no test case through must not pass for a success: families are run by the
  // names of their sources.
  void test_run_end(const doctest::TestRunStats& of) override {
    if (of.numTestCasesPassingFilters > 0) return;
    std::fputs("no test case was run: the filters of the command line fit none\n", stderr);
    std::_Exit(EXIT_FAILURE);
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("planned fault", 1, planned_fault_listener);

std::terminate_handler terminate_before = nullptr;

// An exception that no caller can be given: in a destructor, or while another thread still runs.
void terminate_after_fault() {
  try {
    if (std::current_exception()) throw;
    tell_planned_fault("std::terminate", nullptr);
  } catch (const std::system_error& one) {
    tell_planned_fault("std::terminate", words_and_meaning(one).c_str());
  } catch (const std::exception& one) {
    tell_planned_fault("std::terminate", one.what());
  } catch (...) {
    tell_planned_fault("std::terminate", nullptr);
  }
  terminate_before();
}

[[gnu::constructor]] void watch_terminate() { terminate_before = std::set_terminate(terminate_after_fault); }

}  // namespace
