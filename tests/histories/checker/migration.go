package main

import "net/http"

// The schema of the search collection (rules: search 4.4 and 4.5). Only one run is in progress at a time, and a worker
// ends it at an unknown instant. Only a completed run changes the version. Only the newest run can be rolled back, and
// only once.

type migrationAsked struct {
	Do      string `json:"do"` // read, schemas, start, abort, rollback
	Version string `json:"version"`
}

func (input migrationAsked) isRead() bool { return input.Do == "read" || input.Do == "schemas" }

// migrationAnswer describes the newest run. After the operation "schemas", it contains only the version in use.
type migrationAnswer struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Run     string `json:"run"`
	State   string `json:"state"`
	Version string `json:"version"`
}

// Whether a rollback is possible. It is undecidable if it depends on runs before the history, or on how far a failed
// run had progressed.
const (
	revocable   = "revocable"
	irrevocable = "irrevocable"
	undecidable = "undecidable"
)

// migration is the state of the newest run and the versions. It is unknown before the first read. The run's number is
// empty if the outcome of its start was unknown. The next answer reveals the number.
type migration struct {
	known   bool
	run     string
	state   string // idle, in_progress, completed, failed, rollback
	version string // of the newest run
	active  string // the version in use, empty if not known yet
	before  string // the version after a rollback, empty if not known
	window  string
}

func (s migration) equal(other migration) bool { return s == other }

// stepMigration returns every possible next state. The worker may have ended the run before the operation.
func stepMigration(s migration, input migrationAsked, output *migrationAnswer) []migration {
	var after []migration
	for _, one := range s.workedOn() {
		after = append(after, one.answering(input, output)...)
	}
	return after
}

func (s migration) workedOn() []migration {
	if s.state != "in_progress" {
		return []migration{s}
	}
	completed, failed := s, s
	completed.state, completed.before, completed.active, completed.window = "completed", s.active, s.version, revocable
	failed.state = "failed"
	return []migration{s, completed, failed}
}

func (s migration) answering(input migrationAsked, output *migrationAnswer) []migration {
	switch input.Do {
	case "read":
		return s.shown(output)
	case "schemas":
		isSame := s.active == "" || s.active == output.Version
		s.active = output.Version
		return keepIf(isSame, s)
	case "start":
		return s.started(input, output)
	case "abort":
		return s.aborted(output)
	}
	return s.rolledBack(output)
}

func (s migration) shown(output *migrationAnswer) []migration {
	if !s.known {
		s.known, s.run, s.state, s.version = true, output.Run, output.State, output.Version
	}
	if s.run == "" {
		s.run = output.Run
	}
	if s.version == "" { // after a rollback to an unknown version
		s.version, s.active = output.Version, output.Version
	}
	return keepIf(s.run == output.Run && s.state == output.State && s.version == output.Version, s)
}

func (s migration) started(input migrationAsked, output *migrationAnswer) []migration {
	if s.state == "in_progress" {
		return keepIf(refuses(output, "migration-running"), s)
	}
	if s.window == revocable {
		s.window = undecidable // the new run may or may not get far enough to end the rollback window
	}
	s.state, s.version, s.run = "in_progress", input.Version, ""
	if output != nil {
		s.run = output.Run
	}
	return keepIf(output == nil || output.Status == http.StatusOK && output.Version == input.Version, s)
}

func (s migration) aborted(output *migrationAnswer) []migration {
	if s.state != "in_progress" {
		return keepIf(refuses(output, "migration-not-running"), s)
	}
	after := keepIf(refuses(output, "migration-switching"), s)
	isSame := output == nil || output.Status == http.StatusOK && (s.run == "" || s.run == output.Run)
	s.state = "failed"
	return append(after, keepIf(isSame, s)...)
}

func (s migration) rolledBack(output *migrationAnswer) []migration {
	if s.state == "in_progress" {
		return keepIf(refuses(output, "migration-running"), s)
	}
	var after []migration
	if s.window != revocable {
		over := refuses(output, "migration-window-over") || refuses(output, "migration-rolled-back")
		after = keepIf(over || refuses(output, "nothing-to-roll-back"), s)
	}
	if s.window == irrevocable {
		return after
	}
	isPossible := output == nil || output.Status == http.StatusOK && (s.before == "" || s.before == output.Version)
	s.state, s.window, s.run = "rollback", irrevocable, ""
	s.version, s.active, s.before = s.before, s.before, ""
	if output != nil {
		s.run, s.version, s.active = output.Run, output.Version, output.Version
	}
	return append(after, keepIf(isPossible, s)...)
}

// refuses returns whether the answer has this code or is unknown.
func refuses(output *migrationAnswer, code string) bool { return output == nil || output.Code == code }

func keepIf(is bool, s migration) []migration {
	if is {
		return []migration{s}
	}
	return nil
}
