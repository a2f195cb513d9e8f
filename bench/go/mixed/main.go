// Command mixed sends a mix of operations to a gateway, at a fixed rate of arrivals or as fast as possible.
//
// It reads one order from standard input and writes one result to standard output, both JSON. At a fixed rate, the
// latency of a call counts from its planned start, so that a slow server cannot hide its delays by receiving fewer
// requests.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// order describes the requests. Each holder has one token for each time window of TokenSeconds.
type order struct {
	Address      string      `json:"address"`
	Trust        string      `json:"trust"` // the gateway's certificate, PEM; empty without TLS
	Connections  int         `json:"connections"`
	Rate         float64     `json:"rate"` // arrivals per second; 0: as fast as possible
	Seconds      float64     `json:"seconds"`
	TokenSeconds float64     `json:"token_seconds"`
	Tokens       [][]string  `json:"tokens"`
	Operations   []operation `json:"operations"`
	Streams      []request   `json:"streams"`
}

// operation has Weight requests in each cycle. First is the number of its requests in earlier orders.
type operation struct {
	Name     string    `json:"name"`
	Weight   int       `json:"weight"`
	First    int64     `json:"first"`
	Requests []request `json:"requests"`
}

// request is a request in two parts. If it has a holder (an index from 0), the holder's token is inserted between the
// parts. A number replaces the mark.
type request struct {
	Before string `json:"before"`
	After  string `json:"after"`
	Holder int    `json:"holder"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mixed:", err)
		os.Exit(1)
	}
}

func run() error {
	var ordered order
	if err := json.NewDecoder(os.Stdin).Decode(&ordered); err != nil {
		return err
	}
	calling, err := newCaller(&ordered)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(calling.run())
}
