#include "layout.hpp"

#include <strings.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace weft::qthreads {

namespace {

constexpr unsigned most_cpus = 1024;  // Weft's own limit, of workers as well

struct group_name {
  const char* text;
  cpu_group kind;
};
// hwloc's levels of caches are not known here: the innermost is that of a core, the others are taken
// for the last one.
constexpr group_name group_names[] = {
    {"node", cpu_group::node}, {"cache", cpu_group::cache},  {"socket", cpu_group::socket}, {"core", cpu_group::core},
    {"pu", cpu_group::pu},     {"L1cache", cpu_group::core}, {"L3cache", cpu_group::cache},
};

const char* name_of(cpu_group kind) {
  for (const group_name& each : group_names)
    if (each.kind == kind) return each.text;
  return "none";
}

// Longer words that begin so are taken as well, as in Qthreads.
cpu_group group_wanted(const char* suffix) {
  const variable it = look_up(suffix);
  if (it.text == nullptr) return cpu_group::none;
  for (const group_name& each : group_names)
    if (strncasecmp(it.text, each.text, std::strlen(each.text)) == 0) return each.kind;
  if (is_first_report_of(it.name))
    report("%s=%s is no group of CPUs: set node, socket, cache, core or pu; it is ignored", it.name, it.text);
  return cpu_group::none;
}

// Neighbours on the machine come side by side, in the order of numbers.
int compare_places(const void* one, const void* other) {
  const auto* const a = static_cast<const weft_ext_cpu*>(one);
  const auto* const b = static_cast<const weft_ext_cpu*>(other);
  for (std::size_t i = std::size(a->around); i-- > 0;)
    if (a->around[i] != b->around[i]) return a->around[i] < b->around[i] ? -1 : 1;
  return a->number < b->number ? -1 : a->number > b->number ? 1 : 0;
}

bool take_number(const char** at, unsigned* out) {
  if (**at < '0' || **at > '9') return false;
  unsigned long number = 0;
  for (; **at >= '0' && **at <= '9'; ++*at)
    number = number < most_cpus ? number * 10 + static_cast<unsigned>(**at - '0') : most_cpus;
  *out = static_cast<unsigned>(number < most_cpus ? number : most_cpus);
  return true;
}

// The CPUs of one shepherd: up to the colon behind them, or the end. False: no such list.
bool take_cpus(const char** at, bool* is_in) {
  for (;; ++*at) {
    unsigned first = 0;
    if (!take_number(at, &first)) return false;
    unsigned last = first;
    if (**at == '-' && (++*at, !take_number(at, &last))) return false;
    if (last < first) return false;
    for (unsigned cpu = first; cpu <= last; ++cpu) is_in[cpu] = true;
    if (**at != ',') return **at == ':' || **at == '\0';
  }
}

}  // namespace

layout::layout() : boundary_(group_wanted("SHEPHERD_BOUNDARY")), unit_(group_wanted("WORKER_UNIT")) {
  const variable it = look_up("LAYOUT");
  if (it.text != nullptr) {
    spread_ = strcasecmp(it.text, "COMPACT") == 0    ? spread::compact
              : strcasecmp(it.text, "BALANCED") == 0 ? spread::balanced
                                                     : spread::none;
    if (spread_ == spread::none && is_first_report_of(it.name))
      report("%s=%s is no layout: set COMPACT or BALANCED; it is ignored", it.name, it.text);
  }
  const bool has_list = look_up("CPUBIND").text != nullptr;
  if (boundary_ == cpu_group::none && unit_ == cpu_group::none && spread_ == spread::none && !has_list) return;
  if (!read_machine()) {
    boundary_ = unit_ = cpu_group::none;
    spread_ = spread::none;
    return;
  }
  check_unit();
  if (has_list) read_list();
}

layout::~layout() {
  std::free(listed_);
  std::free(cpus_);
}

