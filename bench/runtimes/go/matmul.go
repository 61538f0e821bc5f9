package main

// #include "runtimes/foreign/bodies.h"
import "C"

import "unsafe"

const blockExtent = 32

func part(of C.foreign_matrix, row, column, rows, columns C.size_t) C.foreign_matrix {
	offset := (row*of.stride + column) * C.size_t(unsafe.Sizeof(*of.first))
	of.first = (*C.double)(unsafe.Add(unsafe.Pointer(of.first), int(offset)))
	of.rows, of.columns = rows, columns
	return of
}

func multiplyAdd(block C.foreign_block, product, left, right C.foreign_matrix) {
	rows, columns, inner := product.rows, product.columns, left.columns
	longest := rows
	if longest < columns {
		longest = columns
	}
	if longest < inner {
		longest = inner
	}
	half := longest / 2
	switch {
	case longest <= blockExtent:
		multiplyBlock(block, product, left, right)
	case longest == rows:
		runBoth(func() {
			multiplyAdd(block, part(product, 0, 0, half, columns), part(left, 0, 0, half, inner), right)
		}, func() {
			multiplyAdd(block, part(product, half, 0, rows-half, columns), part(left, half, 0, rows-half, inner), right)
		})
	case longest == columns:
		runBoth(func() {
			multiplyAdd(block, part(product, 0, 0, rows, half), left, part(right, 0, 0, inner, half))
		}, func() {
			multiplyAdd(block, part(product, 0, half, rows, columns-half), left, part(right, 0, half, inner, columns-half))
		})
	default:
		multiplyAdd(block, product, part(left, 0, 0, rows, half), part(right, 0, 0, half, columns))
		multiplyAdd(block, product, part(left, 0, half, rows, inner-half), part(right, half, 0, inner-half, columns))
	}
}

//export foreign_matmul
func foreign_matmul(watch *C.foreign_watch, product, left, right C.foreign_matrix, block C.foreign_block) {
	measure(watch, func() { multiplyAdd(block, product, left, right) })
}
