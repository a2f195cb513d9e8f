// Command checker reads a history from standard input, one operation per line, and writes a verdict for each resource.
// A history is possible if each operation can have taken effect at one instant between its call and its answer, in an
// order in which the rules allow all answers.
//
// The rules are written down as one specification per resource, taken from the pages in docs/reference/rules.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// line is one operation of a history. If it has no output, its outcome is unknown: it took effect at some instant after
// its call, or never.
type line struct {
	Resource string          `json:"resource"`
	Key      string          `json:"key"`
	Client   int             `json:"client"`
	Call     int64           `json:"call"`
	Return   int64           `json:"return"`
	Input    json.RawMessage `json:"input"`
	Output   json.RawMessage `json:"output"`
}

func (one *line) isUnknown() bool { return string(one.Output) == "null" || len(one.Output) == 0 }

// Verdicts. An impossible history is an anomaly. A history that could not be checked in time proves nothing.
const (
	possible  = "possible"
	anomaly   = "anomaly"
	undecided = "undecided"
)

// hastyPatience limits the check of each shortened history. If the check takes longer, the shortened history is
// discarded.
const hastyPatience = time.Second / 2

type verdict struct {
	Resource   string `json:"resource"`
	Keys       int    `json:"keys"`
	Operations int    `json:"operations"`
	Unknown    int    `json:"unknown"`
	Verdict    string `json:"verdict"`
	Key        string `json:"key,omitempty"`
	After      int    `json:"after,omitempty"`    // operations on the key up to the first impossible answer
	Shortest   []line `json:"shortest,omitempty"` // a minimal set of operations with impossible answers
}

func main() {
	patience := flag.Duration("patience", time.Minute, "how long one key's operations may take to judge")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *patience); err != nil {
		fmt.Fprintln(os.Stderr, "checker:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, patience time.Duration) error {
	histories, err := read(in)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	for _, resource := range slices.Sorted(maps.Keys(histories)) {
		specified, known := specifications[resource]
		if !known {
			return fmt.Errorf("no specification for %q", resource)
		}
		judged, err := judge(resource, specified, histories[resource], patience)
		if err != nil {
			return err
		}
		if err := encoder.Encode(judged); err != nil {
			return err
		}
	}
	return nil
}

// read returns the operations by resource and key, in the order of their calls.
func read(in io.Reader) (map[string]map[string][]line, error) {
	histories := map[string]map[string][]line{}
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var one line
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			return nil, err
		}
		if histories[one.Resource] == nil {
			histories[one.Resource] = map[string][]line{}
		}
		histories[one.Resource][one.Key] = append(histories[one.Resource][one.Key], one)
	}
	for _, keys := range histories {
		for _, lines := range keys {
			slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.Call, b.Call) })
		}
	}
	return histories, scanner.Err()
}

// judge checks each key separately, because no rule connects two keys. It stops at the first key with an anomaly.
func judge(resource string, specified specification, keys map[string][]line, patience time.Duration) (verdict, error) {
	judged := verdict{Resource: resource, Keys: len(keys), Verdict: possible}
	for _, lines := range keys {
		judged.Operations += len(lines)
		for _, one := range lines {
			if one.isUnknown() {
				judged.Unknown++
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		trial := trial{specified, patience}
		lines, err := specified.settle(keys[key])
		if err != nil {
			return judged, fmt.Errorf("%s %s: %w", resource, key, err)
		}
		result, err := trial.check(lines)
		if err != nil {
			return judged, fmt.Errorf("%s %s: %w", resource, key, err)
		}
		if result == porcupine.Unknown {
			judged.Verdict, judged.Key = undecided, key
		}
		if result == porcupine.Illegal {
			prefix := trial.shortestPrefix(lines)
			judged.Verdict, judged.Key, judged.After = anomaly, key, len(prefix)
			judged.Shortest = trial.shortest(prefix)
			return judged, nil
		}
	}
	return judged, nil
}

type trial struct {
	specified specification
	patience  time.Duration
}

func (t trial) check(lines []line) (porcupine.CheckResult, error) {
	operations := make([]porcupine.Operation, 0, len(lines))
	for _, one := range lines {
		input, output, err := t.specified.decode(&one)
		if err != nil {
			return porcupine.Unknown, err
		}
		made := porcupine.Operation{ClientId: one.Client, Input: input, Call: one.Call, Output: output, Return: one.Return}
		if one.isUnknown() {
			if t.specified.isRead(input) {
				continue // it has no effect and no answer
			}
			made.Return = math.MaxInt64
		}
		operations = append(operations, made)
	}
	return porcupine.CheckOperationsTimeout(t.specified.model, operations, t.patience), nil
}

func (t trial) isAnomaly(lines []line) bool {
	result, err := t.check(lines)
	return err == nil && result == porcupine.Illegal
}

// shortestPrefix returns the operations that were called before the first impossible answer arrived. Operations without
// an answer by then count as unknown. If a prefix is impossible, all longer prefixes are impossible too, so a binary
// search finds the shortest.
func (t trial) shortestPrefix(lines []line) []line {
	var answers []int64
	for _, one := range lines {
		if !one.isUnknown() {
			answers = append(answers, one.Return)
		}
	}
	slices.Sort(answers)
	first := sort.Search(len(answers)-1, func(place int) bool { return t.isAnomaly(prefix(lines, answers[place])) })
	return prefix(lines, answers[first])
}

func prefix(lines []line, until int64) []line {
	var kept []line
	for _, one := range lines {
		if one.Call > until {
			continue
		}
		if one.Return > until {
			one.Output = nil
		}
		kept = append(kept, one)
	}
	return kept
}

// shortest removes operations whose answers are not needed for the anomaly. It removes an answer by making the outcome
// unknown: an unknown read is ignored, and an unknown write may or may not have happened. The remaining answers are
// impossible together, but possible if any one is removed. The result omits operations with unknown outcomes. The first
// operation is never omitted, because it may be the read that shows the initial state.
func (t trial) shortest(lines []line) []line {
	hasty := trial{t.specified, min(t.patience, hastyPatience)}
	kept := slices.Clone(lines)
	for changed := true; changed; {
		changed = false
		for place := len(kept) - 1; place > 0; place-- {
			if kept[place].isUnknown() {
				continue
			}
			rest := slices.Clone(kept)
			rest[place].Output = nil
			if hasty.isAnomaly(rest) {
				kept, changed = rest, true
			}
		}
	}
	return slices.DeleteFunc(kept, func(one line) bool { return one.isUnknown() })
}
