// Runs: workers are made, one pinned to each worker of Weft, run the root and what they steal, and
// go. The first worker runs the root.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <weft/ext.h>
#include <weft/failing.h>

#include "lazy.hpp"
#include "node_life.hpp"

namespace weft::tascell_runtime {
namespace {

// Beyond this a worker has a word of requests for each 64 workers, what it watches in the check
// mode, and what the program asks for.
static_assert(sizeof(worker) <= 1024);

weft_mutex counts_lock = WEFT_MUTEX_INIT;
weft_tascell_counts last_counts{};

// ---- memory: one block of the workers, one of their words, and the data of each -----------------

std::size_t data_alignment(const weft_tascell_options& options) {
  return options.data_alignment < alignof(std::max_align_t) ? alignof(std::max_align_t) : options.data_alignment;
}

void* make_data(const weft_tascell_options& options) {
  const std::size_t alignment = data_alignment(options);
  if (options.data_bytes > SIZE_MAX / 2 - alignment) return nullptr;
  const std::size_t bytes = (options.data_bytes + alignment - 1) / alignment * alignment;
  void* const data = std::aligned_alloc(alignment, bytes);
  if (data != nullptr) std::memset(data, 0, bytes);
  return data;
}

bool make_worker(run* all, unsigned index) {
  auto* const self = new (all->workers + index) worker();  // all zero first
  self->all = all;
  self->index = index;
  self->attention = all->looks_always;
  self->random = weft::base::rng(all->how.seed + index + 1);
  weft_tascell_set_probability(self, 1);
  const std::size_t words = request_words(all->thieves);
  auto* const posted = static_cast<atomic<std::uint64_t>*>(std::calloc(2 * words, sizeof(std::uint64_t)));
  self->requests.use(posted);
  self->pending = reinterpret_cast<std::uint64_t*>(posted + words);
  if (all->how.checks) self->check = make_checker();
  if (all->options.data_bytes != 0) self->data = make_data(all->options);
  self->words = posted;
  return posted != nullptr && (all->options.data_bytes == 0 || self->data != nullptr) &&
         (!all->how.checks || self->check != nullptr);
}

void free_worker(worker* self) {
  std::free(self->words);
  std::free(self->data);
  free_checker(self->check);
}

// A thief without a thread, for requests of other nodes.
void make_thief(run* all, unsigned index) {
  auto* const self = new (all->workers + index) worker();  // all zero first
  self->all = all;
  self->index = index;
  self->random = weft::base::rng(all->how.seed + index + 1);
}

bool make_workers(run* all) {
  all->workers = static_cast<worker*>(std::aligned_alloc(alignof(worker), all->thieves * sizeof(worker)));
  if (all->workers == nullptr) return false;
  for (unsigned i = all->count; i < all->thieves; ++i) make_thief(all, i);
  for (unsigned i = 0; i < all->count; ++i) {
    if (make_worker(all, i)) continue;
    for (unsigned made = 0; made <= i; ++made) free_worker(all->workers + made);
    std::free(all->workers);
    return false;
  }
  return true;
}

// ---- the workers' threads -----------------------------------------------------------------------

// The root of a worker's thread.
void work(void* argument) {
  auto* const self = static_cast<worker*>(argument);
  run* const all = self->all;
  (void)weft_event_wait(&all->ready);
  if (self->is_spare) return;
  if (all->options.data_start != nullptr) all->options.data_start(self);
  if (self->index == 0 && all->root != nullptr) {
    if (all->far != nullptr) wait_for_nodes(self);
    run_task(self, all->root);
    all->has_ended.store(1, base::relaxed);
    wake_workers(all);
  }
  be_idle(self);
  if (all->options.data_end != nullptr) all->options.data_end(self);
}

// The workers of Weft may have any indexes. Returns how many threads were made.
unsigned make_threads(run* all, weft_status* problem) {
  weft_ext_name_stack_setting(work, "WEFT_TASCELL_STACK_SIZE, or stack_bytes of its weft_tascell_options", 0);
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.stack_bytes = all->options.stack_bytes;
  attr.name = "tascell worker";
  unsigned made = 0;
  for (unsigned place = 0; place < most_workers && made < all->count; ++place) {
    attr.worker = static_cast<int>(place);
    worker* const self = all->workers + made;
    const weft_status status = weft_thread_create(work, self, &attr, &self->thread);
    if (status == WEFT_OK) ++made;
    if (status != WEFT_OK) *problem = status;
    if (status != WEFT_OK && status != WEFT_INVALID) break;  // a gap in the indexes is no problem
  }
  return made;
}

weft_status run_workers(run* all) {
  weft_status problem = WEFT_OK;
  const unsigned made = make_threads(all, &problem);
  const bool is_whole = made == all->count;
  for (unsigned i = 0; i < made; ++i) all->workers[i].is_spare = !is_whole;
  weft_event_set(&all->ready);
  for (unsigned i = 0; i < made; ++i) (void)weft_thread_join(all->workers[i].thread);
  return is_whole ? WEFT_OK : problem;
}

// ---- counts -------------------------------------------------------------------------------------

void tell_counts(const weft_tascell_counts& of, unsigned workers) {
  std::fprintf(stderr,
               "weft: tascell: %u workers: %" PRIu64 " requests, %" PRIu64 " refused, %" PRIu64 " backtracks over %" PRIu64
               " records, %" PRIu64 " tasks given, %" PRIu64 " of them back, %" PRIu64 " cancelled, %" PRIu64 " sleeps\n",
               workers, of.requests, of.refused, of.backtracks, of.records, of.given, of.stolen_back, of.cancelled, of.sleeps);
}

void note_counts(const run* all) {
  weft_tascell_counts sum{};
  for (unsigned i = 0; i < all->count; ++i) {
    const weft_tascell_counts& each = all->workers[i].counts;
    sum.requests += each.requests;
    sum.refused += each.refused;
    sum.backtracks += each.backtracks;
    sum.records += each.records;
    sum.given += each.given;
    sum.stolen_back += each.stolen_back;
    sum.cancelled += each.cancelled;
    sum.sleeps += each.sleeps;
  }
  if (all->how.tells_counts) tell_counts(sum, all->count);
  if (weft_mutex_lock(&counts_lock) != WEFT_OK) return;
  last_counts = sum;
  (void)weft_mutex_unlock(&counts_lock);
}

// ---- options ------------------------------------------------------------------------------------

constexpr char run_call[] = "weft_tascell_run";

weft_status refuse_option(const char* cause, std::uint64_t value) {
  return weft_ext_fail(WEFT_INVALID, run_call, "options", cause, value);
}

// WEFT_OK: they are good.
weft_status refusal_of(const weft_tascell_options& options) {
  if (options.size != sizeof options) return refuse_option("its size is %u: set it with WEFT_TASCELL_OPTIONS_INIT", options.size);
  if ((options.data_alignment & (options.data_alignment - 1)) != 0)
    return refuse_option("data_alignment is %u, which is no power of two", options.data_alignment);
  if (options.stack_bytes == 0 || options.stack_bytes >= WEFT_STACK_MIN) return WEFT_OK;
  static_assert(WEFT_STACK_MIN == 16384);
  return refuse_option("stack_bytes is %u; at least 16384 (WEFT_STACK_MIN) are needed", options.stack_bytes);
}

weft_status refuse_root(const weft_tascell_task* root) {
  return weft_ext_fail(WEFT_INVALID, run_call, "root", root == nullptr ? "it is null" : "it was given or run before", 0);
}

void choose_count(run* all) {
  const unsigned there_are = weft_worker_count();
  all->count = all->options.workers == 0 || all->options.workers > there_are ? there_are : all->options.workers;
  if (all->options.stack_bytes == 0) all->options.stack_bytes = all->how.stack_bytes;
  all->thieves = all->far == nullptr ? all->count : all->count + outside_most;
  const bool looks = all->how.storm != 0 || all->how.checks || all->how.yields;
  all->looks_always = looks ? std::uint32_t{always_look} : 0;
}

}  // namespace
}  // namespace weft::tascell_runtime

