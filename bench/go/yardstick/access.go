package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
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

// clientLists contains the lists of clients in the sandbox profile.
var clientLists = map[string][]string{
	"CRM_WEBHOOK_CLIENTS":          {"crm-sandbox"},
	"BALCAO_AGENT_RUNTIME_CLIENTS": {"agentes-runtime"},
}

// rule is the access rule of an operation.
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

// The default rates of the platform, by kind of caller, with the factor of the sandbox profile.
const (
	readRate         = 5000
	writeRate        = 1000
	machineReadRate  = 50000
	machineWriteRate = 10000
)

// operation is a declared operation. perSecond is its rate limit.
type operation struct {
	key       string
	rule      rule
	perSecond int
}

// call is one admitted request: its caller, and the right that admitted the caller.
type call struct {
	operation string
	caller    *caller
	grant     string
	requestID string
}

// role grants its actions, identified by their keys. An administrative role grants all actions.
type role struct {
	ID             int64    `json:"id"`
	Name           string   `json:"name"`
	Administrative bool     `json:"administrative"`
	Actions        []string `json:"actions"`
}

// snapshot is one version of the access catalogue, as a process of the platform loads it.
type snapshot struct {
	bindings    map[string]string
	roles       map[int64]role
	rolesByName map[string]role
	groups      map[int64][]int64
	people      map[string]holding
}

// holding contains the ids of a person's groups and direct roles.
type holding struct{ groups, roles []int64 }

// access decides which operations a caller may call, and how often.
type access struct {
	snapshot snapshot
	lock     sync.Mutex
	windows  map[windowKey]*window
	shut     sync.Map // subjects that requested too many CPFs of other people
}

type windowKey struct{ operation, subject string }

type window struct {
	second int64
	count  int
}

func loadAccess(ctx context.Context, pool *pgxpool.Pool) (*access, error) {
	loaded := &access{windows: map[windowKey]*window{}}
	if err := loaded.snapshot.load(ctx, pool); err != nil {
		return nil, err
	}
	return loaded, loaded.snapshot.loadPeople(ctx, pool)
}

func (s *snapshot) load(ctx context.Context, pool *pgxpool.Pool) error {
	var document []byte
	if err := pool.QueryRow(ctx, readCatalogueSQL).Scan(&document); err != nil {
		return err
	}
	var whole struct {
		Actions map[int64]struct {
			Key string `json:"key"`
		} `json:"actions"`
		Mappings map[int64]struct {
			Operation *string `json:"operation"`
			ActionID  int64   `json:"action_id"`
		} `json:"mappings"`
		Roles  map[int64]role `json:"roles"`
		Groups map[int64]struct {
			Roles []int64 `json:"roles"`
		} `json:"groups"`
	}
	if err := json.Unmarshal(document, &whole); err != nil {
		return err
	}
	s.bindings, s.roles = map[string]string{}, whole.Roles
	s.rolesByName, s.groups = map[string]role{}, map[int64][]int64{}
	for _, mapping := range whole.Mappings {
		if mapping.Operation != nil {
			s.bindings[*mapping.Operation] = whole.Actions[mapping.ActionID].Key
		}
	}
	for _, each := range whole.Roles {
		s.rolesByName[each.Name] = each
	}
	for id, group := range whole.Groups {
		s.groups[id] = group.Roles
	}
	return nil
}

func (s *snapshot) loadPeople(ctx context.Context, pool *pgxpool.Pool) error {
	s.people = map[string]holding{}
	rows, err := pool.Query(ctx, readPeopleSQL)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var held holding
		var numbers []byte
		if err := rows.Scan(&held.groups, &held.roles, &numbers); err != nil {
			return err
		}
		for ; len(numbers) >= 8; numbers = numbers[8:] {
			s.people[fmt.Sprintf("%011d", binary.BigEndian.Uint64(numbers))] = held
		}
	}
	return rows.Err()
}

// checked returns a handler that authenticates and authorizes the call. It runs handle only if the call is allowed.
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

// decide returns the right that allows the call, and whether there is one. The steps are those of core/access/rules.py.
func (a *access) decide(declared operation, caller *caller, owner string) (string, bool) {
	bound, known := a.snapshot.bindings[declared.key]
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
	if bound != boundToMachine && a.snapshot.grants(caller, bound) {
		return bound, true
	}
	return "", false
}

func (s *snapshot) grants(caller *caller, action string) bool {
	for _, name := range caller.roles {
		if held, known := s.rolesByName[name]; known && held.grants(action) {
			return true
		}
	}
	held := s.people[caller.cpf]
	if s.anyGrants(held.roles, action) {
		return true
	}
	return slices.ContainsFunc(held.groups, func(group int64) bool { return s.anyGrants(s.groups[group], action) })
}

func (s *snapshot) anyGrants(roles []int64, action string) bool {
	return slices.ContainsFunc(roles, func(id int64) bool { return s.roles[id].grants(action) })
}

func (r role) grants(action string) bool {
	return r.Administrative || slices.Contains(r.Actions, action)
}

// withinRate counts the call in a fixed window of one second, and returns whether the rate allows it.
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
