//! The bodies of the kernels in Rust, over rayon's join.

mod creation;
mod foreign;
mod matmul;
mod queens;
mod sorting;
mod trees;

use foreign::Watch;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Mutex;

/// UTS T3 is more than 1500 levels deep, and whoever waits runs others' work on top of it.
const STACK_BYTES: usize = 64 << 20;

static POOL: Mutex<Option<ThreadPool>> = Mutex::new(None);

#[no_mangle]
pub extern "C" fn foreign_start(workers: u32) {
    let pool = ThreadPoolBuilder::new().num_threads(workers as usize).stack_size(STACK_BYTES).build();
    *POOL.lock().unwrap() = Some(pool.expect("rayon's pool"));
}

#[no_mangle]
pub extern "C" fn foreign_stop() {
    *POOL.lock().unwrap() = None;
}

/// Runs the work in the pool, the watch there around it.
fn measure<Answer: Send>(watch: *const Watch, work: impl FnOnce() -> Answer + Send) -> Answer {
    let watch = unsafe { &*watch };
    let guard = POOL.lock().unwrap();
    guard.as_ref().expect("foreign_start comes first").install(|| {
        watch.start();
        let answer = work();
        watch.stop();
        answer
    })
}
