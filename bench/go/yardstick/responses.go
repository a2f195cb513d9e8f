package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"golang.org/x/crypto/blake2b"
)

const personal = "no-store, private"

// ready is an encoded body and its strong ETag.
type ready struct {
	body []byte
	etag string
}

func readyOf(value any) (ready, error) {
	body, err := encode(value)
	if err != nil {
		return ready{}, err
	}
	return ready{body, etagOf(body)}, nil
}

// encode returns JSON without the HTML escapes that the standard library adds.
func encode(value any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

func etagOf(body []byte) string {
	hash, err := blake2b.New(12, nil)
	if err != nil {
		panic(err) // only for a size that is not allowed
	}
	hash.Write(body)
	return `"` + hex.EncodeToString(hash.Sum(nil)) + `"`
}

// sendReady sends 200, or 304 if If-None-Match contains the body's ETag.
func sendReady(c *gin.Context, answer ready, cacheControl string) {
	c.Header("Cache-Control", cacheControl)
	c.Header("ETag", answer.etag)
	if sent := c.GetHeader("If-None-Match"); sent != "" && (sent == "*" || strings.Contains(sent, answer.etag)) {
		c.Status(http.StatusNotModified)
		return
	}
	send(c, http.StatusOK, answer.body)
}

// sendPersonal sends a person's own data, which caches must not store.
func sendPersonal(c *gin.Context, value any) {
	answer, err := readyOf(value)
	if err != nil {
		broken(c, err)
		return
	}
	sendReady(c, answer, personal)
}

func send(c *gin.Context, status int, body []byte) { c.Data(status, "application/json", body) }

func fail(c *gin.Context, status int, message string) { c.JSON(status, gin.H{"error": message}) }

func broken(c *gin.Context, err error) {
	slog.Error("failed", "operation", c.GetString(operationKey), "error", err)
	fail(c, http.StatusInternalServerError, "Erro interno.")
}
