package main

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"time"
)

const againSeconds = 3 // the delay that the server asks for before a reconnection

// stream listens to events until it is stopped. It reconnects whenever the stream ends.
type stream struct {
	caller  *caller
	request *request
	opened  int
	ended   int // before we stopped
	events  int
	open    bool
	refused string
}

func (s *stream) listen(stop <-chan struct{}) {
	for {
		s.follow(stop)
		select {
		case <-stop:
			return
		case <-time.After(againSeconds * time.Second):
		}
	}
}

func (s *stream) follow(stop <-chan struct{}) {
	wire, err := s.caller.dial()
	if err != nil {
		s.refused = err.Error()
		return
	}
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-stop:
		case <-over:
		}
		_ = wire.Close()
	}()
	if _, err = io.WriteString(wire, write(s.caller, s.request, 0)); err != nil {
		s.refused = err.Error()
		return
	}
	answer, err := http.ReadResponse(bufio.NewReader(wire), nil)
	if err != nil {
		s.refused = err.Error()
		return
	}
	if answer.StatusCode != http.StatusOK {
		s.refused = answer.Status
		return
	}
	s.opened++
	s.open = true
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "event:") {
			s.events++
		}
	}
	select {
	case <-stop:
	default:
		s.open = false
		s.ended++
	}
}
