// Command load sends requests to a server on loopback over keep-alive connections. Each connection sends its next
// request after the response to the previous one.
//
// It reads one order from standard input and writes one result to standard output, both JSON. `bench/loader.py` does
// the same without Go, with up to twice the CPU time.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// order describes the requests. A counter of six digits replaces the mark in each request.
type order struct {
	Port        int      `json:"port"`
	Connections int      `json:"connections"`
	Seconds     float64  `json:"seconds"`
	Status      int      `json:"status"`
	Requests    [][]byte `json:"requests"`
	Expected    [][]byte `json:"expected"` // contained in the response to the request at the same index
}

// result contains latencies in milliseconds. Wrong counts the responses that the order does not expect.
type result struct {
	Answers int     `json:"answers"`
	Wrong   int     `json:"wrong"`
	Example string  `json:"example"`
	Seconds float64 `json:"seconds"`
	P50     float64 `json:"p50"`
	P95     float64 `json:"p95"`
	P99     float64 `json:"p99"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run() error {
	var ordered order
	if err := json.NewDecoder(os.Stdin).Decode(&ordered); err != nil {
		return err
	}
	measured, err := load(&ordered)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(measured)
}

func load(ordered *order) (*result, error) {
	connections := make([]*connection, ordered.Connections)
	for place := range connections {
		made, err := connect(ordered)
		if err != nil {
			return nil, err
		}
		defer made.close()
		connections[place] = made
	}
	var asked atomic.Int64
	began := time.Now()
	until := began.Add(time.Duration(ordered.Seconds * float64(time.Second)))
	var running sync.WaitGroup
	for _, each := range connections {
		running.Go(func() { each.askUntil(until, &asked) })
	}
	running.Wait()
	return summary(connections, time.Since(began))
}

func summary(connections []*connection, elapsed time.Duration) (*result, error) {
	total := &result{Seconds: elapsed.Seconds()}
	var latencies []time.Duration
	for _, each := range connections {
		if each.err != nil {
			return nil, each.err
		}
		total.Wrong += each.wrong
		if each.example != "" {
			total.Example = each.example
		}
		latencies = append(latencies, each.latencies...)
	}
	slices.Sort(latencies)
	total.Answers = len(latencies)
	total.P50, total.P95, total.P99 = percentile(latencies, 50), percentile(latencies, 95), percentile(latencies, 99)
	return total, nil
}

// percentile returns a percentile in milliseconds. ordered is in ascending order.
func percentile(ordered []time.Duration, percent int) float64 {
	return float64(ordered[min(len(ordered)-1, len(ordered)*percent/100)]) / float64(time.Millisecond)
}
