package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
)

const (
	eventBodyLimit = 131072
	eventDataLimit = 65536
)

var errEvent = errors.New("o evento é inválido")

type event struct {
	CPF       string          `json:"cpf"`
	Kind      string          `json:"evento"`
	UpdatedAt *time.Time      `json:"updatedAt"`
	Data      json.RawMessage `json:"dados"`
}

type eventData struct {
	AccountID              *string       `json:"accountId,omitempty"`
	CanalOrigem            *string       `json:"canalOrigem,omitempty"`
	CanalUltimaModificacao *string       `json:"canalUltimaModificacao,omitempty"`
	Cidade                 *string       `json:"cidade,omitempty"`
	Complemento            *string       `json:"complemento,omitempty"`
	Deficiencia            *string       `json:"deficiencia,omitempty"`
	Email                  *string       `json:"email,omitempty"`
	Escolaridade           *string       `json:"escolaridade,omitempty"`
	Genero                 *string       `json:"genero,omitempty"`
	Nacionalidade          *string       `json:"nacionalidade,omitempty"`
	NomeExibicao           *string       `json:"nomeExibicao,omitempty"`
	Passaporte             *string       `json:"passaporte,omitempty"`
	Raca                   *string       `json:"raca,omitempty"`
	RendaFamiliar          *string       `json:"rendaFamiliar,omitempty"`
	Telefone1              *string       `json:"telefone1,omitempty"`
	Telefone2              *string       `json:"telefone2,omitempty"`
	Telefone3              *string       `json:"telefone3,omitempty"`
	TelefoneInternacional  *string       `json:"telefoneInternacional,omitempty"`
	TelefonePrincipal      *string       `json:"telefonePrincipal,omitempty"`
	TipoTelefone1          *string       `json:"tipoTelefone1,omitempty"`
	TipoTelefone2          *string       `json:"tipoTelefone2,omitempty"`
	TipoTelefone3          *string       `json:"tipoTelefone3,omitempty"`
	Idioma                 []string      `json:"idioma,omitempty"`
	IsTourist              *bool         `json:"isTourist,omitempty"`
	Endereco               *eventAddress `json:"endereco,omitempty"`
	Consentimento          []*consent    `json:"consentimento,omitempty"`
}

type eventAddress struct {
	Bairro      *string `json:"bairro,omitempty"`
	CEP         *string `json:"cep,omitempty"`
	Cidade      *string `json:"cidade,omitempty"`
	Complemento *string `json:"complemento,omitempty"`
	Estado      *string `json:"estado,omitempty"`
	Logradouro  *string `json:"logradouro,omitempty"`
	Pais        *string `json:"pais,omitempty"`
}

type consent struct {
	Acao       *string `json:"acao,omitempty"`
	Canal      *string `json:"canal,omitempty"`
	Categoria  *string `json:"categoria,omitempty"`
	Data       *string `json:"data,omitempty"`
	Finalidade *string `json:"finalidade,omitempty"`
	Motivo     *string `json:"motivo,omitempty"`
	Status     *string `json:"status,omitempty"`
}

// receiveEvent acknowledges after it has committed the event, its job and its audit event. One statement stores them
// all, so no BEGIN is needed.
func (s *server) receiveEvent(c *gin.Context, call *call) {
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, eventBodyLimit))
	if err != nil {
		fail(c, http.StatusBadRequest, "O corpo é grande demais.")
		return
	}
	received, data, err := parseEvent(body)
	if err != nil {
		fail(c, http.StatusBadRequest, err.Error())
		return
	}
	kept, err := encode(data)
	if err != nil {
		broken(c, err)
		return
	}
	digest := sha256.Sum256(received.Data)
	_, err = s.pool.Exec(c, acceptEventSQL,
		newID(), received.CPF, received.Kind, received.UpdatedAt, string(kept), digest[:],
		call.caller.client, call.requestID,
		newID(), hashCPF(received.CPF), maskCPF(received.CPF), call.grant, memberNames(kept))
	if err != nil {
		broken(c, err)
		return
	}
	answer, err := encode(struct {
		CPF     string `json:"cpf"`
		Kind    string `json:"evento"`
		Message string `json:"message"`
		Status  string `json:"status"`
	}{maskCPF(received.CPF), received.Kind, "Evento recebido e enfileirado.", "accepted"})
	if err != nil {
		broken(c, err)
		return
	}
	c.Header("Cache-Control", personal)
	send(c, http.StatusAccepted, answer)
}

// parseEvent returns the event and its normalized data. Only updates are measured, so it supports no other kind.
func parseEvent(body []byte) (event, eventData, error) {
	received := event{Kind: "atualizacao"}
	var data eventData
	if err := json.Unmarshal(body, &received); err != nil {
		return received, data, errEvent
	}
	if !validCPF(strings.TrimSpace(received.CPF)) || received.Kind != "atualizacao" || len(received.Data) > eventDataLimit {
		return received, data, errEvent
	}
	if err := json.Unmarshal(received.Data, &data); err != nil {
		return received, data, errEvent
	}
	for _, text := range data.texts() {
		cleaned, err := clean(*text)
		if err != nil {
			return received, data, err
		}
		*text = cleaned
	}
	for _, given := range data.Consentimento {
		if err := given.check(); err != nil {
			return received, data, err
		}
	}
	return received, data, nil
}

// check returns an error if status or action is invalid, both are missing or they contradict each other, or a
// withdrawal has no reason.
func (k *consent) check() error {
	status, knownStatus := choice(k.Status, "in", "out")
	action, knownAction := choice(k.Acao, "optin", "optout")
	if !knownStatus || !knownAction || status == 0 && action == 0 || status*action < 0 {
		return errEvent
	}
	if status+action < 0 && (k.Motivo == nil || *k.Motivo == "") {
		return errEvent
	}
	return nil
}

// choice returns 1 for in, -1 for out, and 0 for an empty or missing value. Its second result is false for any other
// value.
func choice(text *string, in, out string) (int, bool) {
	switch {
	case text == nil || *text == "":
		return 0, true
	case strings.EqualFold(*text, in):
		return 1, true
	case strings.EqualFold(*text, out):
		return -1, true
	}
	return 0, false
}

// texts returns all string values in the event.
func (d *eventData) texts() []*string {
	all := []*string{
		d.AccountID, d.CanalOrigem, d.CanalUltimaModificacao, d.Cidade, d.Complemento, d.Deficiencia, d.Email,
		d.Escolaridade, d.Genero, d.Nacionalidade, d.NomeExibicao, d.Passaporte, d.Raca, d.RendaFamiliar, d.Telefone1,
		d.Telefone2, d.Telefone3, d.TelefoneInternacional, d.TelefonePrincipal, d.TipoTelefone1, d.TipoTelefone2,
		d.TipoTelefone3,
	}
	for place := range d.Idioma {
		all = append(all, &d.Idioma[place])
	}
	if a := d.Endereco; a != nil {
		all = append(all, a.Bairro, a.CEP, a.Cidade, a.Complemento, a.Estado, a.Logradouro, a.Pais)
	}
	for _, k := range d.Consentimento {
		all = append(all, k.Acao, k.Canal, k.Categoria, k.Data, k.Finalidade, k.Motivo, k.Status)
	}
	return slices.DeleteFunc(all, func(text *string) bool { return text == nil })
}

// memberNames returns the names of an object's members in their order, for the audit event.
func memberNames(object []byte) []string {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		panic(err) // we wrote it
	}
	return slices.Sorted(maps.Keys(members))
}
