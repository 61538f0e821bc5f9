//! Quicksort and mergesort; see kernels/quicksort and kernels/mergesort.

use crate::foreign::Watch;
use crate::measure;
use rayon::join;
use std::slice::from_raw_parts_mut;

const INSERTION_CUTOFF: usize = 24;
const MERGE_CUTOFF: usize = 4096;

fn sort_insertion(values: &mut [i32]) {
    for sorted in 1..values.len() {
        let moving = values[sorted];
        let mut place = sorted;
        while place > 0 && moving < values[place - 1] {
            values[place] = values[place - 1];
            place -= 1;
        }
        values[place] = moving;
    }
}

/// Hoare's, about the median of three: where the upper part begins.
fn partition(values: &mut [i32]) -> usize {
    let (mut low, mut high) = (0, values.len() - 1);
    let (a, b, c) = (values[0], values[values.len() / 2], values[high]);
    let pivot = a.min(b).max(a.max(b).min(c));
    loop {
        while values[low] < pivot {
            low += 1;
        }
        while pivot < values[high] {
            high -= 1;
        }
        if low >= high {
            break;
        }
        values.swap(low, high);
        low += 1;
        high -= 1;
    }
    (high + 1).min(values.len() - 1)
}

fn sort_small(mut values: &mut [i32]) {
    while values.len() > INSERTION_CUTOFF {
        let split = partition(values);
        let (low, high) = values.split_at_mut(split);
        sort_small(low);
        values = high;
    }
    sort_insertion(values);
}

fn quicksort(values: &mut [i32], cutoff: usize) -> u64 {
    if values.len() <= cutoff {
        sort_small(values);
        return 1;
    }
    let split = partition(values);
    let (low, high) = values.split_at_mut(split);
    let (high_units, low_units) = join(|| quicksort(high, cutoff), || quicksort(low, cutoff));
    high_units + low_units
}

#[no_mangle]
pub extern "C" fn foreign_quicksort(watch: *const Watch, values: *mut i32, count: usize, cutoff: usize) -> u64 {
    let values = unsafe { from_raw_parts_mut(values, count) };
    measure(watch, || quicksort(values, cutoff))
}

fn merge_plainly<'a>(mut one: &'a [i32], mut other: &'a [i32], to: &mut [i32]) {
    for place in to {
        let from = match (one.first(), other.first()) {
            (Some(first), Some(second)) if second < first => &mut other,
            (Some(_), _) => &mut one,
            _ => &mut other,
        };
        *place = from[0];
        *from = &from[1..];
    }
}

fn merge(longer: &[i32], other: &[i32], to: &mut [i32]) {
    if to.len() <= MERGE_CUTOFF {
        return merge_plainly(longer, other, to);
    }
    let (longer, other) = if longer.len() < other.len() { (other, longer) } else { (longer, other) };
    let middle = longer.len() / 2;
    let place = other.partition_point(|&each| each < longer[middle]);
    let (to_low, to_high) = to.split_at_mut(middle + place);
    join(|| merge(&longer[..middle], &other[..place], to_low), || merge(&longer[middle..], &other[place..], to_high));
}

/// Leaves the sorted values in the scratch memory, or where they were.
fn mergesort(values: &mut [i32], scratch: &mut [i32], is_wanted_in_scratch: bool) {
    if values.len() <= INSERTION_CUTOFF {
        sort_insertion(values);
        if is_wanted_in_scratch {
            scratch.copy_from_slice(values);
        }
        return;
    }
    let half = values.len() / 2;
    let (low, high) = values.split_at_mut(half);
    let (scratch_low, scratch_high) = scratch.split_at_mut(half);
    join(|| mergesort(low, scratch_low, !is_wanted_in_scratch), || mergesort(high, scratch_high, !is_wanted_in_scratch));
    let (from, to) = if is_wanted_in_scratch { (values, scratch) } else { (scratch, values) };
    merge(&from[..half], &from[half..], to);
}

#[no_mangle]
pub extern "C" fn foreign_mergesort(watch: *const Watch, values: *mut i32, scratch: *mut i32, count: usize) {
    let (values, scratch) = unsafe { (from_raw_parts_mut(values, count), from_raw_parts_mut(scratch, count)) };
    measure(watch, || mergesort(values, scratch, false))
}
