package main

import "net/http"

// A phone number (rules: registry 4.13). It is free, bound to one person, or in quarantine. A person cannot claim
// another person's number without proof, and the next owner does not inherit the consent.

type phoneAsked struct {
	Do     string `json:"do"` // read, bind, opt-in, opt-out, quarantine, release
	Person string `json:"person"`
}

func (input phoneAsked) isRead() bool { return input.Do == "read" }

// phoneAnswer contains the owner after a read, or an empty string if the number has none. After other operations, Word
// names the result.
type phoneAnswer struct {
	Status      int    `json:"status"`
	Word        string `json:"word"`
	Person      string `json:"person"`
	OptedIn     bool   `json:"opted_in"`
	Quarantined bool   `json:"quarantined"`
}

type phone struct {
	person      string
	optedIn     bool
	quarantined bool
}

func (s phone) equal(other phone) bool { return s == other }

func stepPhone(s phone, input phoneAsked, output *phoneAnswer) (bool, phone) {
	answers := func(status int, word string) bool {
		return output == nil || output.Status == status && output.Word == word
	}
	isTheirs := s.person == input.Person
	switch input.Do {
	case "read":
		return phone{output.Person, output.OptedIn, output.Quarantined} == s, s
	case "bind":
		if s.quarantined || s.person != "" && !isTheirs {
			return answers(http.StatusConflict, ""), s
		}
		return answers(http.StatusOK, "bound"), phone{person: input.Person, optedIn: s.optedIn}
	case "opt-in":
		if !isTheirs {
			return answers(http.StatusConflict, ""), s
		}
		if s.optedIn {
			return answers(http.StatusOK, "already_opted_in"), s
		}
		return answers(http.StatusOK, "opted_in"), phone{person: s.person, optedIn: true}
	case "opt-out":
		if s.person == "" {
			return answers(http.StatusOK, "not_found"), s
		}
		if !s.optedIn {
			return answers(http.StatusOK, "already_opted_out"), s
		}
		return answers(http.StatusOK, "opted_out"), phone{person: s.person}
	case "quarantine":
		return answers(http.StatusOK, "quarantined"), phone{quarantined: true}
	default:
		if !s.quarantined {
			return answers(http.StatusNotFound, ""), s
		}
		return answers(http.StatusOK, "released"), phone{}
	}
}
