package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
)

const (
	bodyLimit     = 1 << 20
	mostOwnPets   = 50
	mostPerPage   = 100
	lastPage      = 1_000_000_000
	nameLength    = 100
	chipLength    = 30
	addressLength = 2048
)

var (
	errBody     = errors.New("o corpo é inválido")
	errPetLimit = errors.New("o cadastro já tem 50 animais próprios")
)

type petRecord struct {
	Name              string     `json:"animal_nome"`
	Species           *string    `json:"especie_nome"`
	Breed             *string    `json:"raca_nome"`
	Size              *string    `json:"porte_nome"`
	Sex               *string    `json:"sexo_sigla"`
	Birth             *string    `json:"nascimento_data"`
	Neutered          *bool      `json:"indicador_castrado"`
	Active            *bool      `json:"indicador_ativo"`
	Chip              *string    `json:"microchip_numero"`
	Pedigree          *bool      `json:"pedigree_indicador"`
	PedigreeOrigin    *string    `json:"pedigree_origem_nome"`
	LifePhase         *string    `json:"fase_vida_nome"`
	Photo             *string    `json:"foto_url"`
	QRCode            *string    `json:"qrcode_payload"`
	RegisteredAt      *string    `json:"registro_data"`
	RabiesAt          *string    `json:"antirrabica_data"`
	RabiesUntil       *string    `json:"antirrabica_validade_data"`
	DewormedAt        *string    `json:"vermifugacao_data"`
	DewormedUntil     *string    `json:"vermifugacao_validade_data"`
	Clinic            *petClinic `json:"clinica_credenciada"`
	OtherTutors       []petTutor `json:"outros_tutores"`
	IndicatorOfRecord *bool      `json:"indicador"`
}

type petClinic struct {
	Name    *string `json:"nome"`
	Phone   *string `json:"telefone"`
	Mobile  *string `json:"celular"`
	Email   *string `json:"email"`
	Address struct {
		Street     *string `json:"logradouro"`
		Number     *string `json:"numero"`
		Complement *string `json:"complemento"`
		District   *string `json:"bairro"`
		City       *string `json:"cidade"`
	} `json:"endereco"`
}

type petTutor struct {
	CPF   *string `json:"cpf"`
	Name  *string `json:"nome"`
	Phone *string `json:"telefone"`
	Email *string `json:"email"`
}

type pet struct {
	petRecord
	ID     int64  `json:"id_animal"`
	Source string `json:"source"`
}

type pagination struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	Total      int `json:"total"`
	TotalPages int `json:"total_pages"`
}

type pets struct {
	Data       []pet      `json:"data"`
	Pagination pagination `json:"pagination"`
}

func (s *server) listPets(c *gin.Context, _ *call) {
	page, perPage, err := pageOf(c)
	if err != nil {
		fail(c, http.StatusBadRequest, err.Error())
		return
	}
	found, err := s.findPets(c, c.Param("cpf"), page, perPage)
	if err != nil {
		broken(c, err)
		return
	}
	sendPersonal(c, found)
}

// findPets sends both statements at once, so that they take one round trip.
func (s *server) findPets(ctx context.Context, cpf string, page, perPage int) (pets, error) {
	found := pets{Data: []pet{}, Pagination: pagination{Page: page, PerPage: perPage}}
	batch := &pgx.Batch{}
	batch.Queue(countPetsSQL, cpf)
	batch.Queue(listPetsSQL, cpf, perPage, (page-1)*perPage)
	results := s.pool.SendBatch(ctx, batch)
	defer results.Close()
	if err := results.QueryRow().Scan(&found.Pagination.Total); err != nil {
		return found, err
	}
	found.Pagination.TotalPages = (found.Pagination.Total + perPage - 1) / perPage
	rows, err := results.Query()
	if err != nil {
		return found, err
	}
	defer rows.Close()
	for rows.Next() {
		one := pet{petRecord: petRecord{OtherTutors: []petTutor{}}}
		var record []byte
		if err := rows.Scan(&one.ID, &one.Source, &record); err != nil {
			return found, err
		}
		if err := json.Unmarshal(record, &one.petRecord); err != nil {
			return found, err
		}
		if err := one.show(s.zone); err != nil {
			return found, err
		}
		found.Data = append(found.Data, one)
	}
	return found, rows.Err()
}

// show gives every day a time in the city's zone, and hides the CPFs of the other tutors.
func (p *pet) show(zone *time.Location) error {
	for _, date := range []*string{
		p.Birth, p.RegisteredAt, p.RabiesAt, p.RabiesUntil, p.DewormedAt, p.DewormedUntil,
	} {
		if date == nil {
			continue
		}
		at, isDay, err := parseDate(*date, zone)
		if err != nil {
			return err
		}
		if isDay {
			*date = at.Format("2006-01-02T15:04:05-07:00")
		} else {
			*date = formatInstant(at)
		}
	}
	for _, tutor := range p.OtherTutors {
		if tutor.CPF != nil {
			*tutor.CPF = maskCPF(*tutor.CPF)
		}
	}
	return nil
}

// parseDate reads a day, as midnight in the zone, or an instant.
func parseDate(text string, zone *time.Location) (at time.Time, isDay bool, err error) {
	if at, err = time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return at, true, nil
	}
	at, err = time.Parse(time.RFC3339, text)
	return at, false, err
}

// petBody has pointers for the members that must be there.
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

// createOnce takes three round trips: begin, locks and what is there; the pet; audit event, answer and commit.
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
		_, _ = connection.Exec(ctx, "ROLLBACK") // a warning only, when it has been committed
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

// parsePet checks and cleans what a citizen says of a pet.
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

func pageOf(c *gin.Context) (page, perPage int, err error) {
	if page, err = wholeNumber(c.Query("page"), lastPage, 1); err != nil {
		return 0, 0, err
	}
	perPage, err = wholeNumber(c.Query("per_page"), mostPerPage, 10)
	return page, perPage, err
}

func wholeNumber(text string, most, otherwise int) (int, error) {
	if text == "" {
		return otherwise, nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > most {
		return 0, errors.New("a página é inválida")
	}
	return number, nil
}
