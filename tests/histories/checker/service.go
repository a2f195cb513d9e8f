package main

import (
	"net/http"
	"slices"
)

// The versions and addresses of a service (rules: search 4.1 and 4.3). Each change creates the next version. A change
// that expects another current version is refused. A former address redirects directly to the current one.

type serviceAsked struct {
	Do       string `json:"do"` // read, follow, rename
	Name     string `json:"name"`
	Expected int    `json:"expected"` // 0: any version
}

func (input serviceAsked) isRead() bool { return input.Do != "rename" }

// serviceAnswer contains the name at the current address. Unless an address was followed, it also contains the version.
type serviceAnswer struct {
	Status  int    `json:"status"`
	Version int    `json:"version"`
	Name    string `json:"name"`
}

// service starts with version 1 and its first name.
type service struct {
	version int
	name    string
	former  []string // its former names, sorted
}

func (s service) equal(other service) bool {
	return s.version == other.version && s.name == other.name && slices.Equal(s.former, other.former)
}

func stepService(s service, input serviceAsked, output *serviceAnswer) (bool, service) {
	switch input.Do {
	case "read":
		return *output == serviceAnswer{http.StatusOK, s.version, s.name}, s
	case "follow":
		switch {
		case input.Name == s.name:
			return *output == serviceAnswer{Status: http.StatusOK, Name: s.name}, s
		case slices.Contains(s.former, input.Name):
			return *output == serviceAnswer{Status: http.StatusMovedPermanently, Name: s.name}, s
		}
		return output.Status == http.StatusNotFound, s
	}
	if input.Expected != 0 && input.Expected != s.version {
		return output == nil || output.Status == http.StatusPreconditionFailed, s
	}
	after := service{s.version + 1, input.Name, s.former}
	if place, had := slices.BinarySearch(s.former, s.name); !had {
		after.former = slices.Insert(slices.Clone(s.former), place, s.name)
	}
	return output == nil || *output == serviceAnswer{http.StatusOK, after.version, after.name}, after
}