using namespace weft::tascell_runtime;

void weft_tascell_set_probability(weft_tascell_worker* worker, double probability) {
  worker->probability = probability < 0 ? 0 : probability > 1 ? 1 : probability;
  as_worker(worker)->accepts.store(static_cast<std::uint32_t>(worker->probability * 0x1p20), base::relaxed);
}

void weft_tascell_refuse_step(const weft_tascell_place* place, int64_t step) {
  char text[128];
  std::snprintf(text, sizeof text, "the step of this loop is %" PRId64 ", and must be at least 1: loops go upwards", step);
  die(place, text);
}

unsigned weft_tascell_worker_count(const weft_tascell_worker* worker) {
  return static_cast<const struct worker*>(worker)->all->count;
}

namespace weft::tascell_runtime {

void wake_workers(run* all) {
  for (unsigned i = 0; i < all->count; ++i) wake(all->workers + i);
}

}  // namespace weft::tascell_runtime

// root is null on a node that does not run main.
static weft_status run_on(weft_tascell_task* root, const weft_tascell_options* options, node* far) {
  run all;
  const weft_tascell_options usual = WEFT_TASCELL_OPTIONS_INIT;
  all.options = options == nullptr ? usual : *options;
  if (const weft_status refused = refusal_of(all.options); refused != WEFT_OK) return refused;
  if (!read_settings(&all.how))
    return weft_ext_fail(WEFT_INVALID, run_call, nullptr, "a variable of the environment, which a line on stderr names, is bad",
                         0);
  if (!weft_is_initialized())
    return weft_ext_fail(WEFT_NOT_INITIALIZED, run_call, nullptr, "the runtime is not running: call weft_init first", 0);
  if (weft_self() != nullptr && weft_thread_is_tasklet(weft_self()))
    return weft_ext_fail(WEFT_CANNOT_BLOCK, run_call, nullptr, "the caller is a tasklet, which may neither wait nor yield", 0);
  all.far = far;
  choose_count(&all);
  all.root = root;
  if (!make_workers(&all)) return weft_ext_fail(WEFT_NOMEM, run_call, nullptr, "memory is exhausted", 0);
  weft_status status = far == nullptr || start_door(far, &all) ? WEFT_OK : WEFT_AGAIN;
  if (status == WEFT_OK) {
    status = run_workers(&all);
    if (far != nullptr) stop_door(far);
  }
  if (status == WEFT_OK) note_counts(&all);
  if (all.how.tells_counts && far != nullptr) tell_transport(far);
  end_lazies(far, all.how.tells_counts);
  for (unsigned i = 0; i < all.count; ++i) free_worker(all.workers + i);
  std::free(all.workers);
  return status;
}

