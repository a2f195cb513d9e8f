package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	mostPerPage = 100
	lastPage    = 1_000_000_000
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

// findPets reads the page as one JSON text and decodes it in one pass.
func (s *server) findPets(ctx context.Context, cpf string, page, perPage int) (pets, error) {
	found := pets{Data: []pet{}, Pagination: pagination{Page: page, PerPage: perPage}}
	var records []byte
	row := s.pool.QueryRow(ctx, listPetsSQL, cpf, perPage, (page-1)*perPage)
	if err := row.Scan(&records, &found.Pagination.Total); err != nil {
		return found, err
	}
	found.Pagination.TotalPages = (found.Pagination.Total + perPage - 1) / perPage
	if err := json.Unmarshal(records, &found.Data); err != nil {
		return found, err
	}
	for i := range found.Data {
		if found.Data[i].OtherTutors == nil {
			found.Data[i].OtherTutors = []petTutor{}
		}
		if err := found.Data[i].show(s.zone); err != nil {
			return found, err
		}
	}
	return found, nil
}

// show adds the city's time zone to every day, and masks the CPFs of the other tutors.
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

// parseDate parses a day as midnight in the city's time zone. It also parses times.
func parseDate(text string, zone *time.Location) (at time.Time, isDay bool, err error) {
	if at, err = time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return at, true, nil
	}
	at, err = time.Parse(time.RFC3339, text)
	return at, false, err
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
