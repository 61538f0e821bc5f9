//! n-queens, with boards of bits and with boards that are copied. The placements of a row are joined one by one: the first of them and
//! the rest.

use crate::foreign::{Count, Watch};
use crate::measure;
use rayon::join;

const SOLVED: Count = Count { solutions: 1, placements: 1 };
const TRIED: Count = Count { solutions: 0, placements: 1 };
const NOTHING: Count = Count { solutions: 0, placements: 0 };

#[derive(Clone, Copy)]
struct Board {
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn place(self, square: u32) -> Board {
        Board { columns: self.columns | square, left: (self.left | square) << 1, right: (self.right | square) >> 1 }
    }
}

fn solve(at: Board, full: u32) -> Count {
    if at.columns == full {
        return SOLVED;
    }
    match full & !(at.columns | at.left | at.right) {
        0 => TRIED,
        free => TRIED + solve_row(at, free, full),
    }
}

fn solve_row(at: Board, free: u32, full: u32) -> Count {
    let first = free & free.wrapping_neg();
    let others = free & !first;
    if others == 0 {
        return solve(at.place(first), full);
    }
    let (one, rest) = join(|| solve(at.place(first), full), || solve_row(at, others, full));
    one + rest
}

#[no_mangle]
pub extern "C" fn foreign_queens(watch: *const Watch, size: u64) -> Count {
    measure(watch, || solve(Board { columns: 0, left: 0, right: 0 }, (1 << size) - 1))
}

#[derive(Clone, Copy)]
struct ArrayBoard {
    columns: [u8; 22],
    rows: u8,
    size: u8,
}

impl ArrayBoard {
    fn is_free(&self, column: u8) -> bool {
        let rows = self.rows as usize;
        self.columns[..rows].iter().enumerate().all(|(row, &queen)| {
            let aside = i32::from(queen) - i32::from(column);
            let above = (rows - row) as i32;
            aside != 0 && aside != above && aside != -above
        })
    }

    fn place(mut self, column: u8) -> ArrayBoard {
        self.columns[self.rows as usize] = column;
        self.rows += 1;
        self
    }
}

fn solve_array(at: &ArrayBoard) -> Count {
    if at.rows == at.size {
        return SOLVED;
    }
    TRIED + solve_from(at, 0)
}

/// The placements in the next row from this column on.
fn solve_from(at: &ArrayBoard, column: u8) -> Count {
    match (column..at.size).find(|&next| at.is_free(next)) {
        None => NOTHING,
        Some(next) => {
            let (one, rest) = join(|| solve_array(&at.place(next)), || solve_from(at, next + 1));
            one + rest
        }
    }
}

#[no_mangle]
pub extern "C" fn foreign_queens_array(watch: *const Watch, size: u64) -> Count {
    measure(watch, || solve_array(&ArrayBoard { columns: [0; 22], rows: 0, size: size as u8 }))
}
