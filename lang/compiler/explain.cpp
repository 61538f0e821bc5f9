// Which tasks may go to another node, and what they carry: --explain.
#include "lower.hpp"

namespace tascell {

namespace {

void add(std::string& list, const std::string& name) { list += (list.empty() ? "" : ", ") + name; }

std::string travels(const std::string& whose, const std::string& given, const std::string& results) {
  return whose + ": its tasks travel; they carry " + (given.empty() ? "nothing" : given) + ", and back " +
         (results.empty() ? "nothing" : results);
}

std::string shown(const share_item& item) {
  std::string const& name = item.variable->name;
  if (item.is_object) return "*" + name;
  if (item.is_lazy) return "where a part of " + name + " is";
  return item.low != nullptr ? "a part of " + name : name;
}

}  // namespace

void lowering::explain(const node& of, const std::vector<share_item>& items) {
  std::string given, results, kept;
  if (of.kind == node_kind::do_many) given = "a part of the loop";
  for (const share_item& each : items) {
    bool const is_result = each.kind == share_kind::out || each.kind == share_kind::reduce;
    if (each.kind == share_kind::shared)
      add(kept, each.variable->name);
    else
      add(is_result ? results : given, shown(each));
    if (each.is_inout) add(given, shown(each));
  }
  explanations_.push_back({of.how.place, kept.empty()
                                             ? travels(function_name_, given, results)
                                             : function_name_ + ": its tasks stay on their node, because of shared " + kept});
}

void lowering::explain(const task_type& task, bool is_transferable) {
  std::string given, results, kept;
  for (const task_field& each : task.fields) {
    if (each.is_in) add(given, each.what->name);
    if (each.is_out) add(results, each.what->name);
    bool const is_carried = each.is_in || each.is_out;
    bool const has_pointer = each.what->has_pointers && (is_carried || task.task_send == nullptr);
    if (each.is_shared || has_pointer) add(kept, each.what->name);
  }
  if (task.task_send != nullptr) add(given, "what task_send writes");
  if (task.rslt_send != nullptr) add(results, "what rslt_send writes");
  std::string const whose = "task " + task.name;
  explanations_.push_back({task.place, is_transferable ? travels(whose, given, results)
                                                       : whose + ": its tasks stay on their node, because of " + kept});
}

}  // namespace tascell
