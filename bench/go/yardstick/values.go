package main

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/text/unicode/norm"
)

// hashKey is the sandbox's hash key.
var hashKey = []byte("sandbox-hash-key")

const hashKeyNumber = 1

func validCPF(text string) bool {
	if len(text) != 11 || strings.Trim(text, "0123456789") != "" || strings.Count(text, text[:1]) == 11 {
		return false
	}
	for place := 9; place < 11; place++ {
		sum := 0
		for i := range place {
			sum += int(text[i]-'0') * (place + 1 - i)
		}
		if sum*10%11%10 != int(text[place]-'0') {
			return false
		}
	}
	return true
}

func maskCPF(cpf string) string { return "***." + cpf[3:6] + "." + cpf[6:9] + "-**" }

// hashCPF returns a keyed hash, or nil for an empty CPF.
func hashCPF(cpf string) []byte {
	if cpf == "" {
		return nil
	}
	hash, err := blake2b.New256(hashKey)
	if err != nil {
		panic(err) // only for a key that is too long
	}
	hash.Write([]byte(cpf))
	return hash.Sum(nil)
}

var (
	errControl = errors.New("contém caracteres de controle")
	errLength  = errors.New("tem um comprimento inválido")
	breaks     = strings.NewReplacer("\r", " ", "\n", " ", "\t", " ")
)

// clean returns a string in NFC without surrounding blanks. It rejects control characters.
func clean(text string) (string, error) {
	cleaned := strings.TrimSpace(norm.NFC.String(breaks.Replace(text)))
	if strings.ContainsFunc(cleaned, unicode.IsControl) {
		return "", errControl
	}
	return cleaned, nil
}

// cleanWithin cleans a string and checks its length, counted in characters.
func cleanWithin(text string, shortest, longest int) (string, error) {
	cleaned, err := clean(text)
	if err != nil {
		return "", err
	}
	if length := utf8.RuneCountInString(cleaned); length < shortest || length > longest {
		return "", errLength
	}
	return cleaned, nil
}

// formatInstant returns the instant in UTC with a Z. It has six fractional digits, or none if they would all be zero.
func formatInstant(at time.Time) string {
	if at.Nanosecond() < int(time.Microsecond) {
		return at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return at.UTC().Format("2006-01-02T15:04:05.000000Z")
}
