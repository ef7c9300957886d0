package verify

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// fakeHub publishes the keys of the vectors and a list of revocations, over a real connection.
type fakeHub struct {
	url     string
	vectors tokenVectors
	heads   jwk
	// asked counts the questions for keys of tokens, headsAsked those for heads of revocations.
	asked, headsAsked atomic.Int64
	// seconds is the clock of hub and gate.
	seconds atomic.Int64

	mutex   sync.Mutex
	isAway  bool
	jwks    string
	entries []byte
	seq     int64
}

func newFakeHub(t *testing.T) *fakeHub {
	t.Helper()
	hub := &fakeHub{}
	readVectors(t, "tokens.json", &hub.vectors)
	var revocations struct {
		SigningKeys map[string]jwk `json:"signingKeysOfTheseVectors"`
	}
	readVectors(t, "revocations.json", &revocations)
	hub.heads = revocations.SigningKeys["first"]
	hub.seconds.Store(hub.vectors.Now)
	hub.seq = hub.vectors.Now * 1000
	hub.jwks = string(hub.vectors.JWKS)
	server := httptest.NewServer(hub.handler(t))
	t.Cleanup(server.Close)
	hub.url = server.URL
	return hub
}

func (hub *fakeHub) handler(t *testing.T) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/jwks.json", func(writer http.ResponseWriter, _ *http.Request) {
		hub.asked.Add(1)
		_, _ = io.WriteString(writer, hub.jwks)
	})
	mux.HandleFunc("/.well-known/storage-revocation-keys", func(writer http.ResponseWriter, _ *http.Request) {
		public := fmt.Sprintf(`{"alg":%q,"crv":%q,"kty":%q,"kid":%q,"x":%q,"y":%q}`,
			hub.heads.Alg, hub.heads.Crv, hub.heads.Kty, hub.heads.Kid, hub.heads.X, hub.heads.Y)
		_, _ = io.WriteString(writer, `{"keys":[`+public+`]}`)
	})
	mux.HandleFunc("/.well-known/storage-revocations", func(writer http.ResponseWriter, _ *http.Request) {
		hub.headsAsked.Add(1)
		now := hub.seconds.Load()
		_, _ = io.WriteString(writer, hub.heads.sign(t, hub.heads.header(headType), fmt.Sprintf(
			`{"iss":%q,"seq":%d,"list":%q,"iat":%d,"exp":%d}`, hub.vectors.Issuer, hub.seq, digestOf(string(hub.entries)), now, now+60)))
	})
	mux.HandleFunc("/.well-known/storage-revocations/{hash}", func(writer http.ResponseWriter, _ *http.Request) {
		_, _ = writer.Write(hub.entries)
	})
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		hub.mutex.Lock()
		defer hub.mutex.Unlock()
		if hub.isAway {
			writer.WriteHeader(http.StatusInternalServerError)
			return
		}
		mux.ServeHTTP(writer, request)
	})
}

func (hub *fakeHub) change(change func()) {
	hub.mutex.Lock()
	defer hub.mutex.Unlock()
	change()
}

// cut takes back everything that names a thing, for ever.
func (hub *fakeHub) cut(kind, id string) {
	hub.change(func() {
		hash := decodedDigest(digestOf(kind + ":" + id))
		hub.entries = binary.BigEndian.AppendUint64(hash, forEver)
		hub.seq++
	})
}

// jwksWithout leaves out the key of the right request.
func (hub *fakeHub) jwksWithout(t *testing.T) string {
	t.Helper()
	var published struct{ Keys []json.RawMessage }
	if err := json.Unmarshal([]byte(hub.jwks), &published); err != nil {
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
