package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// keptConfigs is how many encoded responses the cache contains, as in the platform's processes.
const keptConfigs = 1000

type agentConfig struct {
	ConfigID      string          `json:"config_id"`
	AgentType     string          `json:"agent_type"`
	Version       int             `json:"version"`
	MemoryBlocks  json.RawMessage `json:"memory_blocks"`
	Tools         json.RawMessage `json:"tools"`
	ModelName     string          `json:"model_name"`
	EmbeddingName string          `json:"embedding_name"`
	CreatedAt     string          `json:"created_at"`
}

// configCache stores encoded responses in order of creation. A version never changes, so no entry is ever stale.
type configCache struct {
	lock  *sync.Mutex
	ready map[uuid.UUID]ready
	order []uuid.UUID
}

func newConfigCache() configCache {
	return configCache{lock: &sync.Mutex{}, ready: map[uuid.UUID]ready{}}
}

func (k *configCache) get(id uuid.UUID) (ready, bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	found, known := k.ready[id]
	return found, known
}

func (k *configCache) put(id uuid.UUID, answer ready) {
	k.lock.Lock()
	defer k.lock.Unlock()
	if _, known := k.ready[id]; known {
		return
	}
	k.ready[id] = answer
	k.order = append(k.order, id)
	if len(k.order) > keptConfigs {
		delete(k.ready, k.order[0])
		k.order = k.order[1:]
	}
}

func (s *server) readConfig(c *gin.Context, _ *call) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		fail(c, http.StatusUnprocessableEntity, "Identificador inválido.")
		return
	}
	found, known := s.configs.get(id)
	if !known {
		found, err = s.fetchConfig(c, id)
		if errors.Is(err, pgx.ErrNoRows) {
			fail(c, http.StatusNotFound, "Configuração não encontrada.")
			return
		}
		if err != nil {
			broken(c, err)
			return
		}
		s.configs.put(id, found)
	}
	sendReady(c, found, "private, max-age=31536000, immutable")
}

func (s *server) fetchConfig(c *gin.Context, id uuid.UUID) (ready, error) {
	var found agentConfig
	var createdAt time.Time
	err := s.pool.QueryRow(c, readConfigSQL, id).Scan(
		&found.ConfigID, &found.AgentType, &found.Version, (*[]byte)(&found.MemoryBlocks), (*[]byte)(&found.Tools),
		&found.ModelName, &found.EmbeddingName, &createdAt)
	if err != nil {
		return ready{}, err
	}
	found.CreatedAt = createdAt.UTC().Format("2006-01-02T15:04:05.000000-07:00")
	return readyOf(found)
}
