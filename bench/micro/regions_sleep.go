// What regions.cpp's `sleep` does, by goroutines that sleep in the kernel:
//
//	regions-sleep-go [PROCESSORS [GOROUTINES [MILLISECONDS]]]
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func number(at, otherwise int) int {
	if len(os.Args) <= at {
		return otherwise
	}
	given, problem := strconv.Atoi(os.Args[at])
	if problem != nil || given < 1 {
		fmt.Fprintln(os.Stderr, "usage: regions-sleep-go [PROCESSORS [GOROUTINES [MILLISECONDS]]]")
		os.Exit(2)
	}
	return given
}

func cpuMs() float64 {
	var used syscall.Rusage
	if problem := syscall.Getrusage(syscall.RUSAGE_SELF, &used); problem != nil {
		panic(problem)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

func residentKib() int {
	text, problem := os.ReadFile("/proc/self/statm")
	if problem != nil {
		panic(problem)
	}
	var pages, resident int
	fmt.Sscan(string(text), &pages, &resident)
	return resident * os.Getpagesize() / 1024
}

func round(count int, sleep time.Duration) (wall, cpu float64) {
	var all sync.WaitGroup
	before := cpuMs()
	begin := time.Now()
	for range count {
		all.Add(1)
		go func() {
			time := syscall.NsecToTimespec(sleep.Nanoseconds())
			syscall.Nanosleep(&time, nil)
			all.Done()
		}()
	}
	all.Wait()
	return float64(time.Since(begin).Nanoseconds()) / 1e6, cpuMs() - before
}

func main() {
	runtime.GOMAXPROCS(number(1, 2))
	count := number(2, 1000)
	sleep := time.Duration(number(3, 10)) * time.Millisecond
	debug.SetMaxThreads(count + 10000)
	wall, cpu := round(count, sleep)
	walls, cpus := make([]float64, 9), make([]float64, 9)
	for later := range walls {
		walls[later], cpus[later] = round(count, sleep)
	}
	resident := residentKib()
	slices.Sort(walls)
	slices.Sort(cpus)
	fmt.Printf("first %.2f %.2f\nlater %.2f %.2f\nresident %d\n", wall, cpu, walls[4], cpus[4], resident)
}
