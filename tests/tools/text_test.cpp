#include "cli/text.hpp"

#include <doctest/doctest.h>

#include "cli/usage.hpp"
#include "picture.hpp"

TEST_CASE("seconds are shown with three digits in the unit that suits") {
  CHECK(cli::show_seconds(0) == "0.00 ns");
  CHECK(cli::show_seconds(42e-9) == "42.0 ns");
  CHECK(cli::show_seconds(1.5e-6) == "1.50 us");
  CHECK(cli::show_seconds(0.0381) == "38.1 ms");
  CHECK(cli::show_seconds(0.99999) == "1.00 s");
  CHECK(cli::show_seconds(123.4) == "123 s");
}

TEST_CASE("counts are grouped by three digits") {
  CHECK(cli::show_count(0) == "0");
  CHECK(cli::show_count(999) == "999");
  CHECK(cli::show_count(1000) == "1,000");
  CHECK(cli::show_count(4130071) == "4,130,071");
}

TEST_CASE("bytes are shown in powers of 1024") {
  CHECK(cli::show_bytes(100) == "100 B");
  CHECK(cli::show_bytes(1536) == "1.50 KiB");
  CHECK(cli::show_bytes(1024.0 * 1024 * 1024) == "1.00 GiB");
}

TEST_CASE("a long name keeps its begin and its end") {
  CHECK(cli::shorten("abcdefghij", 10) == "abcdefghij");
  CHECK(cli::shorten("abcdefghijk", 10) == "abcd..hijk");
}

TEST_CASE("markup is escaped") { CHECK(cli::escape_markup("a<b & \"c\">") == "a&lt;b &amp; &quot;c&quot;&gt;"); }

TEST_CASE("a table's columns are as wide as their widest cell") {
  cli::table shown({"a", "long"});
  shown.add({"word", "1"});
  CHECK(shown.show() == "a     long\n----------\nword     1\n");
}

TEST_CASE("a title stands above its columns") {
  cli::table shown({"a", "first", "second"});
  shown.span(1, 2, "both");
  shown.add({"word", "1", "2"});
  CHECK(shown.show() == "      --- both ----\na     first  second\n-------------------\nword      1       2\n");
}

TEST_CASE("text is broken between words") {
  CHECK(cli::wrap("one two three", 7) == "one two\n  three\n");
  CHECK(cli::wrap("one two three", 6) == "one\n  two\n  three\n");
  CHECK(cli::wrap("one unbreakable two", 5) == "one\n  unbreakable\n  two\n");
  CHECK(cli::wrap("", 5) == "\n");
}

TEST_CASE("the nearest word is near, or there is none") {
  std::vector<std::string> const words = {"fib", "queens", "quicksort"};
  CHECK(cli::nearest("fbi", words) == "fib");
  CHECK(cli::nearest("quicksrot", words) == "quicksort");
  CHECK(cli::nearest("hash", words).empty());
  CHECK(cli::nearest("", words).empty());
}

TEST_CASE("a picture without programs is still a page") {
  std::string const page = cli::draw({"nothing", "", {}, {{"program"}}, {}});
  CHECK(page.find("<svg") != std::string::npos);
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("a bad run has a remark instead of a bar") {
  cli::bar const failed{"1 worker", 0, "failed", true};
  std::string const page = cli::draw({"one", "", {{"fib", "a & b", {failed}}}, {{"program"}}, {}});
  CHECK(page.find("1 worker: failed") != std::string::npos);
  CHECK(page.find("a &amp; b") != std::string::npos);
  CHECK(page.find("<rect") == std::string::npos);
}
