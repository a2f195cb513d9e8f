package main

import (
	"maps"
	"net/http"
)

// The files of a citizen (rules: registry 1.1 and 4.18). A digest identifies a content. Each content is sent with its
// own idempotency key, so it is stored at most once. A deleted file never comes back.

type fileAsked struct {
	Do     string `json:"do"` // read, send, download, delete
	Digest string `json:"digest"`
	ID     string `json:"id"`
}

func (input fileAsked) isRead() bool { return input.Do == "read" || input.Do == "download" }

// fileAnswer contains the ids by digest after a list, the new file's id and digest after a file was sent, or the digest
// of the content after a download.
type fileAnswer struct {
	Status int               `json:"status"`
	ID     string            `json:"id"`
	Digest string            `json:"digest"`
	Files  map[string]string `json:"files"`
	Count  int               `json:"count"`
}

// file is a stored file. Its id is empty if the outcome was unknown. The next answer reveals the id.
type file struct {
	id        string
	isDeleted bool
}

type files map[string]file

func (s files) equal(other files) bool { return maps.Equal(s, other) }

func stepFile(s files, input fileAsked, output *fileAnswer) (bool, files) {
	answers := func(status int) bool { return output == nil || output.Status == status }
	stored, has := s[input.Digest]
	switch input.Do {
	case "read":
		return s.shown(output)
	case "send":
		if output == nil {
			if has {
				return true, s
			}
			return true, s.with(input.Digest, file{})
		}
		isSame := output.Digest == input.Digest && (stored.id == "" || stored.id == output.ID)
		return answers(http.StatusCreated) && isSame, s.with(input.Digest, file{output.ID, stored.isDeleted})
	}
	if !has || stored.id != input.ID || stored.isDeleted {
		return answers(http.StatusNotFound), s
	}
	if input.Do == "download" {
		return answers(http.StatusOK) && output.Digest == input.Digest, s
	}
	return answers(http.StatusNoContent), s.with(input.Digest, file{stored.id, true})
}

// shown compares a list with the files that are not deleted, and stores the ids that the list reveals.
func (s files) shown(output *fileAnswer) (bool, files) {
	after, present := maps.Clone(s), 0
	for digest, one := range s {
		id, isShown := output.Files[digest]
		if one.isDeleted == isShown || isShown && one.id != "" && one.id != id {
			return false, s
		}
		if isShown {
			after[digest] = file{id: id}
			present++
		}
	}
	return output.Count == present, after
}

func (s files) with(digest string, one file) files {
	after := maps.Clone(s)
	after[digest] = one
	return after
}
