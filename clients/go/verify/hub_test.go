package verify

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"latchkey/internal/fakehub"
	"latchkey/internal/signing"
)

// fakeHub publishes the keys of the vectors and a list of revocations, over a real connection.
type fakeHub struct {
	*fakehub.Hub
	url     string
	vectors tokenVectors
	// seconds is the clock of hub and gate.
	seconds atomic.Int64
}

func newFakeHub(t *testing.T) *fakeHub {
	t.Helper()
	hub := &fakeHub{}
	readVectors(t, "tokens.json", &hub.vectors)
	var revocations struct {
		SigningKeys map[string]signing.Key `json:"signingKeysOfTheseVectors"`
	}
	readVectors(t, "revocations.json", &revocations)
	hub.seconds.Store(hub.vectors.Now)
	hub.Hub = &fakehub.Hub{
		Issuer:    hub.vectors.Issuer,
		Clock:     hub.seconds.Load,
		TokenKeys: string(hub.vectors.JWKS),
		HeadKey:   revocations.SigningKeys["first"],
		Seq:       hub.vectors.Now * 1000,
	}
	server := httptest.NewServer(hub.Hub)
	t.Cleanup(server.Close)
	hub.url = server.URL
	return hub
}

// cut takes back everything that names a thing, for ever.
func (hub *fakeHub) cut(kind, id string) {
	hub.Change(func() {
		hash := decodedDigest(digestOf(kind + ":" + id))
		hub.Entries = binary.BigEndian.AppendUint64(hash, forEver)
		hub.Seq++
	})
}

// jwksWithout leaves out the key of the right request.
func (hub *fakeHub) jwksWithout(t *testing.T) string {
	t.Helper()
	var published struct{ Keys []json.RawMessage }
	if err := json.Unmarshal([]byte(hub.TokenKeys), &published); err != nil {
		t.Fatal(err)
	}
	return `{"keys":[` + string(published.Keys[1]) + `]}`
}

func decodedDigest(text string) []byte {
	bytes, _ := decodeSegment(text)
	return bytes
}

// gate is one that does not poll, so that a test decides when the hub is asked.
func (hub *fakeHub) gate(t *testing.T, change func(*Options)) *Gate {
	t.Helper()
	gate := hub.newGate(t, change)
	gate.Close()
	return gate
}

// pollingGate polls each second.
func (hub *fakeHub) pollingGate(t *testing.T) *Gate {
	t.Helper()
	gate := hub.newGate(t, func(options *Options) { options.PollSeconds = 1 })
	t.Cleanup(gate.Close)
	return gate
}

func (hub *fakeHub) newGate(t *testing.T, change func(*Options)) *Gate {
	t.Helper()
	options := Options{
		HubURL:    hub.url,
		Issuer:    hub.vectors.Issuer,
		CasURL:    hub.vectors.Audience + "/{repo}/{ref}",
		Clock:     hub.seconds.Load,
		OnFailure: func(error) {},
	}
	if change != nil {
		change(&options)
	}
	gate, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// rightRequest is one with a token that the vectors accept, at the place that it is for.
func (hub *fakeHub) rightRequest(t *testing.T) (Request, Claims) {
	t.Helper()
	each := hub.vectors.Cases[0]
	claims, _, reason := VerifyToken(each.Token, hub.vectors.expectation(t))
	if reason != "" {
		t.Fatal(reason)
	}
	return Request{
		Method:  http.MethodGet,
		Target:  "/r/" + claims.Repository.UID + "/" + claims.Ref.UID + "/x",
		Headers: []Header{{"Authorization", "Bearer " + each.Token}},
	}, claims
}

func (hub *fakeHub) unknownKeyRequest(t *testing.T, number int) Request {
	request, _ := hub.rightRequest(t)
	for _, each := range hub.vectors.Cases {
		if each.Reason != UnknownKey {
			continue
		}
		// Each with another signature, and so unseen.
		changed := each.Token[:len(each.Token)-4] + fmt.Sprintf("%03d", number%1000) + each.Token[len(each.Token)-1:]
		request.Headers = []Header{{"Authorization", "Bearer " + changed}}
		return request
	}
	t.Fatal("the vectors have no token of an unknown key")
	return request
}

// codeOf is empty for a request that is admitted.
func codeOf(t *testing.T, gate *Gate, request Request) Code {
	t.Helper()
	admitted, refusal := gate.Check(t.Context(), request)
	if (admitted == nil) == (refusal == nil) {
		t.Fatal("a request is admitted or refused")
	}
	if refusal != nil {
		return refusal.Code
	}
	return ""
}
