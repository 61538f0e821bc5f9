package main

// #include "runtimes/foreign/bodies.h"
import "C"

import (
	"sort"
	"sync"
	"unsafe"
)

const insertionCutoff = 24

func toSlice(values *C.int32_t, count C.size_t) []int32 {
	return unsafe.Slice((*int32)(values), int(count))
}

func sortInsertion(values []int32) {
	for sorted := 1; sorted < len(values); sorted++ {
		moving := values[sorted]
		place := sorted
		for ; place > 0 && moving < values[place-1]; place-- {
			values[place] = values[place-1]
		}
		values[place] = moving
	}
}

func smaller(a, b int32) int32 {
	if a < b {
		return a
	}
	return b
}

func larger(a, b int32) int32 {
	if a < b {
		return b
	}
	return a
}

// Hoare's, about the median of three; see quicksort.hpp.
func partition(values []int32) (low, high []int32) {
	first, last := 0, len(values)-1
	a, b, c := values[0], values[len(values)/2], values[last]
	pivot := larger(smaller(a, b), smaller(larger(a, b), c))
	for {
		for values[first] < pivot {
			first++
		}
		for pivot < values[last] {
			last--
		}
		if first >= last {
			break
		}
		values[first], values[last] = values[last], values[first]
		first++
		last--
	}
	split := last + 1
	if split > len(values)-1 {
		split = len(values) - 1
	}
	return values[:split], values[split:]
}

func sortSmall(values []int32) {
	for len(values) > insertionCutoff {
		low, high := partition(values)
		sortSmall(low)
		values = high
	}
	sortInsertion(values)
}

func quicksort(values []int32, cutoff int) uint64 {
	if len(values) <= cutoff {
		sortSmall(values)
		return 1
	}
	low, high := partition(values)
	var units uint64
	var lower sync.WaitGroup
	lower.Add(1)
	go func() {
		units = quicksort(low, cutoff)
		lower.Done()
	}()
	highUnits := quicksort(high, cutoff)
	lower.Wait()
	return units + highUnits
}

//export foreign_quicksort
func foreign_quicksort(watch *C.foreign_watch, values *C.int32_t, count, cutoff C.size_t) (units C.uint64_t) {
	measure(watch, func() { units = C.uint64_t(quicksort(toSlice(values, count), int(cutoff))) })
	return units
}

const mergeCutoff = 4096

func mergePlainly(one, other, to []int32) {
	for index := range to {
		if len(other) == 0 || (len(one) > 0 && one[0] <= other[0]) {
			to[index] = one[0]
			one = one[1:]
		} else {
			to[index] = other[0]
			other = other[1:]
		}
	}
}

func merge(longer, other, to []int32) {
	if len(to) <= mergeCutoff {
		mergePlainly(longer, other, to)
		return
	}
	if len(longer) < len(other) {
		longer, other = other, longer
	}
	middle := len(longer) / 2
	place := sort.Search(len(other), func(index int) bool { return other[index] >= longer[middle] })
	split := middle + place
	runBoth(func() { merge(longer[:middle], other[:place], to[:split]) },
		func() { merge(longer[middle:], other[place:], to[split:]) })
}

// Leaves the sorted values in the scratch memory, or where they were.
func mergesort(values, scratch []int32, isWantedInScratch bool) {
	if len(values) <= insertionCutoff {
		sortInsertion(values)
		if isWantedInScratch {
			copy(scratch, values)
		}
		return
	}
	half := len(values) / 2
	runBoth(func() { mergesort(values[:half], scratch[:half], !isWantedInScratch) },
		func() { mergesort(values[half:], scratch[half:], !isWantedInScratch) })
	from, to := scratch, values
	if isWantedInScratch {
		from, to = values, scratch
	}
	merge(from[:half], from[half:], to)
}

//export foreign_mergesort
func foreign_mergesort(watch *C.foreign_watch, values, scratch *C.int32_t, count C.size_t) {
	measure(watch, func() { mergesort(toSlice(values, count), toSlice(scratch, count), false) })
}
