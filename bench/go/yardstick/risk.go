package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
)

type situation struct {
	Risk      string `json:"risco"`
	Status    string `json:"status"`
	UpdatedAt string `json:"ultima_atualizacao"`
}

type unitRisk struct {
	CNES   string     `json:"cnes"`
	Active *situation `json:"notificacao_ativa"`
	Newest *situation `json:"ultima_notificacao"`
}

// loadRisks returns the encoded response for each unit.
func loadRisks(ctx context.Context, pool *pgxpool.Pool, zone *time.Location) (map[string]ready, error) {
	rows, err := pool.Query(ctx, listRisksSQL)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	risks := map[string]ready{}
	for rows.Next() {
		var unit unitRisk
		var risk, status *string
		var updatedAt *time.Time
		if err := rows.Scan(&unit.CNES, &risk, &status, &updatedAt); err != nil {
			return nil, err
		}
		if risk != nil {
			unit.Newest = &situation{*risk, *status, updatedAt.In(zone).Format("2006-01-02T15:04:05-07:00")}
			if strings.EqualFold(*status, "ativo") {
				unit.Active = unit.Newest
			}
		}
		if risks[unit.CNES], err = readyOf(unit); err != nil {
			return nil, err
		}
	}
	return risks, rows.Err()
}

func (s *server) readRisk(c *gin.Context, _ *call) {
	cnes := c.Param("cnes")
	if len(cnes) != 7 || strings.Trim(cnes, "0123456789") != "" {
		fail(c, http.StatusUnprocessableEntity, "CNES inválido.")
		return
	}
	found, known := s.risks[cnes]
	if !known {
		fail(c, http.StatusNotFound, "Unidade de saúde não encontrada.")
		return
	}
	sendReady(c, found, "private, max-age=30")
}
