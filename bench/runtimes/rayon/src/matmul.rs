//! The product of matrices by halving; see kernels/matmul.

use crate::foreign::{Block, Matrix, Watch};
use crate::measure;
use rayon::join;

const BLOCK_EXTENT: usize = 32;

impl Matrix {
    fn part(self, row: usize, column: usize, rows: usize, columns: usize) -> Matrix {
        Matrix { first: self.first.wrapping_add(row * self.stride + column), rows, columns, stride: self.stride }
    }
}

fn multiply_add(block: Block, product: Matrix, left: Matrix, right: Matrix) {
    let (rows, columns, inner) = (product.rows, product.columns, left.columns);
    let longest = rows.max(columns).max(inner);
    let half = longest / 2;
    let multiply = |product, left, right| multiply_add(block, product, left, right);
    if longest <= BLOCK_EXTENT {
        block(product, left, right);
    } else if longest == rows {
        join(
            || multiply(product.part(0, 0, half, columns), left.part(0, 0, half, inner), right),
            || multiply(product.part(half, 0, rows - half, columns), left.part(half, 0, rows - half, inner), right),
        );
    } else if longest == columns {
        join(
            || multiply(product.part(0, 0, rows, half), left, right.part(0, 0, inner, half)),
            || multiply(product.part(0, half, rows, columns - half), left, right.part(0, half, inner, columns - half)),
        );
    } else {
        multiply(product, left.part(0, 0, rows, half), right.part(0, 0, half, columns));
        multiply(product, left.part(0, half, rows, inner - half), right.part(half, 0, inner - half, columns));
    }
}

#[no_mangle]
pub extern "C" fn foreign_matmul(watch: *const Watch, product: Matrix, left: Matrix, right: Matrix, block: Block) {
    measure(watch, || multiply_add(block, product, left, right))
}
