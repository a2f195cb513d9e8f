package main

import "net/http"

// What citizens say of themselves (rules: registry 1.1 and 2.3): the last word stands, and another citizen neither sees
// nor changes it.

type ownAsked struct {
	Do    string `json:"do"` // read, declare
	Value string `json:"value"`
	Own   bool   `json:"own"` // whether it is the citizen who asks
}

func (input ownAsked) isRead() bool { return input.Do == "read" }

// ownAnswer has the value after a read, empty before the first word.
type ownAnswer struct {
	Status int    `json:"status"`
	Value  string `json:"value"`
}

// own is unknown before the first read: the demo may have said something for the citizen.
type own struct {
	known bool
	value string
}

func (s own) equal(other own) bool { return s == other }

func stepOwn(s own, input ownAsked, output *ownAnswer) (bool, own) {
	switch {
	case !input.Own:
		return output == nil || output.Status == http.StatusForbidden, s
	case input.Do == "read":
		return output.Status == http.StatusOK && (!s.known || s.value == output.Value), own{true, output.Value}
	default:
		return output == nil || output.Status == http.StatusOK, own{true, input.Value}
	}
}
