package main

import (
	"maps"
	"net/http"
	"slices"
)

// Creations with idempotency keys (rules: registry 1.1, repeats). All equal requests with a key get the first answer. A
// different request with the same key is refused. A list shows each created object once.

type repeatAsked struct {
	Do   string `json:"do"` // read, create
	Key  string `json:"key"`
	Name string `json:"name"`
}

func (input repeatAsked) isRead() bool { return input.Do == "read" }

// repeatAnswer contains the sorted ids after a list, and the new object's id after a creation.
type repeatAnswer struct {
	Status int   `json:"status"`
	Pets   []int `json:"pets"`
	Pet    int   `json:"pet"`
}

// creation is the first creation with a key. Its id is zero if the outcome was unknown. The next repetition reveals the
// id.
type creation struct {
	name string
	pet  int
}

type repeats map[string]creation

func (s repeats) equal(other repeats) bool { return maps.Equal(s, other) }

func stepRepeat(s repeats, input repeatAsked, output *repeatAnswer) (bool, repeats) {
	if input.Do == "read" {
		for _, one := range s {
			if one.pet != 0 && !slices.Contains(output.Pets, one.pet) {
				return false, s
			}
		}
		return len(output.Pets) == len(s), s
	}
	first, has := s[input.Key]
	if has && first.name != input.Name {
		return output == nil || output.Status == http.StatusConflict, s
	}
	if output == nil {
		if !has {
			return true, s.with(input.Key, creation{name: input.Name})
		}
		return true, s
	}
	isFirst := !has || first.pet == 0 || first.pet == output.Pet
	return output.Status == http.StatusCreated && isFirst, s.with(input.Key, creation{input.Name, output.Pet})
}

func (s repeats) with(key string, one creation) repeats {
	after := maps.Clone(s)
	after[key] = one
	return after
}
