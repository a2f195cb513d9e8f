package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	answerSeconds = 60 // after this, a call counts as lost
	waitingCalls  = 1 << 20
)

// arrival is one call: its operation, how many requests of this operation came before it, and its planned start.
type arrival struct {
	operation int
	number    int64
	due       time.Time
}

// caller distributes arrivals to its connections. The arrivals have the same order in every run.
type caller struct {
	ordered *order
	trust   *tls.Config
	cycle   []int // operations in the order of their requests
	began   time.Time
	late    []time.Duration // delays between the time of an arrival and its notice
}

func newCaller(ordered *order) (*caller, error) {
	made := &caller{ordered: ordered}
	if ordered.Trust != "" {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM([]byte(ordered.Trust)) {
			return nil, errors.New("no certificate in trust")
		}
		made.trust = &tls.Config{RootCAs: roots, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS12}
	}
	for place, each := range ordered.Operations {
		for range each.Weight {
			made.cycle = append(made.cycle, place)
		}
	}
	shuffled := rand.New(rand.NewPCG(1, 2))
	shuffled.Shuffle(len(made.cycle), func(i, j int) { made.cycle[i], made.cycle[j] = made.cycle[j], made.cycle[i] })
	return made, nil
}

func (c *caller) dial() (net.Conn, error) {
	if c.trust == nil {
		return net.Dial("tcp", c.ordered.Address)
	}
	return tls.Dial("tcp", c.ordered.Address, c.trust)
}

// run sends requests until the time is over, and waits for all responses.
func (c *caller) run() *result {
	c.began = time.Now()
	stop := make(chan struct{})
	var listening, asking sync.WaitGroup
	streams := make([]*stream, len(c.ordered.Streams))
	for place := range streams {
		streams[place] = &stream{caller: c, request: &c.ordered.Streams[place]}
		listening.Go(func() { streams[place].listen(stop) })
	}
	connections := make([]*connection, c.ordered.Connections)
	next := c.arrivals()
	for place := range connections {
		connections[place] = newConnection(c)
		asking.Go(func() { connections[place].ask(next) })
	}
	asking.Wait()
	elapsed := time.Since(c.began)
	close(stop)
	listening.Wait()
	return sum(c, connections, streams, elapsed)
}

// arrivals returns a function that returns the next call. It returns false when the time is over.
func (c *caller) arrivals() func() (arrival, bool) {
	asked := make([]int64, len(c.ordered.Operations))
	for place, each := range c.ordered.Operations {
		asked[place] = each.First
	}
	until := c.began.Add(time.Duration(c.ordered.Seconds * float64(time.Second)))
	if c.ordered.Rate == 0 {
		var turn atomic.Int64
		return func() (arrival, bool) {
			place := c.cycle[int(turn.Add(1)-1)%len(c.cycle)]
			now := time.Now()
			return arrival{place, atomic.AddInt64(&asked[place], 1) - 1, now}, now.Before(until)
		}
	}
	waiting := make(chan arrival, waitingCalls)
	go func() {
		defer close(waiting)
		apart := float64(time.Second) / c.ordered.Rate
		for turn := 0; ; turn++ {
			due := c.began.Add(time.Duration(float64(turn) * apart))
			if due.After(until) {
				return
			}
			time.Sleep(time.Until(due))
			c.late = append(c.late, time.Since(due))
			place := c.cycle[turn%len(c.cycle)]
			waiting <- arrival{place, asked[place], due}
			asked[place]++
		}
	}()
	return func() (arrival, bool) {
		one, more := <-waiting
		return one, more
	}
}

// token returns the token of the current window. The last token is valid until the end.
func (c *caller) token(holder int) string {
	tokens := c.ordered.Tokens[holder]
	window := int(time.Since(c.began).Seconds() / c.ordered.TokenSeconds)
	return tokens[min(window, len(tokens)-1)]
}
