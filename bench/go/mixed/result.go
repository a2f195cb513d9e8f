package main

import (
	"slices"
	"strconv"
	"time"
)

// result contains latencies in milliseconds. late is the time from an arrival's planned start until the caller noticed
// it.
type result struct {
	Seconds     float64    `json:"seconds"`
	Connections int        `json:"connections"` // opened, reconnections included
	Late        latencies  `json:"late"`
	All         latencies  `json:"all"`
	Minutes     []float64  `json:"minutes"` // the 99th percentile of each minute
	Operations  []measured `json:"operations"`
	Streams     held       `json:"streams"`
}

type latencies struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

type measured struct {
	Name      string            `json:"name"`
	Asked     int               `json:"asked"`
	Latencies latencies         `json:"latencies"`
	Statuses  map[string]int    `json:"statuses"` // "0": lost
	Examples  map[string]string `json:"examples"`
}

type held struct {
	Opened  int    `json:"opened"`
	Open    int    `json:"open"` // at the end
	Ended   int    `json:"ended"`
	Events  int    `json:"events"`
	Refused string `json:"refused"`
}

func sum(c *caller, connections []*connection, streams []*stream, elapsed time.Duration) *result {
	total := &result{Seconds: elapsed.Seconds(), Late: percentiles(c.late)}
	var all []time.Duration
	var minutes [][]time.Duration
	for _, each := range connections {
		total.Connections += each.made
		for minute, found := range each.minutes {
			if len(minutes) <= minute {
				minutes = append(minutes, make([][]time.Duration, minute+1-len(minutes))...)
			}
			minutes[minute] = append(minutes[minute], found...)
			all = append(all, found...)
		}
	}
	total.All = percentiles(all)
	for _, each := range minutes {
		total.Minutes = append(total.Minutes, percentiles(each).P99)
	}
	for place, each := range c.ordered.Operations {
		total.Operations = append(total.Operations, merge(each.Name, place, connections))
	}
	for _, each := range streams {
		total.Streams.Opened += each.opened
		total.Streams.Ended += each.ended
		total.Streams.Events += each.events
		if each.open {
			total.Streams.Open++
		}
		if each.refused != "" {
			total.Streams.Refused = each.refused
		}
	}
	return total
}

func merge(name string, place int, connections []*connection) measured {
	merged := measured{Name: name, Statuses: map[string]int{}, Examples: map[string]string{}}
	var found []time.Duration
	for _, connection := range connections {
		one := &connection.measured[place]
		merged.Asked += one.asked
		found = append(found, one.latencies...)
		for status, count := range one.statuses {
			merged.Statuses[strconv.Itoa(status)] += count
		}
		for status, body := range one.examples {
			merged.Examples[strconv.Itoa(status)] = body
		}
	}
	merged.Latencies = percentiles(found)
	return merged
}

// percentiles returns the percentiles of found, which it sorts in place.
func percentiles(found []time.Duration) latencies {
	if len(found) == 0 {
		return latencies{}
	}
	slices.Sort(found)
	at := func(percent int) float64 {
		return float64(found[min(len(found)-1, len(found)*percent/100)]) / float64(time.Millisecond)
	}
	return latencies{at(50), at(95), at(99), at(100)}
}
