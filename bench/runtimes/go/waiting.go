package main

// #include "runtimes/foreign/bodies.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The index-th of `parts` nearly equal parts of the total.
func share(total uint64, parts, index int) uint64 {
	part := total / uint64(parts)
	if uint64(index) < total%uint64(parts) {
		part++
	}
	return part
}

// Runs all of them as goroutines and waits for them.
func runAll(count int, run func(index int)) {
	var all sync.WaitGroup
	all.Add(count)
	for index := 0; index < count; index++ {
		go func(index int) {
			run(index)
			all.Done()
		}(index)
	}
	all.Wait()
}

type yielder struct {
	done  atomic.Uint64
	times uint64
	_     [48]byte
}

// How much of their yields those have done who have yielded least.
func leastDone(all []yielder) float64 {
	least := 1.0
	for index := range all {
		if each := &all[index]; each.times > 0 {
			if done := float64(each.done.Load()) / float64(each.times); done < least {
				least = done
			}
		}
	}
	return least
}

//export foreign_yield
func foreign_yield(watch *C.foreign_watch, count C.uint, size C.uint64_t) (found C.foreign_turns) {
	all := make([]yielder, int(count))
	for index := range all {
		all[index].times = share(uint64(size), len(all), index)
	}
	var hasOneEnded atomic.Bool
	var ratio float64
	measure(watch, func() {
		runAll(len(all), func(index int) {
			own := &all[index]
			for done := uint64(1); done <= own.times; done++ {
				runtime.Gosched()
				own.done.Store(done)
			}
			if !hasOneEnded.Swap(true) {
				ratio = leastDone(all)
			}
		})
	})
	for index := range all {
		found.done += C.uint64_t(all[index].done.Load())
	}
	found.ratio = C.double(ratio)
	return found
}

//export foreign_mutex_handover
func foreign_mutex_handover(watch *C.foreign_watch, count C.uint, size C.uint64_t) C.foreign_turns {
	var mutex sync.Mutex
	var locks, handovers uint64
	last := -1
	hold := func(own int) {
		mutex.Lock()
		locks++
		if last != own {
			handovers++
		}
		last = own
		runtime.Gosched()
		mutex.Unlock()
	}
	measure(watch, func() {
		runAll(int(count), func(own int) {
			for times := share(uint64(size), int(count), own); times > 0; times-- {
				hold(own)
				runtime.Gosched()
			}
		})
	})
	return C.foreign_turns{done: C.uint64_t(locks), ratio: C.double(float64(handovers) / float64(locks))}
}

// What two players share.
type table interface {
	pass(own int) // waits for the turn, or the ball, and gives it to the other one
	end(own int)
	passes() uint64
}

type conditionTable struct {
	mutex   sync.Mutex
	hasTurn [2]*sync.Cond
	turn    int
	passed  uint64
}

func newConditionTable() table {
	made := &conditionTable{}
	for own := range made.hasTurn {
		made.hasTurn[own] = sync.NewCond(&made.mutex)
	}
	return made
}

func (of *conditionTable) pass(own int) {
	of.mutex.Lock()
	for of.turn != own {
		of.hasTurn[own].Wait()
	}
	of.turn = 1 - own
	of.passed++
	of.mutex.Unlock()
	of.hasTurn[1-own].Signal()
}

func (of *conditionTable) end(int)        {}
func (of *conditionTable) passes() uint64 { return of.passed }

type channelTable struct {
	to        [2]chan uint64
	wasServed bool // the first player's, as is the next
	passed    uint64
}

func newChannelTable() table {
	return &channelTable{to: [2]chan uint64{make(chan uint64, 1), make(chan uint64, 1)}}
}

func (of *channelTable) pass(own int) {
	var ball uint64
	if own == 0 && !of.wasServed {
		of.wasServed = true
	} else {
		ball = <-of.to[own]
	}
	of.to[1-own] <- ball + 1
}

// The first player catches the last ball.
func (of *channelTable) end(own int) {
	if own == 0 && of.wasServed {
		of.passed = <-of.to[0]
	}
}
func (of *channelTable) passes() uint64 { return of.passed }

func playPairs(watch *C.foreign_watch, pairs int, size uint64, newTable func() table) (passes C.uint64_t) {
	tables := make([]table, pairs)
	for index := range tables {
		tables[index] = newTable()
	}
	measure(watch, func() {
		runAll(2*pairs, func(player int) {
			at, own := tables[player/2], player%2
			for times := share(size, pairs, player/2); times > 0; times-- {
				at.pass(own)
			}
			at.end(own)
		})
	})
	for _, each := range tables {
		passes += C.uint64_t(each.passes())
	}
	return passes
}

//export foreign_condition_ping_pong
func foreign_condition_ping_pong(watch *C.foreign_watch, pairs C.uint, size C.uint64_t) C.uint64_t {
	return playPairs(watch, int(pairs), uint64(size), newConditionTable)
}

//export foreign_channel_ping_pong
func foreign_channel_ping_pong(watch *C.foreign_watch, pairs C.uint, size C.uint64_t) C.uint64_t {
	return playPairs(watch, int(pairs), uint64(size), newChannelTable)
}

//export foreign_thread_ops
func foreign_thread_ops(watch *C.foreign_watch, count C.uint, yields, rounds C.uint64_t) (total C.uint64_t) {
	done := make([]uint64, int(count))
	measure(watch, func() {
		for round := uint64(0); round < uint64(rounds); round++ {
			runAll(len(done), func(index int) {
				for yielded := uint64(0); yielded < uint64(yields); yielded++ {
					runtime.Gosched()
					done[index]++
				}
				done[index]++
			})
		}
	})
	for _, each := range done {
		total += C.uint64_t(each)
	}
	return total
}