// What is wrong with a topology that the environment names, Weft says.
bool layout::read_machine() {
  cpus_ = static_cast<weft_ext_cpu*>(std::calloc(most_cpus, sizeof *cpus_));
  if (cpus_ != nullptr && weft_ext_cpus(cpus_, most_cpus, &cpu_count_) == WEFT_OK && cpu_count_ != 0) {
    std::qsort(cpus_, cpu_count_, sizeof *cpus_, compare_places);
    return true;
  }
  if (is_first_report_of("topology")) report("the topology cannot be read: the layout of shepherds is that of the affinity mask");
  return false;
}

void layout::check_unit() {
  if (boundary_ == cpu_group::none || unit_ == cpu_group::none || count_units(0, cpu_count_) >= groups()) return;
  if (const variable it = look_up("WORKER_UNIT"); is_first_report_of(it.name))
    report("%s=%s is larger than the %s of QT_SHEPHERD_BOUNDARY: set core or pu; pu is used", it.name, it.text,
           name_of(boundary_));
  unit_ = cpu_group::pu;
}

unsigned layout::group_of(unsigned place, cpu_group kind) const {
  const weft_ext_cpu& one = cpus_[place];
  switch (kind) {
    case cpu_group::node: return one.numa;
    case cpu_group::cache: return one.cache;
    case cpu_group::socket: return one.package;
    case cpu_group::core: return one.core;
    case cpu_group::none:
    case cpu_group::pu: break;
  }
  return one.number;
}

unsigned layout::end_of_group(unsigned begin, cpu_group kind) const {
  unsigned end = begin + 1;
  while (end < cpu_count_ && group_of(end, kind) == group_of(begin, kind)) ++end;
  return end;
}

unsigned layout::count_units(unsigned begin, unsigned end) const {
  unsigned count = 0;
  for (; begin < end; begin = end_of_group(begin, unit_)) ++count;
  return count;
}

unsigned layout::groups() const {
  unsigned count = 0;
  for (unsigned begin = 0; begin < cpu_count_; begin = end_of_group(begin, boundary_)) ++count;
  return count;
}

unsigned layout::units_each() const {
  unsigned least = most_cpus;
  for (unsigned begin = 0; begin < cpu_count_;) {
    const unsigned end = end_of_group(begin, boundary_);
    const unsigned count = count_units(begin, end);
    if (count < least) least = count;
    begin = end;
  }
  return least;
}

unsigned layout::units_in_all() const { return unit_ != cpu_group::none ? count_units(0, cpu_count_) : 0; }

bool layout::has_cpu(unsigned number) const {
  for (unsigned i = 0; i < cpu_count_; ++i)
    if (cpus_[i].number == number) return true;
  return false;
}

// QT_CPUBIND: 0-3:4-7 are two shepherds, each with a worker on each of four CPUs.
void layout::read_list() {
  const variable it = look_up("CPUBIND");
  const auto refuse = [&](unsigned number, const char* format) {
    if (is_first_report_of(it.name)) report(format, it.name, it.text, number);
    listed_count_ = listed_each_ = 0;
  };
  listed_ = static_cast<unsigned*>(std::calloc(most_cpus, sizeof *listed_));
  const char* at = it.text;
  for (unsigned shepherd = 0; listed_ != nullptr; ++shepherd, ++at) {
    bool is_in[most_cpus + 1] = {};
    if (!take_cpus(&at, is_in))
      return refuse(0, "%s=%s is no list of CPUs: set lists such as 0-3:4-7, one for each shepherd; it is ignored");
    unsigned count = 0;
    for (unsigned cpu = 0; cpu <= most_cpus; ++cpu) {
      if (!is_in[cpu]) continue;
      if (!has_cpu(cpu))
        return refuse(
            cpu, "%s=%s: the process may not use CPU %u: leave it out, or give the process a wider affinity mask; it is ignored");
      if (listed_count_ == most_cpus) return refuse(most_cpus, "%s=%s has more than %u CPUs: list fewer; it is ignored");
      listed_[listed_count_++] = cpu;
      ++count;
    }
    if (shepherd == 0) listed_each_ = count;
    if (count != listed_each_)
      return refuse(shepherd,
                    "%s=%s: shepherd %u has another number of CPUs than shepherd 0: give all the same number; it is ignored");
    if (*at == '\0') return;
  }
}

