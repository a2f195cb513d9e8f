package main

import "net/http"

// The notifications of a health unit (rules: health_units 4.1): at most one is open, and what is closed never changes.

type notificationAsked struct {
	Do    string `json:"do"` // read, open, change, close
	ID    string `json:"id"`
	Level string `json:"level"`
}

func (input notificationAsked) isRead() bool { return input.Do == "read" }

// notificationAnswer has of a read the newest notification, without an id where there is none; of an opening the new one.
type notificationAnswer struct {
	Status int    `json:"status"`
	ID     string `json:"id"`
	Level  string `json:"level"`
	IsOpen bool   `json:"is_open"`
}

// notification is the newest one of the unit, unknown before the first read. Who opened it without being told does not
// know its id, which the next answer shows.
type notification struct {
	known  bool
	id     string
	level  string
	isOpen bool
}

func (s notification) equal(other notification) bool { return s == other }

func stepNotification(s notification, input notificationAsked, output *notificationAnswer) (bool, notification) {
	switch input.Do {
	case "read":
		shown := notification{true, output.ID, output.Level, output.IsOpen}
		unnamed := s
		if s.isOpen && s.id == "" {
			unnamed.id = output.ID
		}
		return !s.known || unnamed == shown, shown
	case "open":
		if s.isOpen {
			return output == nil || output.Status == http.StatusConflict, s
		}
		if output == nil {
			return true, notification{true, "", input.Level, true}
		}
		return output.Status == http.StatusCreated, notification{true, output.ID, input.Level, true}
	}
	// An id is learnt from an answer, after which the state has it; any other one is that of an earlier notification.
	if !s.isOpen || s.id != input.ID {
		return output == nil || output.Status == http.StatusConflict, s
	}
	if input.Do == "close" {
		s.isOpen = false
	} else {
		s.level = input.Level
	}
	return output == nil || output.Status == http.StatusOK, s
}
