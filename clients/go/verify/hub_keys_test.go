package verify

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// movingGate waits by moving the clock.
func (hub *fakeHub) movingGate(t *testing.T) *Gate {
	gate := hub.gate(t, nil)
	gate.keys.(*hubKeys).wait = func(duration time.Duration) { hub.seconds.Add(int64(duration / time.Second)) }
	return gate
}

func TestTheHubIsAskedOnceASecondWhateverUnknownKeysComeIn(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.movingGate(t)
	began := hub.seconds.Load()
	for range 3 {
		var all sync.WaitGroup
		for number := range 200 {
			request := hub.unknownKeyRequest(t, number)
			all.Go(func() { gate.Check(context.Background(), request) })
		}
		all.Wait()
	}
	// The look for the first keys, and those for unknown ones.
	if asked, seconds := hub.KeysAsked.Load(), hub.seconds.Load()-began; asked > 2+seconds {
		t.Errorf("asked %d times in %d seconds", asked, seconds)
	}
}

func TestAnUnknownKeyIsRefusedOnceTheHubWasAskedSinceItCame(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.movingGate(t)
	right, _ := hub.rightRequest(t)
	if code := codeOf(t, gate, right); code != "" {
		t.Fatal(code)
	}
	for number := range 3 {
		if code := codeOf(t, gate, hub.unknownKeyRequest(t, number)); code != StorageTokenInvalid {
			t.Errorf("%s for unknown key %d", code, number)
		}
		if asked := hub.KeysAsked.Load(); asked != int64(2+number) {
			t.Errorf("asked %d times for unknown key %d", asked, number)
		}
	}
	hub.Change(func() { hub.IsAway = true })
	if code := codeOf(t, gate, hub.unknownKeyRequest(t, 4)); code != GateNotReady {
		t.Errorf("%s while the hub is away", code)
	}
}

func TestANewKeyIsFoundByItsFirstTokenThoughUnknownKeysCameJustBefore(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.movingGate(t)
	request, _ := hub.rightRequest(t)
	all := hub.TokenKeys
	withoutIts := hub.jwksWithout(t)
	for range 2 {
		hub.Change(func() { hub.TokenKeys = withoutIts })
		codeOf(t, gate, hub.unknownKeyRequest(t, 0))
		codeOf(t, gate, hub.unknownKeyRequest(t, 1))
		hub.Change(func() { hub.TokenKeys = all })
		if code := codeOf(t, gate, request); code != "" {
			t.Errorf("%s for the first token of a new key", code)
		}
	}
}

func TestAPollThatLearnsOfACompromisedKeyFetchesItsSuccessor(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.movingGate(t)
	gate.Refresh(t.Context())
	for kid := range gate.keys.known().keys {
		hub.cut("key", kid)
		break
	}
	source, asked := gate.keys.(*hubKeys), hub.KeysAsked.Load()
	gate.revocations.source.refresh(t.Context())
	source.mutex.Lock()
	trying := source.trying
	source.mutex.Unlock()
	if trying != nil {
		<-trying.done
	}
	if hub.KeysAsked.Load() != asked+1 {
		t.Error("no look for the successor")
	}
}

func TestATokenThatWasSeenBeforeExpires(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	hub.seconds.Store(claims.ExpiresAt + 29)
	if code := codeOf(t, gate, request); code != "" {
		t.Fatal(code)
	}
	hub.seconds.Add(1)
	if _, refusal := gate.Check(t.Context(), request); refusal == nil || refusal.Reason != Expired {
		t.Errorf("%+v after the leeway", refusal)
	}
}

func TestKeysServeForADayWhileTheHubIsAwayAndNoLonger(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, _ := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != "" {
		t.Fatal(code)
	}
	hub.Change(func() { hub.IsAway = true })
	hub.seconds.Add(maxStaleSeconds)
	if gate.keys.known() == nil {
		t.Error("the keys are gone within the day")
	}
	hub.seconds.Add(1)
	if gate.keys.known() != nil {
		t.Error("the keys serve for longer than a day")
	}
	if code := codeOf(t, gate, request); code != GateNotReady {
		t.Errorf("%s without keys", code)
	}
}

