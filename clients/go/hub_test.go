package verify

import (
	"context"
	"encoding/binary"
	"encoding/json"
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

// fakeHub publishes the keys of the vectors and a list of revocations, over a real connection.
type fakeHub struct {
	url     string
	vectors tokenVectors
	heads   jwk
	// asked counts the questions for keys of tokens.
	asked atomic.Int64
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

func decodedDigest(text string) []byte {
	bytes, _ := decodeSegment(text)
	return bytes
}

func (hub *fakeHub) gate(t *testing.T, change func(*Options)) *Gate {
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

func TestTheHubIsAskedOncePerCooldownWhateverUnknownKeysComeIn(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	number := 0
	for range 30 {
		for range 20 {
			codeOf(t, gate, hub.unknownKeyRequest(t, number))
			number++
		}
		hub.seconds.Add(1)
	}
	if asked := hub.asked.Load(); asked != 3 {
		t.Errorf("asked %d times in 30 seconds", asked)
	}
}

func TestAnUnknownKeyIsRefusedOnceTheHubWasAskedSinceItCame(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	right, _ := hub.rightRequest(t)
	if code := codeOf(t, gate, right); code != "" {
		t.Fatal(code)
	}
	unknown := hub.unknownKeyRequest(t, 1)
	if code := codeOf(t, gate, unknown); code != GateNotReady {
		t.Errorf("%s before the hub was asked again", code)
	}
	hub.seconds.Add(cooldownSeconds)
	if code := codeOf(t, gate, hub.unknownKeyRequest(t, 2)); code != StorageTokenInvalid {
		t.Errorf("%s for one that made the gate ask", code)
	}
	if code := codeOf(t, gate, unknown); code != StorageTokenInvalid {
		t.Errorf("%s after the hub was asked for another", code)
	}
	if code := codeOf(t, gate, hub.unknownKeyRequest(t, 3)); code != GateNotReady {
		t.Errorf("%s for one that came since", code)
	}
	hub.change(func() { hub.isAway = true })
	hub.seconds.Add(cooldownSeconds)
	if code := codeOf(t, gate, hub.unknownKeyRequest(t, 4)); code != GateNotReady {
		t.Errorf("%s while the hub is away", code)
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
	hub.change(func() { hub.isAway = true })
	hub.seconds.Add(longestStaleSeconds)
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
	var published struct{ Keys []json.RawMessage }
	if err := json.Unmarshal([]byte(hub.jwks), &published); err != nil {
		t.Fatal(err)
	}
	hub.change(func() { hub.jwks = `{"keys":[` + string(published.Keys[1]) + `]}` })
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
			asked := elsewhere.asked.Load()
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
			if name == "a redirect" && path == "/.well-known/jwks.json" && elsewhere.asked.Load() != asked {
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

func TestATokenThatTheHubTookBackIsRefusedAndNoOther(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != "" || !gate.Ready() {
		t.Fatal(code)
	}
	admitted, _ := gate.Check(t.Context(), request)
	hub.cut("account", "somebody else")
	gate.Refresh(t.Context())
	if code := codeOf(t, gate, request); code != "" {
		t.Errorf("%s when somebody else is cut off", code)
	}
	hub.cut("account", claims.Subject)
	gate.Refresh(t.Context())
	if _, refusal := gate.Check(t.Context(), request); refusal == nil || refusal.Reason != Revoked {
		t.Errorf("%+v when the account is cut off", refusal)
	}
	if refusal := gate.Judge(admitted.Grant.Revocable); refusal == nil || refusal.Reason != Revoked {
		t.Errorf("%+v for what was signed on its behalf", refusal)
	}
}

func TestNewsThatAreLateAreAskedForByTheRequestItself(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != "" {
		t.Fatal(code)
	}
	hub.cut("account", claims.Subject)
	if code := codeOf(t, gate, request); code != "" {
		t.Errorf("%s within the normal bound", code)
	}
	hub.seconds.Add(defaultPollSeconds + pollPatienceSeconds + 1)
	if code := codeOf(t, gate, request); code != StorageTokenInvalid {
		t.Errorf("%q after the normal bound", code)
	}
}

func TestWithoutNewsForAMinuteRequestsAreRefusedUnlessTheOperatorChoseOtherwise(t *testing.T) {
	for _, admits := range []bool{false, true} {
		hub := newFakeHub(t)
		gate := hub.gate(t, func(options *Options) { options.AdmitWithoutNews = admits })
		request, _ := hub.rightRequest(t)
		if code := codeOf(t, gate, request); code != "" {
			t.Fatal(code)
		}
		hub.change(func() { hub.isAway = true })
		hub.seconds.Add(59)
		if code := codeOf(t, gate, request); code != "" {
			t.Errorf("%s after 59 seconds", code)
		}
		hub.seconds.Add(1)
		if code := codeOf(t, gate, request); (code == "") != admits || gate.Ready() != admits {
			t.Errorf("%q after a minute, admitting is %t", code, admits)
		}
	}
}

func TestWithoutAFirstWordOfTheHubNothingIsAdmitted(t *testing.T) {
	hub := newFakeHub(t)
	hub.change(func() { hub.heads.Kid = strings.Repeat("x", 43) })
	gate := hub.gate(t, func(options *Options) { options.AdmitWithoutNews = true })
	request, _ := hub.rightRequest(t)
	if code := codeOf(t, gate, request); code != GateNotReady {
		t.Errorf("%q", code)
	}
}

func TestAHubThatIsAwayIsToldOnce(t *testing.T) {
	hub := newFakeHub(t)
	hub.change(func() { hub.isAway = true })
	var told atomic.Int64
	gate := hub.gate(t, func(options *Options) { options.OnFailure = func(error) { told.Add(1) } })
	for range 5 {
		gate.judging.source.refresh(t.Context())
	}
	if told.Load() != 1 {
		t.Errorf("told %d times", told.Load())
	}
}

// endless gives bytes for as long as somebody reads.
type endless struct{}

func (endless) Read(into []byte) (int, error) { return len(into), nil }

func TestARequestUnderWayEndsWhenItsTokenIsTakenBack(t *testing.T) {
	for name, transfer := range map[string]func(http.ResponseWriter, *http.Request) error{
		"an upload": func(_ http.ResponseWriter, request *http.Request) error {
			_, err := io.Copy(io.Discard, request.Body)
			return err
		},
		"a download": func(writer http.ResponseWriter, _ *http.Request) error {
			_, err := io.Copy(writer, endless{})
			return err
		},
	} {
		hub := newFakeHub(t)
		gate := hub.gate(t, nil)
		request, claims := hub.rightRequest(t)
		began, ended := make(chan struct{}), make(chan error, 2)
		server := httptest.NewServer(gate.Guard(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			close(began)
			ended <- transfer(writer, request)
			ended <- context.Cause(request.Context())
		})))
		answered := make(chan error, 1)
		go func() {
			sent, _ := http.NewRequest(http.MethodPost, server.URL+request.Target, endless{})
			sent.Header.Set("Authorization", request.Headers[0].Value)
			response, err := http.DefaultClient.Do(sent)
			if err == nil {
				_, err = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
			}
			answered <- err
		}()
		<-began
		hub.cut("repository", claims.Repository.UID)
		gate.Refresh(t.Context())
		if err := <-ended; err == nil {
			t.Errorf("%s goes on", name)
		}
		if cause := <-ended; cause != ErrRevoked {
			t.Errorf("%s: the context ended by %v", name, cause)
		}
		if err := <-answered; err == nil {
			t.Errorf("%s: the part of an answer passes for the whole", name)
		}
		server.Close()
		gate.judging.watched.mutex.Lock()
		if len(gate.judging.watched.all) != 0 {
			t.Errorf("%s that is over is watched", name)
		}
		gate.judging.watched.mutex.Unlock()
	}
}

func TestARequestEndsAlsoWhereItsWriterKnowsNoDeadlines(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	began := make(chan struct{})
	guarded := gate.Guard(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		close(began)
		<-request.Context().Done()
	}))
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		guarded.ServeHTTP(struct{ http.ResponseWriter }{writer}, request)
	}))
	t.Cleanup(server.Close)
	go func() {
		<-began
		hub.cut("repository", claims.Repository.UID)
		gate.Refresh(t.Context())
	}()
	sent, _ := http.NewRequest(http.MethodGet, server.URL+request.Target, nil)
	sent.Header.Set("Authorization", request.Headers[0].Value)
	if response, err := http.DefaultClient.Do(sent); err == nil {
		_ = response.Body.Close()
		t.Errorf("%s for a request that was cut", response.Status)
	}
}

