package main

import (
	"bufio"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	operationKey = "operation"
	requestIDKey = "request_id"
)

var (
	requests = prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "balcao_requests_total", Help: "Requests answered"},
		[]string{"service", "operation", "method", "status"})
	seconds = prometheus.NewHistogramVec(
		prometheus.HistogramOpts{
			Name: "balcao_request_seconds", Help: "Time to answer",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		},
		[]string{"service", "operation"})
)

func init() { prometheus.MustRegister(requests, seconds) }

// The platform's headers. Browsers must not guess the type of API responses, frame them or execute them.
var onEveryResponse = http.Header{
	"Content-Security-Policy": {"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	"Server":                  {"balcao"},
	"Vary":                    {"Origin"},
	"X-Content-Type-Options":  {"nosniff"},
}

// front gives every request an id, counts the request, and writes a log line about it.
type front struct {
	log    *slog.Logger
	meters sync.Map // series to meters; label look-ups cost more than counting
}

type series struct {
	operation, method string
	status            int
}

type meters struct {
	count   prometheus.Counter
	seconds prometheus.Observer
}

func newFront(lines io.Writer) *front {
	return &front{log: slog.New(slog.NewJSONHandler(lines, nil))}
}

func (f *front) handle(c *gin.Context) {
	began := time.Now()
	id := requestID(c.GetHeader("X-Request-Id"))
	header := c.Writer.Header()
	header["X-Request-Id"] = []string{id}
	for name, values := range onEveryResponse {
		header[name] = values
	}
	c.Set(requestIDKey, id)
	c.Next()
	elapsed := time.Since(began)
	operation, status := c.GetString(operationKey), c.Writer.Status()
	service, _, _ := strings.Cut(operation, ".")
	counted := f.metersOf(service, series{operation, c.Request.Method, status})
	counted.count.Inc()
	counted.seconds.Observe(elapsed.Seconds())
	f.log.LogAttrs(c, slog.LevelInfo, "request",
		slog.String("request_id", id),
		slog.String("service", service),
		slog.String("operation", operation),
		slog.String("method", c.Request.Method),
		slog.Int("status", status),
		slog.Float64("ms", float64(elapsed.Microseconds()/10)/100))
}

func (f *front) metersOf(service string, key series) meters {
	if known, ok := f.meters.Load(key); ok {
		return known.(meters)
	}
	made := meters{
		requests.WithLabelValues(service, key.operation, key.method, strconv.Itoa(key.status)),
		seconds.WithLabelValues(service, key.operation),
	}
	f.meters.Store(key, made)
	return made
}

// requestID accepts a caller's id only if it is a UUID, which cannot be a CPF.
func requestID(sent string) string {
	if sent != "" && uuid.Validate(sent) == nil {
		return sent
	}
	return newID()
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

const flushEvery = 100 * time.Millisecond

// lineWriter buffers log lines for at most 100 ms, as the platform does.
type lineWriter struct {
	lock   sync.Mutex
	buffer *bufio.Writer
}

func newLineWriter(to io.Writer) *lineWriter {
	made := &lineWriter{buffer: bufio.NewWriterSize(to, 64*1024)}
	go func() {
		for range time.Tick(flushEvery) {
			made.flush()
		}
	}()
	return made
}

func (w *lineWriter) Write(line []byte) (int, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.buffer.Write(line)
}

func (w *lineWriter) flush() {
	w.lock.Lock()
	defer w.lock.Unlock()
	_ = w.buffer.Flush()
}
