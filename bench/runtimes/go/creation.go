package main

// #include "runtimes/foreign/bodies.h"
import "C"

import "sync"

func countLeaves(depth uint64) uint64 {
	if depth == 0 {
		return 1
	}
	var left, right uint64
	runBoth(func() { left = countLeaves(depth - 1) }, func() { right = countLeaves(depth - 1) })
	return left + right
}

//export foreign_btc
func foreign_btc(watch *C.foreign_watch, depth C.uint64_t) (leaves C.uint64_t) {
	measure(watch, func() { leaves = C.uint64_t(countLeaves(uint64(depth))) })
	return leaves
}

type child struct{ number, noted uint64 }

func runBatch(children []child) {
	var all sync.WaitGroup
	all.Add(len(children))
	for index := range children {
		go func(own *child) {
			own.noted = own.number
			all.Done()
		}(&children[index])
	}
	all.Wait()
}

//export foreign_create_flat
func foreign_create_flat(watch *C.foreign_watch, size, batch C.uint64_t) (sum C.uint64_t) {
	children := make([]child, int(batch))
	measure(watch, func() {
		for made := uint64(0); made < uint64(size); {
			some := children
			if left := uint64(size) - made; left < uint64(len(some)) {
				some = some[:left]
			}
			for index := range some {
				made++
				some[index] = child{number: made}
			}
			runBatch(some)
			for index := range some {
				sum += C.uint64_t(some[index].noted)
			}
		}
	})
	return sum
}

func runChain(length uint64) uint64 {
	if length == 0 {
		return 0
	}
	var below uint64
	var one sync.WaitGroup
	one.Add(1)
	go func() {
		below = runChain(length - 1)
		one.Done()
	}()
	one.Wait()
	return below + 1
}

//export foreign_create_nested
func foreign_create_nested(watch *C.foreign_watch, size, chain C.uint64_t) (made C.uint64_t) {
	measure(watch, func() {
		for left := uint64(size); left > 0; {
			length := uint64(chain)
			if left < length {
				length = left
			}
			made += C.uint64_t(runChain(length))
			left -= length
		}
	})
	return made
}
