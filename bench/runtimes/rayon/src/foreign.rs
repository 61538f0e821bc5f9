//! The types of foreign/bodies.h.

use std::ffi::c_void;

#[repr(C)]
pub struct Watch {
    of: *mut c_void,
    start: extern "C" fn(*mut c_void),
    stop: extern "C" fn(*mut c_void),
}

// One worker at a time uses it.
unsafe impl Sync for Watch {}

impl Watch {
    pub fn start(&self) {
        (self.start)(self.of)
    }
    pub fn stop(&self) {
        (self.stop)(self.of)
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Count {
    pub solutions: u64,
    pub placements: u64,
}

impl std::ops::Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { solutions: self.solutions + other.solutions, placements: self.placements + other.placements }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Node {
    state: [u32; 5],
    depth: u32,
    pub children: u32,
}

/// Its functions only read it.
#[repr(C)]
pub struct Tree {
    of: *mut c_void,
    root: extern "C" fn(*mut c_void) -> Node,
    child: extern "C" fn(*mut c_void, Node, u32) -> Node,
}

unsafe impl Sync for Tree {}

impl Tree {
    pub fn root(&self) -> Node {
        (self.root)(self.of)
    }
    pub fn child(&self, parent: &Node, index: u32) -> Node {
        (self.child)(self.of, *parent, index)
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Matrix {
    pub first: *mut f64,
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
}

// Parts that are written at the same time do not overlap.
unsafe impl Send for Matrix {}
unsafe impl Sync for Matrix {}

pub type Block = extern "C" fn(Matrix, Matrix, Matrix);
