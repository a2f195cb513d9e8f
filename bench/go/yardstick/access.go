package main

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	boundToAuthenticated = "platform:authenticated"
	boundToMachine       = "platform:machine"
)

// clientLists are those of the sandbox profile.
var clientLists = map[string][]string{
	"CRM_WEBHOOK_CLIENTS":          {"crm-sandbox"},
	"BALCAO_AGENT_RUNTIME_CLIENTS": {"agentes-runtime"},
}

// rule is what an operation demands of its caller.
type rule struct {
	action  string
	owner   bool
	scopes  []string
	clients string
}

func own(action string) rule  { return rule{action: action, owner: true} }
func client(list string) rule { return rule{action: boundToMachine, clients: list} }
func authenticatedOr(scopes ...string) rule {
	return rule{action: boundToAuthenticated, scopes: scopes}
}

// The default rates of the platform, by kind of caller, as the sandbox profile multiplies them.
const (
	readRate         = 5000
	writeRate        = 1000
	machineReadRate  = 50000
	machineWriteRate = 10000
)

// operation is one declared operation; perSecond is its rate.
type operation struct {
	key       string
	rule      rule
	perSecond int
}

// call is one admitted request: who calls, and by which right.
type call struct {
	operation string
	caller    *caller
	grant     string
	requestID string
}

// snapshot is one version of the access catalogue, as the platform's processes load it.
type snapshot struct {
	Bindings map[string]string `json:"bindings"`
	Roles    map[string]struct {
		Administrative bool     `json:"administrative"`
		Actions        []string `json:"actions"`
	} `json:"roles"`
	People map[string][]string `json:"people"`
}

// access decides who may call what, and how often.
type access struct {
	snapshot snapshot
	lock     sync.Mutex
	windows  map[windowKey]*window
	shut     sync.Map // subjects who asked for too many numbers that are not theirs
}

type windowKey struct{ operation, subject string }

type window struct {
	second int64
	count  int
}

func loadAccess(ctx context.Context, pool *pgxpool.Pool) (*access, error) {
	var document string
	if err := pool.QueryRow(ctx, "SELECT access.snapshot_since(0)").Scan(&document); err != nil {
		return nil, err
	}
	loaded := &access{windows: map[windowKey]*window{}}
	return loaded, json.Unmarshal([]byte(document), &loaded.snapshot)
}

// checked admits the call before it is handled.
func (s *server) checked(declared operation, handle func(*gin.Context, *call)) gin.HandlerFunc {
	return func(c *gin.Context) {
		c.Set(operationKey, declared.key)
		caller, err := s.tokens.caller(c.GetHeader("Authorization"))
		if err != nil {
			c.Header("WWW-Authenticate", "Bearer")
			fail(c, http.StatusUnauthorized, "Autenticação necessária.")
			return
		}
		if declared.rule.owner {
			if _, isShut := s.access.shut.Load(caller.subject); isShut {
				fail(c, http.StatusTooManyRequests, "Muitas requisições.")
				return
			}
		}
		grant, allowed := s.access.decide(declared, caller, c.Param("cpf"))
		if !allowed {
			fail(c, http.StatusForbidden, "Sem permissão para esta operação.")
			return
		}
		if !s.access.withinRate(declared, caller) {
			fail(c, http.StatusTooManyRequests, "Muitas requisições.")
			return
		}
		handle(c, &call{declared.key, caller, grant, c.GetString(requestIDKey)})
	}
}

// decide returns what lets the caller pass, by the same steps as core/access/rules.py.
func (a *access) decide(declared operation, caller *caller, owner string) (string, bool) {
	bound, known := a.snapshot.Bindings[declared.key]
	if !known {
		bound = declared.rule.action
	}
	if declared.rule.owner && caller.isPerson() && owner == caller.cpf && validCPF(owner) {
		return "self", true
	}
	if list := declared.rule.clients; list != "" && slices.Contains(clientLists[list], caller.client) {
		return "client:" + list, true
	}
	for _, scope := range declared.rule.scopes {
		if !caller.isPerson() && slices.Contains(caller.scopes, scope) {
			return "scope:" + scope, true
		}
	}
	if bound == boundToAuthenticated && (caller.isPerson() || len(declared.rule.scopes) == 0) {
		return "authenticated", true
	}
	if bound != boundToMachine && (a.granted(caller.roles, bound) || a.granted(a.snapshot.People[caller.cpf], bound)) {
		return bound, true
	}
	return "", false
}

func (a *access) granted(roles []string, action string) bool {
	for _, name := range roles {
		if role, known := a.snapshot.Roles[name]; known && (role.Administrative || slices.Contains(role.Actions, action)) {
			return true
		}
	}
	return false
}

// withinRate counts one call in a fixed window of a second.
func (a *access) withinRate(declared operation, caller *caller) bool {
	now := time.Now().Unix()
	a.lock.Lock()
	defer a.lock.Unlock()
	key := windowKey{declared.key, caller.subject}
	current := a.windows[key]
	if current == nil {
		current = &window{}
		a.windows[key] = current
	}
	if current.second != now {
		*current = window{second: now}
	}
	current.count++
	return current.count <= declared.perSecond
}
