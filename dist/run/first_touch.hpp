// The page tables of a rank. Each rank has its own, so that its first access to a page is a page
// fault, also where another rank has given the page memory. A first steal had seven of them, which
// took ten times as long as the steal itself.
//
// Tried and dropped: touching all ranks' pages at the start, which takes twice as long for 32 ranks
// on two processors and half a MiB of page tables a rank; process_madvise for all pages at once,
// which needs Linux 6.14.
#pragma once

namespace weft::dist {

// In each rank, by main's OS thread, once its part and its region are set up. No other rank looks
// at them yet.
void touch_own();
// Once all ranks have done that: what this rank reads and writes of others in a steal. Roots begin
// on rank 0; of other ranks only a few are touched.
void touch_first_victims();
// One more rank, on a rank that has found no work for long.
void touch_next_victim();

}  // namespace weft::dist
