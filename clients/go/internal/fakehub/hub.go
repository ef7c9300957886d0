// Package fakehub publishes keys and revocations over HTTP as a hub does, for tests.
package fakehub

import (
	"net/http"
	"sync"
	"sync/atomic"

	"latchkey/internal/signing"
)

// Hub publishes what its fields say. Change guards all but the counters.
type Hub struct {
	Issuer string
	// Clock returns Unix seconds.
	Clock func() int64
	// TokenKeys is the JWKS of the keys of tokens, and HeadKey signs the heads of revocations.
	TokenKeys string
	HeadKey   signing.Key
	// Entries is the list of revocations, and Seq the number of the journal.
	Entries []byte
	Seq     int64
	// IsAway makes every answer a 500, HidesRevocations those about revocations.
	IsAway, HidesRevocations bool
	// KeysAsked counts the questions for keys of tokens, HeadsAsked those for heads of revocations.
	KeysAsked, HeadsAsked atomic.Int64

	mutex sync.Mutex
}

const (
	headType        = "latchkey-revocations+jwt"
	headSeconds     = 60
	revocationsPath = "/.well-known/storage-revocations"
)

// Change runs while no answer is written.
func (hub *Hub) Change(change func()) {
	hub.mutex.Lock()
	defer hub.mutex.Unlock()
	change()
}

func (hub *Hub) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	hub.mutex.Lock()
	defer hub.mutex.Unlock()
	answer := hub.answerTo(request.URL.Path)
	if answer == nil || hub.IsAway {
		writer.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = writer.Write(answer)
}

// answerTo is nil where the hub gives none.
func (hub *Hub) answerTo(path string) []byte {
	switch {
	case path == "/.well-known/jwks.json":
		hub.KeysAsked.Add(1)
		return []byte(hub.TokenKeys)
	case hub.HidesRevocations:
		return nil
	case path == "/.well-known/storage-revocation-keys":
		return []byte(`{"keys":[` + hub.HeadKey.Public() + `]}`)
	case path == revocationsPath:
		hub.HeadsAsked.Add(1)
		return hub.head()
	case path == revocationsPath+"/"+signing.Digest(string(hub.Entries)):
		return append([]byte{}, hub.Entries...)
	}
	return nil
}

func (hub *Hub) head() []byte {
	now := hub.Clock()
	head, err := hub.HeadKey.Sign(hub.HeadKey.Header(headType), signing.Object(
		"iss", hub.Issuer,
		"seq", hub.Seq,
		"list", signing.Digest(string(hub.Entries)),
		"iat", now,
		"exp", now+headSeconds,
	))
	if err != nil {
		return nil
	}
	return []byte(head)
}
