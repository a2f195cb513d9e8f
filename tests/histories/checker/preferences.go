package main

import (
	"cmp"
	"maps"
	"slices"
)

// The notification preferences of a citizen (rules: registry 4.7): a global flag, a choice for each active category,
// and a ledger. The ledger gets one entry for each real change, in the same transaction.

type preferencesAsked struct {
	Do      string          `json:"do"` // read, change, ledger
	OptIn   *bool           `json:"opt_in"`
	Choices map[string]bool `json:"choices"`
	Reason  string          `json:"reason"` // unique for each change
	Limit   int             `json:"limit"`  // the most entries that a read of the ledger shows
}

func (input preferencesAsked) isRead() bool { return input.Do != "change" }

// entry is an entry in the ledger. Its category is empty for the global flag.
type entry struct {
	Category string `json:"category"`
	Value    bool   `json:"value"`
	Reason   string `json:"reason"`
}

// preferencesAnswer contains the preferences after a read or a change, or the newest ledger entries, newest first.
type preferencesAnswer struct {
	OptIn   bool            `json:"opt_in"`
	Choices map[string]bool `json:"choices"`
	Entries []entry         `json:"entries"`
}

// preferences are unknown before the first read, because the defaults are settings of the city. The recorder reads each
// key before all other operations, so the first read shows the defaults.
type preferences struct {
	known   bool
	optIn   bool
	choices map[string]bool
	ledger  []entry // oldest first
}

func (s preferences) equal(other preferences) bool {
	return s.known == other.known && s.optIn == other.optIn && maps.Equal(s.choices, other.choices) &&
		slices.Equal(s.ledger, other.ledger)
}

func stepPreferences(s preferences, input preferencesAsked, output *preferencesAnswer) (bool, preferences) {
	switch input.Do {
	case "read":
		if !s.known {
			return true, preferences{known: true, optIn: output.OptIn, choices: output.Choices}
		}
		return s.shows(output), s
	case "ledger":
		return s.lists(input.Limit, output), s
	default:
		if !s.known {
			return false, s
		}
		after := s.changed(input)
		return output == nil || after.shows(output), after
	}
}

func (s preferences) shows(output *preferencesAnswer) bool {
	return s.optIn == output.OptIn && maps.Equal(s.choices, output.Choices)
}

// lists returns whether the answer contains the newest entries. The order of entries within one change is not
// specified. If the page may show only part of the oldest change, the entries of this change are not compared.
func (s preferences) lists(limit int, output *preferencesAnswer) bool {
	if len(output.Entries) != min(limit, len(s.ledger)) {
		return false
	}
	shown := slices.Clone(output.Entries)
	if len(shown) > 0 && len(shown) < len(s.ledger) {
		oldest := shown[len(shown)-1].Reason
		shown = slices.DeleteFunc(shown, func(one entry) bool { return one.Reason == oldest })
	}
	newest := slices.Clone(s.ledger[len(s.ledger)-len(shown):])
	slices.Reverse(newest)
	sortWithinChanges(newest)
	sortWithinChanges(shown)
	return slices.Equal(newest, shown)
}

func sortWithinChanges(entries []entry) {
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].Reason == entries[from].Reason {
			to++
		}
		slices.SortFunc(entries[from:to], func(a, b entry) int { return cmp.Compare(a.Category, b.Category) })
		from = to
	}
}

func (s preferences) changed(input preferencesAsked) preferences {
	after := preferences{known: s.known, optIn: s.optIn, choices: maps.Clone(s.choices), ledger: slices.Clone(s.ledger)}
	if input.OptIn != nil && *input.OptIn != s.optIn {
		after.optIn = *input.OptIn
		after.ledger = append(after.ledger, entry{"", *input.OptIn, input.Reason})
	}
	for _, category := range slices.Sorted(maps.Keys(input.Choices)) {
		if value := input.Choices[category]; value != s.choices[category] {
			after.choices[category] = value
			after.ledger = append(after.ledger, entry{category, value, input.Reason})
		}
	}
	return after
}

// settlePreferences removes changes with unknown outcomes that left no entry in the final ledger. Each real change has
// an entry, so these changes had no effect. Keeping them would leave too many possible orders to check.
func settlePreferences(lines []line) ([]line, error) {
	last := len(lines) - 1
	input, output, err := decode[preferencesAsked, preferencesAnswer](&lines[last])
	if err != nil || output == nil || input.Do != "ledger" || len(output.Entries) == input.Limit {
		return lines, err
	}
	made := map[string]bool{}
	for _, entry := range output.Entries {
		made[entry.Reason] = true
	}
	var kept []line
	for _, one := range lines {
		input, output, err := decode[preferencesAsked, preferencesAnswer](&one)
		if err != nil {
			return nil, err
		}
		if input.isRead() || output != nil || made[input.Reason] {
			kept = append(kept, one)
		}
	}
	return kept, nil
}
