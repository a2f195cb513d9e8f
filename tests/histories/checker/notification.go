package main

import "net/http"

// The notifications of a health unit (rules: health_units 4.1). At most one is open, and a closed notification never
// changes.

type notificationAsked struct {
	Do    string `json:"do"` // read, open, change, close
	ID    string `json:"id"`
	Level string `json:"level"`
}

func (input notificationAsked) isRead() bool { return input.Do == "read" }

// notificationAnswer contains the newest notification after a read, or the new notification's id after an opening.
// After a read, an empty id means that there is no notification.
type notificationAnswer struct {
	Status int    `json:"status"`
	ID     string `json:"id"`
	Level  string `json:"level"`
	IsOpen bool   `json:"is_open"`
}

// notification is the unit's newest notification. It is unknown before the first read. Its id is empty if the outcome
// of the opening was unknown. The next read reveals the id.
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
	// Clients learn ids only from answers, so the state already contains the open notification's id. Any other id belongs
	// to an earlier notification.
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
