// The bodies of the kernels in Go: every child of a parent is a goroutine, as threads are in the other runtimes.
package main

// #cgo CFLAGS: -I${SRCDIR}/../..
// #include "runtimes/foreign/bodies.h"
// static void start_watch(foreign_watch *watch) { watch->start(watch->of); }
// static void stop_watch(foreign_watch *watch) { watch->stop(watch->of); }
// static foreign_node make_root(foreign_tree *tree) { return tree->root(tree->of); }
// static foreign_node make_child(foreign_tree *tree, foreign_node parent, uint32_t index) {
//   return tree->child(tree->of, parent, index);
// }
// static void multiply_block(foreign_block function, foreign_matrix product, foreign_matrix left, foreign_matrix right) {
//   function(product, left, right);
// }
import "C"

import "sync"

// A goroutine that C calls stays on its thread: the work is done by another one, the watch around it.
func measure(watch *C.foreign_watch, work func()) {
	done := make(chan struct{})
	go func() {
		C.start_watch(watch)
		work()
		C.stop_watch(watch)
		close(done)
	}()
	<-done
}

func runBoth(left, right func()) {
	var both sync.WaitGroup
	both.Add(2)
	go func() {
		left()
		both.Done()
	}()
	go func() {
		right()
		both.Done()
	}()
	both.Wait()
}

func stopWatch(watch *C.foreign_watch)  { C.stop_watch(watch) }
func startWatch(watch *C.foreign_watch) { C.start_watch(watch) }

func makeRoot(tree *C.foreign_tree) C.foreign_node { return C.make_root(tree) }

func makeChild(tree *C.foreign_tree, parent *C.foreign_node, index uint32) C.foreign_node {
	return C.make_child(tree, *parent, C.uint32_t(index))
}

func multiplyBlock(function C.foreign_block, product, left, right C.foreign_matrix) {
	C.multiply_block(function, product, left, right)
}

func main() {}
