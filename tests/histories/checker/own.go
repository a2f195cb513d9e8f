package main

import "net/http"

// Data that citizens declare about themselves (rules: registry 1.1 and 2.3). The last declared value remains, and other
// citizens can neither read nor change it.

type ownAsked struct {
	Do    string `json:"do"` // read, declare
	Value string `json:"value"`
	Own   bool   `json:"own"` // whether the caller is the citizen
}

func (input ownAsked) isRead() bool { return input.Do == "read" }

// ownAnswer contains the value that a read returned. It is empty if nothing has been declared.
type ownAnswer struct {
	Status int    `json:"status"`
	Value  string `json:"value"`
}

// own is unknown before the first read, because the demo data may contain a value.
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
