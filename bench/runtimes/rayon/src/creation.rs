//! Binary Task Creation, and children in batches and chains. A batch is halved by join; the one child of a link is spawned in a scope.

use crate::foreign::Watch;
use crate::measure;
use rayon::{join, scope};

fn count_leaves(depth: u64) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (left, right) = join(|| count_leaves(depth - 1), || count_leaves(depth - 1));
    left + right
}

#[no_mangle]
pub extern "C" fn foreign_btc(watch: *const Watch, depth: u64) -> u64 {
    measure(watch, || count_leaves(depth))
}

#[derive(Clone, Copy, Default)]
struct Child {
    number: u64,
    noted: u64,
}

fn run_batch(children: &mut [Child]) {
    if let [one] = children {
        one.noted = one.number;
        return;
    }
    let (low, high) = children.split_at_mut(children.len() / 2);
    join(|| run_batch(low), || run_batch(high));
}

#[no_mangle]
pub extern "C" fn foreign_create_flat(watch: *const Watch, size: u64, batch: u64) -> u64 {
    let mut children = vec![Child::default(); batch as usize];
    measure(watch, || {
        let (mut made, mut sum) = (0, 0);
        while made < size {
            let count = batch.min(size - made) as usize;
            for child in &mut children[..count] {
                made += 1;
                *child = Child { number: made, noted: 0 };
            }
            run_batch(&mut children[..count]);
            sum += children[..count].iter().map(|child| child.noted).sum::<u64>();
        }
        sum
    })
}

fn run_chain(length: u64) -> u64 {
    if length == 0 {
        return 0;
    }
    let mut below = 0;
    scope(|children| children.spawn(|_| below = run_chain(length - 1)));
    below + 1
}

#[no_mangle]
pub extern "C" fn foreign_create_nested(watch: *const Watch, size: u64, chain: u64) -> u64 {
    measure(watch, || {
        let (mut left, mut made) = (size, 0);
        while left > 0 {
            let length = chain.min(left);
            made += run_chain(length);
            left -= length;
        }
        made
    })
}
