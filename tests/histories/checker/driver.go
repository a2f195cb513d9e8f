package main

import (
	"maps"
	"net/http"
)

// The drivers of a vehicle (rules: registry 4.8). A driver has at most one pending or accepted invitation. An
// invitation that has ended cannot be answered or removed again.

type driverAsked struct {
	Do     string `json:"do"` // read, invite, accepted, rejected, remove
	Driver string `json:"driver"`
	ID     string `json:"id"`
}

func (input driverAsked) isRead() bool { return input.Do == "read" }

// link is a pending or accepted invitation. Its id is empty if the outcome of the invitation was unknown. The next read
// reveals the id.
type link struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// driverAnswer contains the links by driver after a read, or the new link's id after an invitation.
type driverAnswer struct {
	Status int             `json:"status"`
	ID     string          `json:"id"`
	Links  map[string]link `json:"links"`
	Count  int             `json:"count"`
}

type drivers map[string]link

func (s drivers) equal(other drivers) bool { return maps.Equal(s, other) }

func stepDriver(s drivers, input driverAsked, output *driverAnswer) (bool, drivers) {
	answers := func(status int) bool { return output == nil || output.Status == status }
	present, has := s[input.Driver]
	switch input.Do {
	case "read":
		shown := drivers(output.Links)
		if output.Count != len(s) || len(shown) != len(s) {
			return false, s
		}
		for driver, one := range s {
			if found := shown[driver]; found.Status != one.Status || one.ID != "" && found.ID != one.ID {
				return false, s
			}
		}
		return true, shown
	case "invite":
		if has {
			return answers(http.StatusConflict), s
		}
		if output == nil {
			return true, s.with(input.Driver, link{"", "pending"})
		}
		return answers(http.StatusCreated), s.with(input.Driver, link{output.ID, "pending"})
	case "remove":
		if !has || present.ID != input.ID {
			return answers(http.StatusBadRequest), s
		}
		return answers(http.StatusNoContent), s.without(input.Driver)
	}
	if !has || present.ID != input.ID || present.Status != "pending" {
		return answers(http.StatusBadRequest), s
	}
	if input.Do == "rejected" {
		return answers(http.StatusOK), s.without(input.Driver)
	}
	return answers(http.StatusOK), s.with(input.Driver, link{present.ID, "accepted"})
}

func (s drivers) with(driver string, one link) drivers {
	after := maps.Clone(s)
	after[driver] = one
	return after
}

func (s drivers) without(driver string) drivers {
	after := maps.Clone(s)
	delete(after, driver)
	return after
}
