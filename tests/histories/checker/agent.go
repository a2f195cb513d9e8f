package main

import "net/http"

// The versions of an agent (rules: agents 2.2 and 4). They are numbered without gaps, and one is active. A call is
// refused if it expects a version to be active that is not.

type agentAsked struct {
	Do       string `json:"do"` // read, save, activate
	Version  int    `json:"version"`
	Expected int    `json:"expected"` // 0: any version
}

func (input agentAsked) isRead() bool { return input.Do == "read" }

// agentAnswer contains the active version after a read, the new version after a save, and the previously active version
// after an activation.
type agentAnswer struct {
	Status  int `json:"status"`
	Version int `json:"version"`
}

// agent starts without versions, so that none is active.
type agent struct{ newest, active int }

func (s agent) equal(other agent) bool { return s == other }

func stepAgent(s agent, input agentAsked, output *agentAnswer) (bool, agent) {
	if input.Do == "read" {
		if s.active == 0 {
			return output.Status == http.StatusNotFound, s
		}
		return *output == agentAnswer{http.StatusOK, s.active}, s
	}
	isOther := input.Expected != 0 && input.Expected != s.active
	isMissing := input.Do == "activate" && input.Version > s.newest
	if isOther || isMissing {
		return output == nil || isOther && output.Status == http.StatusConflict ||
			isMissing && output.Status == http.StatusNotFound, s
	}
	if input.Do == "activate" {
		return output == nil || *output == agentAnswer{http.StatusOK, s.active}, agent{s.newest, input.Version}
	}
	saved := agent{s.newest + 1, s.newest + 1}
	return output == nil || *output == agentAnswer{http.StatusOK, saved.newest}, saved
}
