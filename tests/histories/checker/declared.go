package main

// A field that a citizen declared (rules: registry 2.1 and 4.2, own writes and echoes): the last word stands, and what the
// CRM echoes of it changes nothing.

type declaredAsked struct {
	Do    string `json:"do"` // read, declare
	Value string `json:"value"`
}

func (input declaredAsked) isRead() bool { return input.Do == "read" }

// declaredAnswer has the value after a read, empty before the first word.
type declaredAnswer struct {
	Value string `json:"value"`
}

type declared string

func (s declared) equal(other declared) bool { return s == other }

func stepDeclared(s declared, input declaredAsked, output *declaredAnswer) (bool, declared) {
	if input.Do == "read" {
		return output.Value == string(s), s
	}
	return true, declared(input.Value)
}
