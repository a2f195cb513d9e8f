package main

import (
	"encoding/json"
	"fmt"

	"github.com/anishathalye/porcupine"
)

// specifications contains one specification per resource, under the name that the recorder uses.
var specifications = map[string]specification{
	"agent":        specify(agent{}, stepAgent),
	"declared":     specify(declared(""), stepDeclared),
	"driver":       specify(drivers{}, stepDriver),
	"file":         specify(files{}, stepFile),
	"job":          specify(job{jobActive, map[string]string{}}, stepJob),
	"membership":   specify(membership{}, stepMembership),
	"migration":    specifyMany(migration{window: undecidable}, stepMigration),
	"notification": specify(notification{}, stepNotification),
	"own":          specify(own{}, stepOwn),
	"phone":        specify(phone{}, stepPhone),
	"preferences":  specify(preferences{}, stepPreferences).settledBy(settlePreferences),
	"repeat":       specify(repeats{}, stepRepeat),
	"request":      specify(request{}, stepRequest).settledBy(settleRequest),
	"service":      specify(service{version: 1, name: "Poda"}, stepService),
}

// specification describes the rules for one key of a resource.
type specification struct {
	decode func(*line) (input, output any, err error)
	isRead func(input any) bool
	settle func([]line) ([]line, error) // removes operations that cannot have taken effect, judging by the whole history
	model  porcupine.Model
}

func (s specification) settledBy(settle func([]line) ([]line, error)) specification {
	s.settle = settle
	return s
}

// state is the data of one key. A state is never modified; each step returns another state.
type state[S any] interface{ equal(S) bool }

// asked is the input of an operation.
type asked interface{ isRead() bool }

// specify makes a specification from the initial state and a step. The step gets a state, an input and an output (nil
// if unknown). It returns whether the rules allow the output, and the next state.
func specify[S state[S], I asked, O any](before S, step func(S, I, *O) (bool, S)) specification {
	return specified[I, O](porcupine.Model{
		Init:  func() any { return before },
		Step:  func(s, input, output any) (bool, any) { return step(s.(S), input.(I), output.(*O)) },
		Equal: func(a, b any) bool { return a.(S).equal(b.(S)) },
	})
}

// specifyMany makes a specification from the initial state and a step that returns all possible next states. It returns
// none if the rules do not allow the output.
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

// decode returns an operation's input and output. The output is nil if the outcome is unknown.
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
