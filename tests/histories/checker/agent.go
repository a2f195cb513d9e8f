package main

import "net/http"

// The versions of an agent (rules: agents 2.2 and 4): numbered without a gap, one of them active. Who names the version
// that is expected to be active is refused where it is another.

type agentAsked struct {
	Do       string `json:"do"` // read, save, activate
	Version  int    `json:"version"`
	Expected int    `json:"expected"` // 0: whatever is active
}

func (input agentAsked) isRead() bool { return input.Do == "read" }

// agentAnswer has the active version of a read, the new one of a save, and of an activation the one that was active.
type agentAnswer struct {
	Status  int `json:"status"`
	Version int `json:"version"`
}

// agent has no version, and so none active, at first.
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
