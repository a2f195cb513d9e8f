package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const mark = "######" // replaced with a number of six digits that counts up

// taken contains the measurements of one operation. Status 0 stands for a lost call.
type taken struct {
	latencies []time.Duration
	statuses  map[int]int
	asked     int
	examples  map[int]string
}

// connection sends requests and reads one response at a time. If the server has closed it, it reconnects.
type connection struct {
	caller   *caller
	wire     net.Conn
	reader   *bufio.Reader
	made     int
	measured []taken
	minutes  [][]time.Duration // latencies by the minute of the planned start
}

func newConnection(c *caller) *connection {
	made := &connection{caller: c, measured: make([]taken, len(c.ordered.Operations))}
	for place := range made.measured {
		made.measured[place] = taken{statuses: map[int]int{}, examples: map[int]string{}}
	}
	return made
}

func (c *connection) ask(next func() (arrival, bool)) {
	for {
		one, more := next()
		if !more {
			c.close()
			return
		}
		operation := &c.caller.ordered.Operations[one.operation]
		status, body, err := c.exchange(&operation.Requests[one.number%int64(len(operation.Requests))], one.number)
		if err != nil {
			c.close()
			status, body = 0, err.Error()
		}
		c.note(one, status, body, time.Since(one.due))
	}
}

func (c *connection) note(one arrival, status int, body string, latency time.Duration) {
	noted := &c.measured[one.operation]
	noted.asked++
	noted.latencies = append(noted.latencies, latency)
	noted.statuses[status]++
	if _, known := noted.examples[status]; !known {
		noted.examples[status] = body
	}
	minute := int(one.due.Sub(c.caller.began).Minutes())
	for len(c.minutes) <= minute {
		c.minutes = append(c.minutes, nil)
	}
	c.minutes[minute] = append(c.minutes[minute], latency)
}

func (c *connection) close() {
	if c.wire != nil {
		_ = c.wire.Close()
		c.wire = nil
	}
}

// exchange returns the status. Unless the status is a success, it also returns the beginning of the body.
func (c *connection) exchange(asked *request, number int64) (int, string, error) {
	if c.wire == nil {
		wire, err := c.caller.dial()
		if err != nil {
			return 0, "", err
		}
		c.wire, c.reader = wire, bufio.NewReaderSize(wire, 16*1024)
		c.made++
	}
	if err := c.wire.SetDeadline(time.Now().Add(answerSeconds * time.Second)); err != nil {
		return 0, "", err
	}
	if _, err := io.WriteString(c.wire, write(c.caller, asked, number)); err != nil {
		return 0, "", err
	}
	answer, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return 0, "", err
	}
	var shown strings.Builder
	if answer.StatusCode >= 300 {
		_, err = io.CopyN(&shown, answer.Body, 200)
	}
	if err == nil || err == io.EOF {
		_, err = io.Copy(io.Discard, answer.Body)
	}
	_ = answer.Body.Close()
	if answer.Close {
		c.close()
	}
	return answer.StatusCode, shown.String(), err
}

// write returns the text of the request, with its token and its number.
func write(c *caller, asked *request, number int64) string {
	text := asked.Before
	if asked.Holder >= 0 {
		text += c.token(asked.Holder)
	}
	text += asked.After
	return strings.ReplaceAll(text, mark, fmt.Sprintf("%06d", number%1_000_000))
}