func TestPollingLearnsWithoutAnyRequest(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, func(options *Options) { options.PollSeconds = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		gate.Poll(ctx)
		close(ended)
	}()
	for gate.judging.source.latest() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	cancel()
	<-ended
}

func TestCallersOfOneTimeShareAQuestionThatIsSentAfterTheirCall(t *testing.T) {
	var flight flight
	var runs atomic.Int64
	release := make(chan struct{})
	run := func() {
		runs.Add(1)
		<-release
	}
	first := flight.begin(run)
	second, third := flight.begin(run), flight.begin(run)
	if second == first || third != second {
		t.Error("a question that was sent before the call serves it")
	}
	close(release)
	<-first
	<-second
	if runs.Load() != 2 {
		t.Errorf("%d questions", runs.Load())
	}
}

func TestARequestIsCutOnceAndWithTheAnswerThatEndsIt(t *testing.T) {
	hub := newFakeHub(t)
	gate := hub.gate(t, nil)
	request, claims := hub.rightRequest(t)
	admitted, refusal := gate.Check(t.Context(), request)
	if refusal != nil {
		t.Fatal(refusal.Code)
	}
	var cuts atomic.Int64
	defer gate.judging.watch(admitted.known, func() { cuts.Add(1) })()
	gate.Refresh(t.Context())
	if cuts.Load() != 0 {
		t.Error("cut without a reason")
	}
	hub.cut("token", claims.TokenID)
	for range 3 {
		gate.Refresh(t.Context())
		if cuts.Load() != 1 {
			t.Errorf("cut %d times", cuts.Load())
		}
	}
}

func TestARequestIsCutWithinASecondWhenTheLastWordOfASilentHubIsOver(t *testing.T) {
	var vectors revocationVectors
	readVectors(t, "revocations.json", &vectors)
	synctest.Test(t, func(t *testing.T) {
		hub, source := newVectorHub(t, vectors)
		hub.head = &vectors.Heads[0].Head
		<-source.begin()
		hub.head = nil
		hub.wall += 55
		<-source.begin()
		// The hub was asked in vain a moment ago, so it is not asked again.
		hub.wall += 5
		judge := &revocationJudge{source: source}
		cut := make(chan struct{})
		began := time.Now()
		end := judge.watch(&knownGrant{}, func() { close(cut) })
		<-cut
		end()
		if passed := time.Since(began); passed > sweepInterval {
			t.Errorf("cut after %s", passed)
		}
	})
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
