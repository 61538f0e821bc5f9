package main

// #include "runtimes/foreign/bodies.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
)

//export foreign_start
func foreign_start(workers C.uint) { runtime.GOMAXPROCS(int(workers)) }

//export foreign_stop
func foreign_stop() {}

//go:noinline
func plainFib(n uint64) uint64 {
	if n < 2 {
		return n
	}
	return plainFib(n-1) + plainFib(n-2)
}

func fib(n, cutoff uint64) uint64 {
	if n < cutoff {
		return plainFib(n)
	}
	var left, right uint64
	runBoth(func() { left = fib(n-1, cutoff) }, func() { right = fib(n-2, cutoff) })
	return left + right
}

//export foreign_fib
func foreign_fib(watch *C.foreign_watch, n, cutoff C.uint64_t) (answer C.uint64_t) {
	measure(watch, func() { answer = C.uint64_t(fib(uint64(n), uint64(cutoff))) })
	return answer
}

func countBelow(tree *C.foreign_tree, node *C.foreign_node) uint64 {
	children := int(node.children)
	if children == 0 {
		return 1
	}
	nodes := make([]uint64, children)
	var all sync.WaitGroup
	all.Add(children)
	for index := range nodes {
		go func(index int) {
			child := makeChild(tree, node, uint32(index))
			nodes[index] = countBelow(tree, &child)
			all.Done()
		}(index)
	}
	all.Wait()
	total := uint64(1)
	for _, below := range nodes {
		total += below
	}
	return total
}

//export foreign_uts
func foreign_uts(watch *C.foreign_watch, tree *C.foreign_tree) (nodes C.uint64_t) {
	measure(watch, func() {
		root := makeRoot(tree)
		nodes = C.uint64_t(countBelow(tree, &root))
	})
	return nodes
}

type node struct {
	left, right *node
	number      uint64
}

func build(first, last uint64) *node {
	middle := first + (last-first)/2
	made := &node{number: middle}
	left := func() { made.left = build(first, middle-1) }
	right := func() { made.right = build(middle+1, last) }
	runThose(first < middle, left, middle < last, right)
	return made
}

func sum(root *node) uint64 {
	var leftSum, rightSum uint64
	left := func() { leftSum = sum(root.left) }
	right := func() { rightSum = sum(root.right) }
	runThose(root.left != nil, left, root.right != nil, right)
	return root.number + leftSum + rightSum
}

// A child without work is none.
func runThose(hasLeft bool, left func(), hasRight bool, right func()) {
	var children sync.WaitGroup
	start := func(has bool, child func()) {
		if !has {
			return
		}
		children.Add(1)
		go func() {
			child()
			children.Done()
		}()
	}
	start(hasLeft, left)
	start(hasRight, right)
	children.Wait()
}

//export foreign_tree_sum
func foreign_tree_sum(watch *C.foreign_watch, size C.uint64_t) (total C.uint64_t) {
	measure(watch, func() { total = C.uint64_t(sum(build(1, uint64(size)))) })
	return total
}

//export foreign_blocked
func foreign_blocked(watch *C.foreign_watch, count C.uint64_t) C.uint64_t {
	var waiting, total uint64
	measure(watch, func() {
		gate := make(chan struct{})
		var all sync.WaitGroup
		all.Add(int(count))
		for number := uint64(1); number <= uint64(count); number++ {
			go func(number uint64) {
				atomic.AddUint64(&waiting, 1)
				<-gate
				atomic.AddUint64(&total, number)
				all.Done()
			}(number)
		}
		for atomic.LoadUint64(&waiting) < uint64(count) {
			runtime.Gosched()
		}
		stopWatch(watch)
		startWatch(watch)
		close(gate)
		all.Wait()
	})
	return C.uint64_t(total)
}
