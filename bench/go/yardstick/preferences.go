package main

import (
	"encoding/json"
	"time"

	"github.com/gin-gonic/gin"
)

type preferences struct {
	CPF            string          `json:"cpf"`
	OptIn          bool            `json:"opt_in"`
	CategoryOptIns json.RawMessage `json:"category_opt_ins"`
	UpdatedAt      string          `json:"updated_at"`
}

func (s *server) readPreferences(c *gin.Context, _ *call) {
	found := preferences{CPF: c.Param("cpf")}
	var optIns string
	var updatedAt time.Time
	err := s.pool.QueryRow(c, readPreferencesSQL, found.CPF).Scan(&found.OptIn, &optIns, &updatedAt)
	if err != nil {
		broken(c, err)
		return
	}
	found.CategoryOptIns = json.RawMessage(optIns)
	found.UpdatedAt = formatInstant(updatedAt)
	sendPersonal(c, found)
}
