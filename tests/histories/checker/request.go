package main

import (
	"net/http"
	"slices"
	"strings"
)

// A citizen's request (rules: registry 4.20). It is made once, with one idempotency key. Its steps are never changed or
// removed: each acknowledged step of citizen and staff is shown once, in the order in which they took effect. The CRM
// and the platform add steps at unknown instants. Every step must be allowed after the steps before it. A request is
// rated at most once.

type requestAsked struct {
	Do    string `json:"do"` // list, read, create, move, step, answer, reopen, rate
	Step  string `json:"step"`
	Stars int    `json:"stars"`
}

func (input requestAsked) isRead() bool { return input.Do == "list" || input.Do == "read" }

// requestAnswer contains the numbers after a list, the number after a creation, and otherwise the request.
type requestAnswer struct {
	Status  int      `json:"status"`
	Numbers []string `json:"numbers"`
	Number  string   `json:"number"`
	State   string   `json:"state"`
	Stars   int      `json:"stars"`
	Steps   []string `json:"steps"` // "author:state:text"
}

// request contains, in order, the steps of the history's own clients and all steps that an answer has shown. The number
// is empty if the outcome of the creation was unknown. The next answer reveals the number.
type request struct {
	exists bool
	number string
	own    []string
	seen   []string
	stars  int
}

func (s request) equal(other request) bool {
	return s.exists == other.exists && s.number == other.number && s.stars == other.stars &&
		slices.Equal(s.own, other.own) && slices.Equal(s.seen, other.seen)
}

func stepRequest(s request, input requestAsked, output *requestAnswer) (bool, request) {
	switch input.Do {
	case "move": // the CRM's own staff; the step appears later
		return true, s
	case "list":
		return s.listed(output)
	case "create":
		return s.created(output)
	case "read":
		return s.shown(output)
	case "rate":
		return s.rated(input, output)
	}
	if slices.Contains(s.own, input.Step) { // a repetition gets the first answer
		return output == nil || output.Status == http.StatusOK && slices.Contains(output.Steps, input.Step), s
	}
	if output != nil && output.Status == http.StatusConflict {
		return s.exists, s // the CRM may have moved the request at any time
	}
	s.own = append(slices.Clone(s.own), input.Step)
	if output == nil {
		return true, s
	}
	return s.shown(output)
}

func (s request) listed(output *requestAnswer) (bool, request) {
	if !s.exists {
		return len(output.Numbers) == 0, s
	}
	return len(output.Numbers) == 1 && s.isCalled(output.Numbers[0]), s.named(output.Numbers)
}

func (s request) created(output *requestAnswer) (bool, request) {
	isSame := output == nil || output.Status == http.StatusCreated && s.isCalled(output.Number)
	s.exists = true
	if output != nil {
		s.number = output.Number
	}
	return isSame, s
}

func (s request) rated(input requestAsked, output *requestAnswer) (bool, request) {
	if output != nil && output.Status == http.StatusConflict {
		return s.exists, s // rated before, or open: the CRM may have reopened it
	}
	wasRated := s.stars != 0
	if !wasRated {
		s.stars = input.Stars
	}
	if output == nil {
		return true, s
	}
	isPossible, after := s.shown(output)
	return isPossible && !wasRated && isClosed(output.State), after
}

// shown compares a displayed request with the state, and adds the steps that others have made.
func (s request) shown(output *requestAnswer) (bool, request) {
	isPossible := output.Status == http.StatusOK && s.exists && s.isCalled(output.Number) &&
		output.Stars == s.stars && slices.Equal(listMarked(output.Steps), s.own) &&
		len(output.Steps) >= len(s.seen) && slices.Equal(output.Steps[:len(s.seen)], s.seen) &&
		follow(output.Steps) == output.State
	s.number, s.seen = output.Number, output.Steps
	return isPossible, s
}

func (s request) isCalled(number string) bool { return s.number == "" || s.number == number }

func (s request) named(numbers []string) request {
	if len(numbers) == 1 {
		s.number = numbers[0]
	}
	return s
}

// listMarked returns the steps that the history's clients made. Their texts are marks.
func listMarked(steps []string) []string {
	var marked []string
	for _, step := range steps {
		if strings.Contains(step, ":marca-") {
			marked = append(marked, step)
		}
	}
	return marked
}

// handled contains, for each state, the states from which staff and the CRM may move a request to it.
var handled = map[string][]string{
	"in_progress":       {"received", "sent", "needs_information", "reopened"},
	"needs_information": {"received", "sent", "in_progress", "needs_information", "reopened"},
	"done":              {"received", "sent", "in_progress", "needs_information", "reopened"},
	"refused":           {"received", "sent", "in_progress", "needs_information", "reopened"},
}

// settleRequest removes writes with an unknown outcome whose step no answer shows. Every request is read at the end, so
// they did not take effect. Otherwise the checker would try them at every instant.
func settleRequest(lines []line) ([]line, error) {
	shown := map[string]bool{}
	for _, one := range lines {
		_, output, err := decode[requestAsked, requestAnswer](&one)
		if err != nil {
			return nil, err
		}
		if output != nil {
			for _, step := range output.Steps {
				shown[step] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(lines), func(one line) bool {
		input, _, err := decode[requestAsked, requestAnswer](&one)
		return err == nil && one.isUnknown() && input.Step != "" && !shown[input.Step]
	}), nil
}

// follow returns the state after these steps. It returns an empty string if one of them was not allowed.
func follow(steps []string) string {
	state := ""
	for _, step := range steps {
		parts := strings.SplitN(step, ":", 3)
		author, target := parts[0], parts[1]
		if !isAllowed(state, target, author) {
			return ""
		}
		if target != "" {
			state = target
		}
	}
	return state
}

func isAllowed(state, target, author string) bool {
	switch {
	case state == "":
		return target == "received" && author == "citizen"
	case target == "": // a message
		return !isClosed(state) && author != "citizen"
	case author == "citizen":
		return target == "in_progress" && state == "needs_information" || target == "reopened" && isClosed(state)
	case author == "platform":
		return target == "sent" && state == "received"
	case author == "crm" && target == "in_progress" && isClosed(state):
		return true
	}
	return slices.Contains(handled[target], state)
}

func isClosed(state string) bool { return state == "done" || state == "refused" }
