package main

// A field that a citizen declares (rules: registry 2.1 and 4.2, own writes and echoes). The last declared value
// remains, and an echo from the CRM does not change it.

type declaredAsked struct {
	Do    string `json:"do"` // read, declare
	Value string `json:"value"`
}

func (input declaredAsked) isRead() bool { return input.Do == "read" }

// declaredAnswer contains the value that a read returned. It is empty if nothing has been declared.
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
