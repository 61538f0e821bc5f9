package main

// #include "runtimes/foreign/bodies.h"
import "C"

import (
	"math/bits"
	"sync"
)

type count struct{ solutions, placements uint64 }

func (own *count) add(other count) {
	own.solutions += other.solutions
	own.placements += other.placements
}

func sumOf(tried []count) count {
	total := count{0, 1}
	for _, each := range tried {
		total.add(each)
	}
	return total
}

type board struct{ columns, left, right uint32 }

func (at board) place(square uint32) board {
	return board{at.columns | square, (at.left | square) << 1, (at.right | square) >> 1}
}

func solve(at board, full uint32) count {
	if at.columns == full {
		return count{1, 1}
	}
	free := full &^ (at.columns | at.left | at.right)
	if free == 0 {
		return count{0, 1}
	}
	tried := make([]count, bits.OnesCount32(free))
	var all sync.WaitGroup
	all.Add(len(tried))
	for index := range tried {
		go func(index int, next board) {
			tried[index] = solve(next, full)
			all.Done()
		}(index, at.place(free&-free))
		free &= free - 1
	}
	all.Wait()
	return sumOf(tried)
}

//export foreign_queens
func foreign_queens(watch *C.foreign_watch, size C.uint64_t) (found C.foreign_count) {
	measure(watch, func() { found = toC(solve(board{}, 1<<uint(size)-1)) })
	return found
}

func toC(of count) C.foreign_count {
	return C.foreign_count{solutions: C.uint64_t(of.solutions), placements: C.uint64_t(of.placements)}
}

type arrayBoard struct {
	columns [22]uint8
	rows    uint8
	size    uint8
}

func (at *arrayBoard) isFree(column int) bool {
	rows := int(at.rows)
	for row, queen := range at.columns[:rows] {
		aside := int(queen) - column
		above := rows - row
		if aside == 0 || aside == above || aside == -above {
			return false
		}
	}
	return true
}

// The board comes as a copy, which the placement changes.
func placeAndSolve(at arrayBoard, column int) count {
	at.columns[at.rows] = uint8(column)
	at.rows++
	return solveArray(&at)
}

func solveArray(at *arrayBoard) count {
	if at.rows == at.size {
		return count{1, 1}
	}
	tried := make([]count, 0, 22)
	var all sync.WaitGroup
	for column := 0; column < int(at.size); column++ {
		if !at.isFree(column) {
			continue
		}
		tried = append(tried, count{})
		all.Add(1)
		go func(found *count, column int) {
			*found = placeAndSolve(*at, column)
			all.Done()
		}(&tried[len(tried)-1], column)
	}
	all.Wait()
	return sumOf(tried)
}

//export foreign_queens_array
func foreign_queens_array(watch *C.foreign_watch, size C.uint64_t) (found C.foreign_count) {
	measure(watch, func() { found = toC(solveArray(&arrayBoard{size: uint8(size)})) })
	return found
}
