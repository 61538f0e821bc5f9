#include "harness/listing.hpp"

#include <nlohmann/json.hpp>

#include "harness/runtimes.hpp"
#include "kernels/table.hpp"

namespace bench {

namespace {

using json = nlohmann::ordered_json;

json describe_kernel(const kernel& of) {
  return {{"program", of.name},
          {"title", of.title},
          {"unit", of.unit},
          {"size_word", of.size_word},
          {"default_size", of.default_size},
          {"quick_size", of.quick_size},
          {"max_size", of.max_size},
          {"is_long", of.is_long}};
}

json describe_runtime(const runtime& of) {
  json runs = json::array();
  json not_written = json::array();
  json cannot = json::object();
  for (const cell& each : of.cells) {
    if (each.body != nullptr)
      runs.push_back(each.of->name);
    else if (each.why_not == not_written_yet)
      not_written.push_back(each.of->name);
    else
      cannot[std::string(each.of->name)] = each.why_not;
  }
  return {{"runtime", of.name}, {"title", of.title}, {"children", name_of(of.children)}, {"version", of.version()},
          {"runs", runs},       {"cannot", cannot},  {"not_written", not_written}};
}

}  // namespace

json make_listing() {
  json listing = {{"format", listing_format}, {"runtimes", json::array()}, {"programs", json::array()}};
  for (const runtime& each : all_runtimes()) listing["runtimes"].push_back(describe_runtime(each));
  for (const kernel* const each : all_kernels()) listing["programs"].push_back(describe_kernel(*each));
  return listing;
}

}  // namespace bench
