// The CPUs on which streams run. ABT_SET_AFFINITY binds each stream when it starts, by its rank; a
// program may bind it otherwise.
#pragma once

namespace weft::abt {

struct settings;
struct stream;

// At ABT_init and ABT_finalize, by its caller, whose CPUs are those that it had.
void start_affinity(const settings& wanted);
void end_affinity();

// The calling OS thread, which is the stream's.
void bind_by_rank(const stream* self);
// Any caller.
void rebind_by_rank(stream* one);

// ABT_ codes. count 0: all CPUs that ABT_init was called with. read_cpus writes at most `most` of
// them, and how many there are.
int bind_to(stream* one, int count, const int* cpus);
int read_cpus(stream* one, int most, int* cpus, int* count);

}  // namespace weft::abt