func TestAKeyThatIsNotPublishedAnyMoreTakesItsTokensWithIt(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, _ := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != "" {
		t.Fatal(code)
	}
	withoutIts := hub.jwksWithout(t)
	hub.Change(func() { hub.TokenKeys = withoutIts })
	hub.seconds.Add(freshSeconds)
	gate.Refresh(t.Context())
	if code := codeOf(t, gate, request); code != StorageTokenInvalid {
		t.Errorf("%q with a withdrawn key", code)
	}
}

func TestDocumentsAreTakenFromNowhereElseAndWholeAndWithinBounds(t *testing.T) {
	elsewhere := newFakeHub(t)
	get := func(path string) string {
		response, err := http.Get(elsewhere.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	answer := func(text func(path string) string) http.HandlerFunc {
		return func(writer http.ResponseWriter, request *http.Request) {
			_, _ = io.WriteString(writer, text(request.URL.Path))
		}
	}
	wrong := map[string]http.HandlerFunc{
		"a redirect": func(writer http.ResponseWriter, request *http.Request) {
			http.Redirect(writer, request, elsewhere.url+request.URL.Path, http.StatusTemporaryRedirect)
		},
		"an error with the document": func(writer http.ResponseWriter, request *http.Request) {
			writer.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(writer, get(request.URL.Path))
		},
		"a part": func(writer http.ResponseWriter, request *http.Request) {
			document := get(request.URL.Path)
			writer.Header().Set("Content-Length", fmt.Sprint(len(document)+1))
			_, _ = io.WriteString(writer, document)
		},
		"too much":       answer(func(path string) string { return get(path) + strings.Repeat(" ", 4<<20) }),
		"something else": answer(func(path string) string { return get(path) + "}" }),
		"no key of ours": answer(func(string) string { return `{"keys":[]}` }),
		"no UTF-8": answer(func(path string) string {
			return strings.Replace(get(path), `"use":"sig"`, "\"use\":\"\xff\"", 1) + "\x00"
		}),
		"nothing":      answer(func(string) string { return "" }),
		"another list": answer(func(string) string { return strings.Repeat("x", hashBytes) + strings.Repeat("\x00", 8) }),
	}
	for _, path := range []string{
		"/.well-known/jwks.json", "/.well-known/storage-revocation-keys", "/.well-known/storage-revocations", "/.well-known/storage-revocations/",
	} {
		for name, handler := range wrong {
			asked := elsewhere.KeysAsked.Load()
			server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				if request.URL.Path == path || strings.HasSuffix(path, "/") && strings.HasPrefix(request.URL.Path, path) {
					handler(writer, request)
				} else {
					_, _ = io.WriteString(writer, get(request.URL.Path))
				}
			}))
			var told atomic.Int64
			gate := elsewhere.gate(t, func(options *Options) {
				options.HubURL = server.URL
				options.OnFailure = func(error) { told.Add(1) }
			})
			request, _ := elsewhere.rightRequest(t)
			isHarmless := strings.HasSuffix(path, "/") && name == "nothing"
			if code := codeOf(t, gate, request); (code == GateNotReady) == isHarmless || gate.Ready() != isHarmless || (told.Load() == 0) != isHarmless {
				t.Errorf("%s at %s: %q, told %d times", name, path, code, told.Load())
			}
			server.Close()
			if name == "a redirect" && path == "/.well-known/jwks.json" && elsewhere.KeysAsked.Load() != asked {
				t.Error("a redirect was followed")
			}
		}
	}
}

