package main

import (
	"net/http"
	"slices"
)

// A group and its members (rules: access 2.3). A name can be used by one group only. Adding and removing members is
// idempotent, and deleting a group deletes its memberships.

type membershipAsked struct {
	Do      string `json:"do"` // read, create, delete, add, remove
	Subject string `json:"subject"`
}

func (input membershipAsked) isRead() bool { return input.Do == "read" }

type membershipAnswer struct {
	Status  int      `json:"status"`
	Members []string `json:"members"` // after a read, sorted
}

type membership struct {
	exists  bool
	members []string // sorted
}

func (s membership) equal(other membership) bool {
	return s.exists == other.exists && slices.Equal(s.members, other.members)
}

func stepMembership(s membership, input membershipAsked, output *membershipAnswer) (bool, membership) {
	answers := func(status int) bool { return output == nil || output.Status == status }
	if input.Do == "create" {
		if s.exists {
			return answers(http.StatusConflict), s
		}
		return answers(http.StatusCreated), membership{exists: true}
	}
	if !s.exists {
		return answers(http.StatusNotFound), s
	}
	place, isMember := slices.BinarySearch(s.members, input.Subject)
	switch input.Do {
	case "delete":
		return answers(http.StatusNoContent), membership{}
	case "add":
		if !isMember {
			s.members = slices.Insert(slices.Clone(s.members), place, input.Subject)
		}
		return answers(http.StatusOK), s
	case "remove":
		if isMember {
			s.members = slices.Delete(slices.Clone(s.members), place, place+1)
		}
		return answers(http.StatusNoContent), s
	default:
		return answers(http.StatusOK) && slices.Equal(output.Members, s.members), s
	}
}
