package main

import (
	"maps"
	"net/http"
)

// A job and the applications to it (rules: employability 4.1, 4.3 and 5.1): a person has one application, which is made
// while the job is active; while the job is frozen or closed its state stands in the place of every status, and nothing
// is decided.

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

// jobAnswer has the state of the job after a read, what each person's application shows after a list, and of a decision
// how many applications stand as asked, or why the one does not.
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
	applications map[string]string // by person, the own status
}

func (s job) equal(other job) bool {
	return s.state == other.state && maps.Equal(s.applications, other.applications)
}

// jobEvents has, for each event, the state it leads to and those that it leads from.
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

// shown returns what each application shows: its own status, or the state of the job in its place.
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