// The CPU of a unit of the CPUs from begin to end: the first one of each, then the second one of each.
unsigned layout::cpu_of_unit(unsigned begin, unsigned end, unsigned index) const {
  const unsigned units = count_units(begin, end);
  for (unsigned skipped = index % units; skipped != 0; --skipped) begin = end_of_group(begin, unit_);
  unsigned size = end_of_group(begin, unit_) - begin;
  if (size > end - begin) size = end - begin;
  return cpus_[begin + index / units % size].number;
}

// Shepherds take the groups in turn; the next one in a group takes the units that are left.
void layout::place_in_groups(unsigned shepherds, unsigned each, unsigned* out) const {
  const unsigned count = groups();
  unsigned begin = 0;
  for (unsigned group = 0; group < count; ++group) {
    const unsigned end = end_of_group(begin, boundary_);
    for (unsigned shepherd = group; shepherd < shepherds; shepherd += count)
      for (unsigned i = 0; i < each; ++i) out[shepherd * each + i] = cpu_of_unit(begin, end, shepherd / count * each + i);
    begin = end;
  }
}

// As many workers, or one more, in each of the groups next within those CPUs; the outermost groups
// first, and at last single CPUs. Neighbours by number are near.
void layout::balance(unsigned begin, unsigned end, int levels, unsigned count, unsigned** out) const {
  if (end - begin == 1) {
    for (; count != 0; --count) *(*out)++ = cpus_[begin].number;
    return;
  }
  const auto end_of_part = [&](unsigned first) {
    unsigned last = first + 1;
    while (levels > 0 && last < end && cpus_[last].around[levels - 1] == cpus_[first].around[levels - 1]) ++last;
    return last;
  };
  unsigned parts = 0;
  for (unsigned first = begin; first < end; first = end_of_part(first)) ++parts;
  unsigned left = count % parts;
  for (unsigned first = begin; first < end;) {
    const unsigned last = end_of_part(first);
    const unsigned share = count / parts + (left != 0 ? 1 : 0);
    if (left != 0) --left;
    if (share != 0) balance(first, last, levels - 1, share, out);
    first = last;
  }
}

bool layout::place(unsigned shepherds, unsigned each) const {
  const unsigned count = shepherds * each;
  unsigned* const chosen = cpu_count_ != 0 ? static_cast<unsigned*>(std::calloc(count, sizeof(unsigned))) : nullptr;
  if (chosen == nullptr) return false;
  unsigned* at = chosen;
  if (lists_cpus()) {
    for (unsigned i = 0; i < count; ++i) chosen[i] = listed_[i];
  } else if (spread_ == spread::compact) {
    for (unsigned i = 0; i < count; ++i) chosen[i] = cpus_[i % cpu_count_].number;
  } else if (spread_ == spread::balanced) {
    balance(0, cpu_count_, static_cast<int>(std::size(cpus_->around)), count, &at);
  } else if (has_boundary()) {
    place_in_groups(shepherds, each, chosen);
  } else {
    for (unsigned i = 0; i < count; ++i) chosen[i] = cpu_of_unit(0, cpu_count_, i);
  }
  const weft_status result = weft_ext_place_workers(chosen, count);
  std::free(chosen);
  if (result == WEFT_BUSY && is_first_report_of("running"))
    report(
        "Weft runs already: its workers stay where they are placed, whatever QT_CPUBIND, QT_LAYOUT, QT_SHEPHERD_BOUNDARY and "
        "QT_WORKER_UNIT say");
  return result == WEFT_OK;
}

}  // namespace weft::qthreads
