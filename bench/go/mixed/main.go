// Command mixed asks a gateway for a mix of operations, at a fixed rate of arrivals or as fast as it is answered.
//
// It reads one order from standard input and writes one result to standard output, both JSON. At a fixed rate a call's
// latency counts from the instant at which it should have begun, so that a server that keeps everybody waiting cannot
// hide it by being asked less.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// order says what to ask for. Tokens are those of each holder, one for each window of TokenSeconds.
type order struct {
	Address      string      `json:"address"`
	Trust        string      `json:"trust"` // the gateway's certificate, PEM; without one there is no TLS
	Connections  int         `json:"connections"`
	Rate         float64     `json:"rate"` // arrivals a second; 0: each connection again as soon as it is answered
	Seconds      float64     `json:"seconds"`
	TokenSeconds float64     `json:"token_seconds"`
	Tokens       [][]string  `json:"tokens"`
	Operations   []operation `json:"operations"`
	Streams      []request   `json:"streams"`
}

// operation is asked for Weight times in a cycle; First is how often it was asked for in earlier orders.
type operation struct {
	Name     string    `json:"name"`
	Weight   int       `json:"weight"`
	First    int64     `json:"first"`
	Requests []request `json:"requests"`
}

// request has its holder's token between its two parts, if it has a holder (from 0), and a number in the place of its mark.
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
