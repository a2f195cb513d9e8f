package main

import "net/http"

// The schema of the search's collection (rules: search 4.4 and 4.5): one run at a time, which a worker ends at an instant
// that nobody is told; only a completed one changes the version, and only the newest is taken back, once.

type migrationAsked struct {
	Do      string `json:"do"` // read, schemas, start, abort, rollback
	Version string `json:"version"`
}

func (input migrationAsked) isRead() bool { return input.Do == "read" || input.Do == "schemas" }

// migrationAnswer has the newest run, after "schemas" only the version in use.
type migrationAnswer struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Run     string `json:"run"`
	State   string `json:"state"`
	Version string `json:"version"`
}

// A rollback is possible, impossible, or nobody can tell: what ran before the history, or a start that failed, decides.
const (
	revocable   = "revocable"
	irrevocable = "irrevocable"
	undecidable = "undecidable"
)

// migration is unknown before the first read. Who started a run without being told its number does not know it, which
// the next answer shows.
type migration struct {
	known   bool
	run     string
	state   string // idle, in_progress, completed, failed, rollback
	version string // of the newest run
	active  string // in use, empty before the first look
	before  string // what a rollback brings back, empty while unknown
	window  string
}

func (s migration) equal(other migration) bool { return s == other }

// stepMigration returns every state that may follow: the worker may have ended the run just before.
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
	if s.version == "" { // a rollback to a version that nobody was told of
		s.version, s.active = output.Version, output.Version
	}
	return keepIf(s.run == output.Run && s.state == output.State && s.version == output.Version, s)
}

func (s migration) started(input migrationAsked, output *migrationAnswer) []migration {
	if s.state == "in_progress" {
		return keepIf(refuses(output, "migration-running"), s)
	}
	if s.window == revocable {
		s.window = undecidable // until it is known whether the new run went as far as to end it
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

// refuses tells whether this code was answered, or may have been where nobody was told.
func refuses(output *migrationAnswer, code string) bool { return output == nil || output.Code == code }

func keepIf(is bool, s migration) []migration {
	if is {
		return []migration{s}
	}
	return nil
}
