package verify

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// publishedMoment is what a hub publishes at one time, and the verdicts of then.
type publishedMoment struct {
	Name      string
	At        int64
	Documents *struct {
		JWKS           json.RawMessage
		RevocationKeys json.RawMessage
		Head           string
		List           string
	}
	Tokens map[string]string
}

func (moment *publishedMoment) body(path string) []byte {
	if moment.Documents == nil {
		return nil
	}
	switch path {
	case "/.well-known/jwks.json":
		return moment.Documents.JWKS
	case "/.well-known/storage-revocation-keys":
		return moment.Documents.RevocationKeys
	case revocationsPath:
		return []byte(moment.Documents.Head)
	}
	list, _ := base64.StdEncoding.DecodeString(moment.Documents.List)
	return append([]byte{}, list...)
}

func TestAtEachMomentOneGateAdmitsTheTokensThatTheVectorsName(t *testing.T) {
	var vectors struct {
		Issuer, CasURL, Prefix string
		Now                    int64
		LeewaySeconds          int
		Tokens                 map[string]string
		Moments                []publishedMoment
	}
	readVectors(t, "published.json", &vectors)
	if len(vectors.Moments) < 10 {
		t.Fatalf("only %d moments", len(vectors.Moments))
	}
	var mutex sync.Mutex
	moment := &vectors.Moments[0]
	current := func() *publishedMoment {
		mutex.Lock()
		defer mutex.Unlock()
		return moment
	}
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body := current().body(request.URL.Path)
		if body == nil {
			writer.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = writer.Write(body)
	}))
	t.Cleanup(server.Close)
	gate, err := New(Options{
		HubURL:        server.URL,
		Issuer:        vectors.Issuer,
		CasURL:        vectors.CasURL,
		LeewaySeconds: vectors.LeewaySeconds,
		Clock:         func() int64 { return vectors.Now + current().At },
		OnFailure:     func(error) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	// It asks when this test says so.
	gate.Close()
	for index := range vectors.Moments {
		mutex.Lock()
		moment = &vectors.Moments[index]
		mutex.Unlock()
		gate.Refresh(context.Background())
		for name, owed := range current().Tokens {
			_, refusal := gate.Check(context.Background(), Request{
				Method:  http.MethodGet,
				Target:  vectors.Prefix + "/v1/chunks/abc",
				Headers: []Header{{"Authorization", "Bearer " + vectors.Tokens[name]}},
			})
			verdict := "admitted"
			if refusal != nil {
				verdict = string(refusal.Code)
			}
			if verdict != owed {
				t.Errorf("%s, %s: %s, expected %s", current().Name, name, verdict, owed)
			}
		}
	}
}
