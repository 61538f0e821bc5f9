//! fib, UTS and tree exploration.

use crate::foreign::{Node, Tree, Watch};
use crate::measure;
use rayon::join;
use std::arch::asm;

/// The empty asm keeps every call a call, as in kernels/fib/sequential.cpp.
#[inline(never)]
fn plain_fib(mut n: u64) -> u64 {
    unsafe { asm!("/* {n} */", n = inout(reg) n, options(nomem, nostack, preserves_flags)) };
    if n < 2 {
        n
    } else {
        plain_fib(n - 1) + plain_fib(n - 2)
    }
}

fn fib<const CUTOFF: u64>(n: u64) -> u64 {
    if n < CUTOFF {
        return if CUTOFF == 2 { n } else { plain_fib(n) };
    }
    let (left, right) = join(|| fib::<CUTOFF>(n - 1), || fib::<CUTOFF>(n - 2));
    left + right
}

#[no_mangle]
pub extern "C" fn foreign_fib(watch: *const Watch, n: u64, cutoff: u64) -> u64 {
    match cutoff {
        2 => measure(watch, || fib::<2>(n)),
        10 => measure(watch, || fib::<10>(n)),
        _ => panic!("fib has no cutoff of {cutoff}"),
    }
}

fn count_below(tree: &Tree, node: &Node) -> u64 {
    match node.children {
        0 => 1,
        children => 1 + count_children(tree, node, 0, children),
    }
}

/// The nodes below the children first to last - 1, at least one.
fn count_children(tree: &Tree, parent: &Node, first: u32, last: u32) -> u64 {
    if last - first == 1 {
        return count_below(tree, &tree.child(parent, first));
    }
    let middle = first + (last - first) / 2;
    let (low, high) = join(|| count_children(tree, parent, first, middle), || count_children(tree, parent, middle, last));
    low + high
}

#[no_mangle]
pub extern "C" fn foreign_uts(watch: *const Watch, tree: *const Tree) -> u64 {
    let tree = unsafe { &*tree };
    measure(watch, || count_below(tree, &tree.root()))
}

struct Branch {
    left: Option<Box<Branch>>,
    right: Option<Box<Branch>>,
    number: u64,
}

fn build(first: u64, last: u64) -> Option<Box<Branch>> {
    if last < first {
        return None;
    }
    let number = first + (last - first) / 2;
    if first == last {
        return Some(Box::new(Branch { left: None, right: None, number }));
    }
    let (left, right) = join(|| build(first, number - 1), || build(number + 1, last));
    Some(Box::new(Branch { left, right, number }))
}

fn sum(root: &Branch) -> u64 {
    let sum_of = |child: &Option<Box<Branch>>| child.as_deref().map_or(0, sum);
    let (left, right) = match (&root.left, &root.right) {
        (Some(left), Some(right)) => join(|| sum(left), || sum(right)),
        (left, right) => (sum_of(left), sum_of(right)),
    };
    root.number + left + right
}

#[no_mangle]
pub extern "C" fn foreign_tree_sum(watch: *const Watch, size: u64) -> u64 {
    let (total, _built) = measure(watch, || {
        let root = build(1, size);
        (root.as_deref().map_or(0, sum), root)
    });
    total
}