weft_status weft_tascell_run(weft_tascell_task* root, const weft_tascell_options* options) {
  if (root == nullptr || root->state != task_made) return refuse_root(root);
  return run_on(root, options, nullptr);
}

void weft_tascell_last_counts(weft_tascell_counts* out) {
  if (weft_mutex_lock(&counts_lock) != WEFT_OK) return;
  *out = last_counts;
  (void)weft_mutex_unlock(&counts_lock);
  out->live = count_live();
}

// ---- main ---------------------------------------------------------------------------------------

namespace {

struct main_task {
  task header;
  weft_tascell_function function;
  int argc;
  char** argv;
  int result;
};

void run_main(task* of, weft_tascell_worker* worker, record* up) {
  auto* const self = reinterpret_cast<main_task*>(of);
  self->result = self->function(worker, up, self->argc, self->argv);
}

constexpr weft_tascell_kind main_kind = {
    "main", sizeof(main_task), alignof(main_task), {}, run_main, nullptr, nullptr, nullptr, nullptr, nullptr, false};

int complain(const char* call, weft_status status) {
  std::fprintf(stderr, "weft: tascell: %s: %s\n", call, weft_status_text(status));
  return failed_status;
}

int result_of(const main_task* of) {
  std::int64_t tag = 0;
  if (weft_tascell_task_reason(&of->header, &tag) == WEFT_TASCELL_RETURNED) return of->result;
  if (of->header.foreign != nullptr)
    std::fprintf(stderr, "weft: tascell: an exception was not caught\n");
  else
    std::fprintf(stderr, "weft: tascell: throw %" PRId64 ": there is no catch for it\n", tag);
  return failed_status;
}

}  // namespace

// Runs main, if it is this node's; else what others give.
static int run_main_on(node* far, weft_tascell_function function, int argc, char** argv, const weft_tascell_options* options) {
  if (far != nullptr && !far->is_first()) {
    const weft_status status = run_on(nullptr, options, far);
    return status == WEFT_OK ? far->status : complain("weft_tascell_run", status);
  }
  auto* const root = reinterpret_cast<main_task*>(weft_tascell_task_make(nullptr, &main_kind));
  if (root == nullptr) return complain("weft_tascell_main", WEFT_NOMEM);
  root->function = function;
  root->argc = argc;
  root->argv = argv;
  const weft_status status = run_on(&root->header, options, far);
  const int result = status == WEFT_OK ? result_of(root) : complain("weft_tascell_run", status);
  weft_tascell_task_free(&root->header);
  return result;
}

int weft_tascell_main(weft_tascell_function function, int argc, char** argv, const weft_tascell_options* options) {
  node_options wanted;
  if (!read_node_options(&argc, argv, &wanted)) return failed_status;
  keep_launched_node(wanted);
  weft_config config = WEFT_CONFIG_INIT;
  config.workers = wanted.workers;
  if (const weft_status status = weft_init(&config); status != WEFT_OK) return complain("weft_init", status);
  bool is_good = true;
  node* const far = open_node(wanted, &is_good);
  int result = is_good ? run_main_on(far, function, argc, argv, options) : failed_status;
  if (far != nullptr) close_node(far, result);
  if (const weft_status status = weft_finalize(); status != WEFT_OK) result = complain("weft_finalize", status);
  return result;
}
