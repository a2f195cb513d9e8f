package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
)

const (
	bodyLimit     = 1 << 20
	mostOwnPets   = 50
	nameLength    = 100
	chipLength    = 30
	addressLength = 2048
)

var (
	errBody     = errors.New("o corpo é inválido")
	errPetLimit = errors.New("o cadastro já tem 50 animais próprios")
)

// petBody has pointers for its required members, so that a missing member is nil.
type petBody struct {
	Name     *string `json:"animal_nome"`
	Species  *string `json:"especie_nome"`
	Sex      *string `json:"sexo_sigla"`
	Birth    *string `json:"nascimento_data"`
	Neutered *bool   `json:"indicador_castrado"`
	Breed    *string `json:"raca_nome"`
	Size     *string `json:"porte_nome"`
	Photo    *string `json:"foto_url"`
	Chip     *string `json:"microchip_numero"`
}

func (s *server) createPet(c *gin.Context, call *call) {
	raw, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, bodyLimit))
	if err != nil {
		fail(c, http.StatusRequestEntityTooLarge, "O corpo é grande demais.")
		return
	}
	record, err := parsePet(raw, time.Now(), s.zone)
	if err != nil {
		fail(c, http.StatusBadRequest, err.Error())
		return
	}
	answer, err := s.createOnce(c, call, c.Param("cpf"), c.GetHeader("Idempotency-Key"), raw, record)
	switch {
	case errors.Is(err, errPetLimit), errors.Is(err, errKeyReused):
		fail(c, http.StatusConflict, err.Error())
	case errors.Is(err, errKey):
		fail(c, http.StatusBadRequest, err.Error())
	case err != nil:
		broken(c, err)
	default:
		c.Header("Cache-Control", personal)
		send(c, http.StatusCreated, answer)
	}
}

// createOnce takes three round trips. The first begins, locks and reads existing rows. The second inserts the pet. The
// third stores the audit event and the response, and commits.
func (s *server) createOnce(
	ctx context.Context, call *call, cpf, key string, raw []byte, record petRecord,
) ([]byte, error) {
	once, err := onceFor(call, key, cpf, raw)
	if err != nil {
		return nil, err
	}
	connection, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	answer, err := s.createWithin(ctx, connection.Conn(), call, cpf, once, record)
	if err != nil {
		_, _ = connection.Exec(ctx, "ROLLBACK") // only a warning if it was committed
	}
	return answer, err
}

func (s *server) createWithin(
	ctx context.Context, connection *pgx.Conn, call *call, cpf string, once *onceOnly, record petRecord,
) ([]byte, error) {
	count := 0
	first := &pgx.Batch{}
	first.Queue("BEGIN")
	once.queueLookUp(first)
	first.Queue(lockOwnPetsSQL, cpf)
	first.Queue(countOwnPetsSQL, cpf).QueryRow(func(row pgx.Row) error { return row.Scan(&count) })
	if err := connection.SendBatch(ctx, first).Close(); err != nil {
		return nil, err
	}
	if answer, err := once.kept(); answer != nil || err != nil {
		_, _ = connection.Exec(ctx, "ROLLBACK")
		return answer, err
	}
	if count >= mostOwnPets {
		return nil, errPetLimit
	}

	stored, err := encode(record)
	if err != nil {
		return nil, err
	}
	made := pet{petRecord: record, Source: "self_registered"}
	if err := connection.QueryRow(ctx, insertOwnPetSQL, cpf, string(stored)).Scan(&made.ID); err != nil {
		return nil, err
	}
	if err := made.show(s.zone); err != nil {
		return nil, err
	}
	answer, err := encode(made)
	if err != nil {
		return nil, err
	}

	last := &pgx.Batch{}
	queueAudit(last, call, "create", cpf, []string{"pets"})
	once.queueKeep(last, cpf, answer)
	last.Queue("COMMIT")
	return answer, connection.SendBatch(ctx, last).Close()
}

// parsePet validates and normalizes a citizen's pet.
func parsePet(raw []byte, now time.Time, zone *time.Location) (petRecord, error) {
	var body petBody
	if err := json.Unmarshal(raw, &body); err != nil {
		return petRecord{}, errBody
	}
	for _, required := range []*string{body.Name, body.Species, body.Sex, body.Birth, body.Breed, body.Size} {
		if required == nil {
			return petRecord{}, errBody
		}
	}
	if body.Neutered == nil || (*body.Sex != "M" && *body.Sex != "F") {
		return petRecord{}, errBody
	}
	birth, err := checkBirth(*body.Birth, now, zone)
	if err != nil {
		return petRecord{}, err
	}
	var faults []error
	within := func(text *string, shortest, longest int) *string {
		if text == nil {
			return nil
		}
		cleaned, err := cleanWithin(*text, shortest, longest)
		faults = append(faults, err)
		return &cleaned
	}
	optional := func(text *string, longest int) *string {
		if cleaned := within(text, 0, longest); cleaned != nil && *cleaned != "" {
			return cleaned
		}
		return nil
	}
	yes, registeredAt := true, formatInstant(now)
	record := petRecord{
		Name:              *within(body.Name, 1, nameLength),
		Species:           within(body.Species, 1, nameLength),
		Breed:             within(body.Breed, 0, nameLength),
		Size:              within(body.Size, 0, nameLength),
		Sex:               body.Sex,
		Birth:             &birth,
		Neutered:          body.Neutered,
		Active:            &yes,
		Chip:              optional(body.Chip, chipLength),
		Photo:             optional(body.Photo, addressLength),
		RegisteredAt:      &registeredAt,
		OtherTutors:       []petTutor{},
		IndicatorOfRecord: &yes,
	}
	if record.Photo != nil {
		address, err := url.Parse(*record.Photo)
		if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil {
			return petRecord{}, errBody
		}
	}
	return record, errors.Join(faults...)
}

func checkBirth(text string, now time.Time, zone *time.Location) (string, error) {
	at, isDay, err := parseDate(text, zone)
	if err != nil || at.Year() < 1970 || at.After(now) {
		return "", errBody
	}
	if isDay {
		return text, nil
	}
	return formatInstant(at), nil
}
