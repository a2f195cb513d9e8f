package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
)

const longestKey = 128

var (
	errKey       = errors.New("o cabeçalho Idempotency-Key é inválido")
	errKeyReused = errors.New("esta Idempotency-Key já foi usada com outra requisição")
)

// onceOnly stores the first response to a caller's key, and returns it for later requests. Without a key, it does
// nothing.
type onceOnly struct {
	key     string
	caller  []byte
	request []byte

	foundRequest, foundAnswer []byte
}

// onceFor identifies a request by a digest of its bytes. The platform compares decoded bodies instead.
func onceFor(call *call, key, cpf string, body []byte) (*onceOnly, error) {
	isPrintable := func(r rune) bool { return r >= ' ' && r <= '~' }
	if len(key) > longestKey || strings.ContainsFunc(key, func(r rune) bool { return !isPrintable(r) }) {
		return nil, errKey
	}
	caller := sha256.Sum256([]byte(call.caller.client + "\x00" + call.caller.subject))
	request := sha256.Sum256([]byte(call.operation + "\x00" + cpf + "\x00" + string(body)))
	return &onceOnly{key: key, caller: caller[:], request: request[:]}, nil
}

// queueLookUp waits for any other call with this key, and then reads the call's response.
func (o *onceOnly) queueLookUp(batch *pgx.Batch) {
	if o.key == "" {
		return
	}
	batch.Queue(lockIdempotencyKeySQL, o.caller, o.key)
	batch.Queue(readKeptAnswerSQL, o.caller, o.key).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&o.foundRequest, &o.foundAnswer); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
}

// kept returns the stored response, or nil if there is none.
func (o *onceOnly) kept() ([]byte, error) {
	if o.foundAnswer != nil && !bytes.Equal(o.foundRequest, o.request) {
		return nil, errKeyReused
	}
	return o.foundAnswer, nil
}

// queueKeep stores the response, and deletes an expired one.
func (o *onceOnly) queueKeep(batch *pgx.Batch, cpf string, answer []byte) {
	if o.key == "" {
		return
	}
	batch.Queue(forgetKeptAnswerSQL, o.caller, o.key)
	batch.Queue(keepAnswerSQL, o.caller, o.key, cpf, o.request, answer)
}
