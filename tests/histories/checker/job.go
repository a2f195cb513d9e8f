package main

import (
	"maps"
	"net/http"
)

// A job and its applications (rules: employability 4.1, 4.3 and 5.1). A person has at most one application, which can
// be made only while the job is active. While the job is frozen or closed, applications show the job's state instead of
// their own status, and no decision is possible.

const (
	jobActive = "publicado_ativo"
	jobFrozen = "vaga_congelada"
	jobClosed = "vaga_descontinuada"
	applied   = "candidatura_enviada"
)

type jobAsked struct {
	Do     string `json:"do"` // read, list, apply, decide, freeze, unfreeze, discontinue, reactivate
	Person string `json:"person"`
	Status string `json:"status"`
}

func (input jobAsked) isRead() bool { return input.Do == "read" || input.Do == "list" }

// jobAnswer contains the job's state after a read, or the displayed status of each person's application after a list.
// After a decision, it contains the number of updated applications or the error code.
type jobAnswer struct {
	Status       int               `json:"status"`
	Job          string            `json:"job"`
	Applications map[string]string `json:"applications"`
	Count        int               `json:"count"`
	Updated      int               `json:"updated"`
	Code         string            `json:"code"`
}

type job struct {
	state        string
	applications map[string]string // the stored status, by person
}

func (s job) equal(other job) bool {
	return s.state == other.state && maps.Equal(s.applications, other.applications)
}

// jobEvents contains, for each event, the target state and the source states in which it is allowed.
var jobEvents = map[string]struct {
	to   string
	from []string
}{
	"freeze":      {jobFrozen, []string{jobActive}},
	"unfreeze":    {jobActive, []string{jobFrozen}},
	"discontinue": {jobClosed, []string{jobActive, jobFrozen}},
	"reactivate":  {jobActive, []string{jobClosed}},
}

func stepJob(s job, input jobAsked, output *jobAnswer) (bool, job) {
	answers := func(status int) bool { return output == nil || output.Status == status }
	decides := func(updated int, code string) bool {
		return output == nil || output.Updated == updated && output.Code == code
	}
	switch input.Do {
	case "read":
		return output.Job == s.state, s
	case "list":
		return output.Count == len(s.applications) && maps.Equal(output.Applications, s.shown()), s
	case "apply":
		if _, has := s.applications[input.Person]; has || s.state != jobActive {
			return answers(http.StatusBadRequest), s
		}
		return answers(http.StatusCreated), s.with(input.Person, applied)
	case "decide":
		if _, has := s.applications[input.Person]; !has {
			return decides(0, "application-unknown"), s
		}
		if s.state != jobActive {
			return decides(0, "application-state"), s
		}
		return decides(1, ""), s.with(input.Person, input.Status)
	}
	event := jobEvents[input.Do]
	for _, from := range event.from {
		if s.state == from {
			return answers(http.StatusOK), job{event.to, s.applications}
		}
	}
	return answers(http.StatusConflict), s
}

func (s job) with(person, status string) job {
	applications := maps.Clone(s.applications)
	applications[person] = status
	return job{s.state, applications}
}

// shown returns the displayed status of each application: its own status, or the job's state if the job is not active.
func (s job) shown() map[string]string {
	if s.state == jobActive {
		return s.applications
	}
	shown := map[string]string{}
	for person := range s.applications {
		shown[person] = s.state
	}
	return shown
}
