// Command yardstick serves the benchmarked operations of Balcão as one would write them in Go with gin and pgx.
//
// It makes the same checks before a call (token with a cache by digest, snapshot of the access catalogue, rule,
// enumeration guard, rate), runs the same statements under the same role with as many connections, and returns the same
// bytes with the same headers. `make bench` compares the responses before it measures. Request id, metrics and log line
// are included.
//
// It does less than the platform. Nothing changes while it runs: snapshot, risks and keys are loaded once, and there is
// no listener. Bodies are validated by types, so absent and null are equal, and depth, duplicate members and other
// notations of times are not checked. Errors have one format, and refusals leave no audit event. The webhook has no
// limit of waiting events, and a caller's share of the pool is not limited. There are eight routes instead of all
// routes of the seven services.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	poolSize = 10
	timeZone = "America/Sao_Paulo"
)

// server contains the state that all its handlers share.
type server struct {
	pool    *pgxpool.Pool
	tokens  *verifier
	access  *access
	risks   map[string]ready
	configs configCache
	zone    *time.Location
}

const deadline = 30 * time.Second

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "yardstick:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	s, err := open(ctx, os.Getenv("BENCH_DATABASE_URL"), os.Getenv("BENCH_ISSUER"))
	if err != nil {
		return err
	}
	defer s.pool.Close()
	lines := newLineWriter(os.Stderr)
	defer lines.flush()
	// The platform's limit for a head, and its deadlines for a head, a body, a slow reader and an idle connection.
	listening := &http.Server{
		Addr:              "127.0.0.1:" + os.Getenv("BENCH_PORT"),
		Handler:           s.routes(newFront(lines)),
		MaxHeaderBytes:    64 * 1024,
		ReadHeaderTimeout: deadline,
		ReadTimeout:       2 * deadline,
		WriteTimeout:      deadline,
		IdleTimeout:       deadline,
	}
	go func() {
		<-ctx.Done()
		_ = listening.Close()
	}()
	if err := listening.ListenAndServe(); err != http.ErrServerClosed {
		return err
	}
	return nil
}

func open(ctx context.Context, databaseURL, issuer string) (*server, error) {
	pool, err := openPool(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(timeZone)
	if err != nil {
		return nil, err
	}
	tokens, err := newVerifier(issuer)
	if err != nil {
		return nil, err
	}
	access, err := loadAccess(ctx, pool)
	if err != nil {
		return nil, err
	}
	risks, err := loadRisks(ctx, pool, zone)
	if err != nil {
		return nil, err
	}
	return &server{pool: pool, tokens: tokens, access: access, risks: risks, zone: zone, configs: newConfigCache()}, nil
}

func openPool(ctx context.Context, databaseURL string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = poolSize
	config.ConnConfig.RuntimeParams["role"] = "balcao_app"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	return pgxpool.NewWithConfig(ctx, config)
}

func (s *server) routes(front *front) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(front.handle, gin.Recovery())

	registry := router.Group("/registry/v1")
	registry.GET("/citizen/:cpf/notification-preferences",
		s.checked(operation{key: "registry.read_preferences", rule: own("preferences:read"), perSecond: readRate}, s.readPreferences))
	registry.GET("/citizen/:cpf/pets",
		s.checked(operation{key: "registry.list_pets", rule: own("pets:read"), perSecond: readRate}, s.listPets))
	registry.POST("/citizen/:cpf/pets",
		s.checked(operation{key: "registry.create_pet", rule: own("pets:write"), perSecond: writeRate}, s.createPet))
	registry.POST("/webhooks/crm/cidadao",
		s.checked(operation{
			key: "registry.receive_crm_event", rule: client("CRM_WEBHOOK_CLIENTS"), perSecond: machineWriteRate,
		}, s.receiveEvent))

	risk := operation{key: "health_units.read_risk", rule: authenticatedOr("sms:read"), perSecond: readRate}
	router.GET("/health-units/unidade/:cnes/risco", s.checked(risk, s.readRisk))

	agents := router.Group("/agent/api/v1")
	agents.GET("/agent-config/by-id/:id",
		s.checked(operation{
			key: "agents.read_config", rule: client("BALCAO_AGENT_RUNTIME_CLIENTS"), perSecond: machineReadRate,
		}, s.readConfig))
	agents.GET("/auth",
		s.checked(operation{key: "agents.check_token", rule: authenticatedOr(), perSecond: readRate}, checkToken))

	router.GET("/agent/readiness", func(c *gin.Context) { c.Status(http.StatusOK) })
	router.GET("/metrics", gin.WrapH(promhttp.Handler()))
	return router
}

func checkToken(c *gin.Context, _ *call) {
	c.Header("Cache-Control", "no-store")
	send(c, http.StatusOK, []byte(`{"status":"ok"}`))
}
