package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

var (
	mark   = []byte("######")
	length = []byte("content-length:")
)

// connection sends requests and reads one response at a time. Every response has a Content-Length, as ours do.
type connection struct {
	ordered   *order
	wire      net.Conn
	reader    *bufio.Reader
	request   []byte
	body      []byte
	latencies []time.Duration
	wrong     int
	example   string // of a wrong response
	err       error
}

func connect(ordered *order) (*connection, error) {
	wire, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(ordered.Port))
	if err != nil {
		return nil, err
	}
	return &connection{ordered: ordered, wire: wire, reader: bufio.NewReaderSize(wire, 16*1024)}, nil
}

func (c *connection) close() { _ = c.wire.Close() }

func (c *connection) askUntil(until time.Time, asked *atomic.Int64) {
	for {
		began := time.Now()
		if began.After(until) {
			return
		}
		if c.err = c.ask(asked.Add(1) - 1); c.err != nil {
			return
		}
		c.latencies = append(c.latencies, time.Since(began))
	}
}

func (c *connection) ask(number int64) error {
	place := int(number) % len(c.ordered.Requests)
	c.request = append(c.request[:0], c.ordered.Requests[place]...)
	for rest := c.request; ; {
		found := bytes.Index(rest, mark)
		if found < 0 {
			break
		}
		copy(rest[found:], fmt.Appendf(nil, "%06d", number%1_000_000))
		rest = rest[found+len(mark):]
	}
	if _, err := c.wire.Write(c.request); err != nil {
		return err
	}
	status, err := c.read()
	if err != nil {
		return err
	}
	if status != c.ordered.Status || !bytes.Contains(c.body, c.ordered.Expected[place]) {
		c.wrong++
		c.example = fmt.Sprintf("%d %.200s", status, c.body)
	}
	return nil
}

// read stores the body of one response in c.body, and returns the status.
func (c *connection) read() (status int, err error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return 0, fmt.Errorf("no status line: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	size := 0
	for {
		if line, err = c.reader.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if len(line) <= len("\r\n") {
			break
		}
		if len(line) > len(length) && bytes.EqualFold(line[:len(length)], length) {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(line[len(length):]))); err != nil {
				return 0, err
			}
		}
	}
	if cap(c.body) < size {
		c.body = make([]byte, size)
	}
	c.body = c.body[:size]
	_, err = io.ReadFull(c.reader, c.body)
	return status, err
}