func TestWhatIsNoKeyIsLeftOutAndItsNeighboursAreKept(t *testing.T) {
	var vectors tokenVectors
	readVectors(t, "tokens.json", &vectors)
	key := vectors.SigningKeys["ES256"]
	other := vectors.SigningKeys["EdDSA"]
	thumbprint := func(x, y string) string {
		return digestOf(fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, x, y))
	}
	ec := func(alg, crv, kid, x, y, more string) string {
		return fmt.Sprintf(`{"kty":"EC","alg":%q,"crv":%q,"kid":%q,"x":%q,"y":%q%s}`, alg, crv, kid, x, y, more)
	}
	good := ec("ES256", "P-256", key.Kid, key.X, key.Y, "")
	for name, bad := range map[string]string{
		"null":                   `null`,
		"a number":               `7`,
		"a list":                 `[]`,
		"nothing":                `{}`,
		"another thumbprint":     ec("ES256", "P-256", other.Kid, key.X, key.Y, ""),
		"a private key":          ec("ES256", "P-256", key.Kid, key.X, key.Y, `,"d":null`),
		"another algorithm":      ec("EdDSA", "P-256", key.Kid, key.X, key.Y, ""),
		"another curve":          ec("ES256", "P-384", key.Kid, key.X, key.Y, ""),
		"not on the curve":       ec("ES256", "P-256", thumbprint(key.X, key.X), key.X, key.X, ""),
		"a coordinate too short": ec("ES256", "P-256", thumbprint(key.X[1:], key.Y), key.X[1:], key.Y, ""),
		"names in another case":  strings.ReplaceAll(good, `"kid"`, `"KID"`),
		"a symmetric key":        `{"kty":"oct","alg":"HS256","k":"AA"}`,
		"an Ed25519 too short":   `{"kty":"OKP","alg":"EdDSA","crv":"Ed25519","kid":"` + digestOf(`{"crv":"Ed25519","kty":"OKP","x":"AA"}`) + `","x":"AA"}`,
		"a huge number":          `{"n":1e999}`,
	} {
		alone := keySet(t, []byte(`{"keys":[`+bad+`]}`))
		if len(alone.keys) != 0 {
			t.Errorf("%s is a key", name)
		}
		both := keySet(t, []byte("\ufeff"+`{"keys":[`+bad+`,`+good+`]}`))
		if len(both.keys) != 1 || !both.has(key.Kid) {
			t.Errorf("%s hides its neighbour", name)
		}
	}
}

func TestKeysThatWereAskedForBeforeATokenCameProveNothingAboutIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		source := &hubKeys{
			clock:     func() int64 { return 0 },
			onFailure: func(error) {},
			fetch: func(context.Context) (*KeySet, error) {
				<-answer
				return &KeySet{}, nil
			},
		}
		refresh := func(ctx context.Context) <-chan bool {
			confirmed := make(chan bool, 1)
			go func() { confirmed <- source.refresh(ctx) }()
			synctest.Wait()
			return confirmed
		}
		first, second := refresh(t.Context()), refresh(t.Context())
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if <-refresh(gone) {
			t.Error("whoever does not wait learns nothing")
		}
		close(answer)
		if !<-first || <-second || source.known() == nil {
			t.Error("the question counts for another call than its own")
		}
	})
}

func TestANewKeyIsFoundByEveryTokenThatCameDuringALookWhichBeganBeforeIt(t *testing.T) {
	var vectors tokenVectors
	readVectors(t, "tokens.json", &vectors)
	expected := vectors.expectation(t)
	synctest.Test(t, func(t *testing.T) {
		now, looks := expected.Now-freshSeconds, 0
		answer := make(chan struct{})
		source := &hubKeys{
			clock:     func() int64 { return now },
			onFailure: func(error) {},
			fetch: func(context.Context) (*KeySet, error) {
				if looks++; looks == 2 {
					<-answer
				}
				if looks >= 3 {
					return expected.Keys, nil
				}
				return &KeySet{}, nil
			},
		}
		source.refresh(t.Context())
		now = expected.Now
		source.known()
		verifier := &bearerVerifier{
			keys: source, issuer: expected.Issuer, audience: expected.Audience, clock: source.clock,
			seen: newRecent[*knownGrant](maxSeen),
		}
		codes := make(chan Code, 5)
		for range cap(codes) {
			go func() {
				_, refusal := verifier.verify(t.Context(), []string{"Bearer " + vectors.Cases[0].Token})
				if refusal == nil {
					refusal = &Refusal{}
				}
				codes <- refusal.Code
			}()
		}
		synctest.Wait()
		close(answer)
		for range cap(codes) {
			if code := <-codes; code != "" {
				t.Errorf("%s for a new key", code)
			}
		}
		// A token that is still being verified when the third look ends begins a fourth.
		if looks < 3 || looks > 4 {
			t.Errorf("%d looks for keys", looks)
		}
	})
}
