package main

import (
	"encoding/json"
	"fmt"

	"github.com/anishathalye/porcupine"
)

// specifications has one for each resource, by the name that the recorder gives it.
var specifications = map[string]specification{
	"agent":        specify(agent{}, stepAgent),
	"declared":     specify(declared(""), stepDeclared),
	"driver":       specify(drivers{}, stepDriver),
	"job":          specify(job{jobActive, map[string]string{}}, stepJob),
	"membership":   specify(membership{}, stepMembership),
	"migration":    specifyMany(migration{window: undecidable}, stepMigration),
	"notification": specify(notification{}, stepNotification),
	"own":          specify(own{}, stepOwn),
	"phone":        specify(phone{}, stepPhone),
	"preferences":  specify(preferences{}, stepPreferences).settledBy(settlePreferences),
	"repeat":       specify(repeats{}, stepRepeat),
	"service":      specify(service{version: 1, name: "Poda"}, stepService),
}

// specification is what the rules say of one key of a resource.
type specification struct {
	decode func(*line) (input, output any, err error)
	isRead func(input any) bool
	settle func([]line) ([]line, error) // leaves out what is known, from the whole history, to have never happened
	model  porcupine.Model
}

func (s specification) settledBy(settle func([]line) ([]line, error)) specification {
	s.settle = settle
	return s
}

// state is what one key holds; it is never changed, only followed by another.
type state[S any] interface{ equal(S) bool }

// asked is what a client asked for.
type asked interface{ isRead() bool }

// specify makes a specification of the state before everything, and of a step: given a state, what was asked and what
// was answered (nil: unknown), whether the rules give that answer, and what the state is then.
func specify[S state[S], I asked, O any](before S, step func(S, I, *O) (bool, S)) specification {
	return specified[I, O](porcupine.Model{
		Init:  func() any { return before },
		Step:  func(s, input, output any) (bool, any) { return step(s.(S), input.(I), output.(*O)) },
		Equal: func(a, b any) bool { return a.(S).equal(b.(S)) },
	})
}

// specifyMany makes a specification of the state before everything, and of a step that returns each state that the rules
// let follow: none where they do not give that answer.
func specifyMany[S state[S], I asked, O any](before S, step func(S, I, *O) []S) specification {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{before} },
		Step: func(s, input, output any) []any {
			var after []any
			for _, one := range step(s.(S), input.(I), output.(*O)) {
				after = append(after, one)
			}
			return after
		},
		Equal: func(a, b any) bool { return a.(S).equal(b.(S)) },
	}
	return specified[I, O](model.ToModel())
}

func specified[I asked, O any](model porcupine.Model) specification {
	return specification{
		decode: func(one *line) (any, any, error) { return decode[I, O](one) },
		isRead: func(input any) bool { return input.(I).isRead() },
		settle: func(lines []line) ([]line, error) { return lines, nil },
		model:  model,
	}
}

// decode returns what was asked and what was answered, nil where that is unknown.
func decode[I, O any](one *line) (input I, output *O, err error) {
	if err := json.Unmarshal(one.Input, &input); err != nil {
		return input, nil, fmt.Errorf("input %s: %w", one.Input, err)
	}
	if one.isUnknown() {
		return input, nil, nil
	}
	output = new(O)
	if err := json.Unmarshal(one.Output, output); err != nil {
		return input, nil, fmt.Errorf("output %s: %w", one.Output, err)
	}
	return input, output, nil
}
