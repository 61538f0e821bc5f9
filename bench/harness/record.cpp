#include "harness/record.hpp"

#include <weft/version.h>

#include <nlohmann/json.hpp>

#include "harness/machine.hpp"
#include "harness/statistics.hpp"

namespace bench {

namespace {

using json = nlohmann::ordered_json;

json describe_samples(const std::vector<double>& samples) {
  spread const of = summarise(samples);
  return {{"median", of.median}, {"min", of.least}, {"max", of.most}, {"samples", samples}};
}

json describe_machine() {
  machine const here = read_machine();
  return {{"processor", here.processor},
          {"architecture", here.architecture},
          {"processors_online", here.processors_online},
          {"processors_usable", here.processors_usable},
          {"memory_bytes", here.memory_bytes},
          {"system", here.system},
          {"compiler", here.compiler},
          {"flags", here.flags}};
}

json describe_metrics(const std::vector<metric>& metrics) {
  json object = json::object();
  for (const metric& each : metrics) object[each.name] = each.value;
  return object;
}

}  // namespace

json make_record(const order& order, const measurement& result) {
  json record = {{"format", record_format},
                 {"version", WEFT_VERSION},
                 {"program", order.what->name},
                 {"runtime", order.with->name},
                 {"workers", result.input.workers}};
  if (!order.what->size_word.empty()) record["size"] = result.input.size;
  if (order.what->size_word.empty()) record["directory"] = result.input.directory;
  record["runtime_version"] = result.version;
  record["settings"] = result.settings;
  record["repetitions"] = result.seconds.size();
  record["warm_ups"] = order.warm_ups;
  record["answer"] = result.answer;
  record["expected"] = result.expected;
  record["correct"] = result.is_correct;
  record["unit"] = order.what->unit;
  record["units"] = result.units;
  record["seconds"] = describe_samples(result.seconds);
  record["cpu_seconds"] = describe_samples(result.cpu_seconds);
  record["peak_resident_bytes"] = result.peak_resident_bytes;
  record["metrics"] = describe_metrics(result.metrics);
  record["note"] = result.note;
  record["machine"] = describe_machine();
  return record;
}

}  // namespace bench
