package latchkeytest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"latchkey/latchkeytest"
	"latchkey/verify"
)

const (
	bert = "models/acme/bert"
	gpt  = "models/acme/gpt"
)

// storage keeps the newest bytes of each row, in a map.
type storage struct {
	hub     *latchkeytest.Hub
	gate    *verify.Gate
	handler http.Handler
	mutex   sync.Mutex
	rows    []row
}

type row struct {
	verify.Row
	content string
}

func newStorage(t *testing.T, options latchkeytest.HubOptions) *storage {
	t.Helper()
	hub := latchkeytest.NewHub(t, options)
	return storageOf(t, hub, hub.Options())
}

func storageOf(t *testing.T, hub *latchkeytest.Hub, options verify.Options) *storage {
	t.Helper()
	gate, err := verify.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gate.Close)
	made := &storage{hub: hub, gate: gate}
	made.handler = gate.Guard(http.HandlerFunc(made.serve))
	return made
}

func (storage *storage) serve(writer http.ResponseWriter, request *http.Request) {
	storage.mutex.Lock()
	defer storage.mutex.Unlock()
	grant := verify.AdmittedBy(request).Grant
	if request.Method == http.MethodPut {
		content, _ := io.ReadAll(request.Body)
		storage.rows = append(storage.rows, row{verify.RowFor(grant, storage.hub.Clock.Now()), string(content)})
		return
	}
	for _, each := range storage.rows {
		if verify.Visible(grant, each.Row) {
			_, _ = io.WriteString(writer, each.content+" ")
		}
	}
}

// send gives the body of a 200, and the code of anything else.
func (storage *storage) send(t *testing.T, method, repository, ref, token, body string) string {
	t.Helper()
	path := storage.hub.Path(repository, ref) + "/files"
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		request = httptest.NewRequest(method, path, nil)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	storage.handler.ServeHTTP(recorder, request)
	if recorder.Code == http.StatusOK {
		return recorder.Body.String()
	}
	var problem struct{ Code string }
	if err := json.Unmarshal(recorder.Body.Bytes(), &problem); err != nil {
		t.Fatal(err)
	}
	return problem.Code
}

func (storage *storage) read(t *testing.T, token latchkeytest.Token) string {
	t.Helper()
	repository, ref := token.Repository, token.Ref
	if repository == "" {
		repository = bert
	}
	if ref == "" {
		ref = "main"
	}
	return storage.send(t, http.MethodGet, repository, ref, storage.hub.Token(token), "")
}

func (storage *storage) write(t *testing.T, token latchkeytest.Token, body string) {
	t.Helper()
	token.Scope = verify.Write
	ref := token.Ref
	if ref == "" {
		ref = "main"
	}
	if code := storage.send(t, http.MethodPut, bert, ref, storage.hub.Token(token), body); code != "" {
		t.Fatalf("the write of %s is answered with %s", body, code)
	}
}

func expect(t *testing.T, what, found, owed string) {
	t.Helper()
	if found != owed {
		t.Errorf("%s: %q, expected %q", what, found, owed)
	}
}

func TestATokenOpensItsScopeRepositoryAndRefOnly(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{})
	storage.write(t, latchkeytest.Token{}, "old")
	expect(t, "its own", storage.read(t, latchkeytest.Token{}), "old ")
	expect(t, "a read token that writes", storage.send(t, http.MethodPut, bert, "main", storage.hub.Token(latchkeytest.Token{}), "x"), "insufficient_scope")
	other, dev := storage.hub.Token(latchkeytest.Token{Repository: gpt}), storage.hub.Token(latchkeytest.Token{Ref: "dev"})
	expect(t, "another repository", storage.send(t, http.MethodGet, bert, "main", other, ""), "repository_mismatch")
	expect(t, "another ref", storage.send(t, http.MethodGet, bert, "main", dev, ""), "ref_mismatch")
	for _, ref := range []string{"dev", "refs/tags/v1", "refs/pr/1", strings.Repeat("a", 40), strings.Repeat("b", 64), "ä\"<&>\\"} {
		expect(t, ref, storage.read(t, latchkeytest.Token{Ref: ref}), "")
	}
	expect(t, "the full name", storage.read(t, latchkeytest.Token{Ref: "refs/heads/main"}), "old ")
}

func TestTheGrantSaysWhatTheTokenWasAskedFor(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{Now: time.Unix(1_800_000_000, 0)})
	seen := make(chan verify.Grant, 1)
	storage.handler = storage.gate.Guard(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		seen <- verify.AdmittedBy(request).Grant
	}))
	storage.read(t, latchkeytest.Token{
		Ref: strings.Repeat("a", 40), Inherited: []string{"main"}, ExpiresIn: time.Minute, Account: "grace", HubToken: "ci",
	})
	grant := <-seen
	expect(t, "the account", grant.Subject+" "+grant.HubToken, "grace ci")
	expect(t, "the place", grant.Repository+"@"+grant.Ref+" "+grant.Commit, bert+"@"+strings.Repeat("a", 40)+" "+strings.Repeat("a", 40))
	if len(grant.Sees) != 1 || grant.Sees[0].Before > grant.AsOf || grant.ExpiresAt != 1_800_000_060 || grant.IssuedAt != 1_800_000_000 {
		t.Errorf("%+v", grant)
	}
}

func TestAForkSeesWhatWasWrittenBeforeItAndNothingElse(t *testing.T) {
	for name, now := range map[string]time.Time{"the system's clock": {}, "a clock that stands": time.Unix(1_800_000_000, 0)} {
		t.Run(name, func(t *testing.T) {
			storage := newStorage(t, latchkeytest.HubOptions{Now: now})
			fork := latchkeytest.Token{Ref: "fork", Inherited: []string{"main"}}
			storage.write(t, latchkeytest.Token{}, "old")
			storage.hub.Token(fork)
			storage.write(t, latchkeytest.Token{}, "new")
			storage.write(t, fork, "its own")
			expect(t, "the fork", storage.read(t, fork), "old its own ")
			storage.hub.Clock.Advance(time.Hour)
			expect(t, "the fork an hour later", storage.read(t, fork), "old its own ")
			expect(t, "the fork without the inherited ref", storage.read(t, latchkeytest.Token{Ref: "fork"}), "its own ")
			expect(t, "the origin", storage.read(t, latchkeytest.Token{}), "old new ")
		})
	}
}

func TestARevocationIsEffectiveAtOnceAndLaterTokensAreGood(t *testing.T) {
	for name, each := range map[string]struct {
		revocation latchkeytest.Revocation
		isForEver  bool
	}{
		"hub token":           {latchkeytest.Revocation{HubToken: "ada-laptop"}, true},
		"account":             {latchkeytest.Revocation{Account: "ada"}, false},
		"account, repository": {latchkeytest.Revocation{Account: "ada", Repository: bert}, false},
		"account, namespace":  {latchkeytest.Revocation{Account: "ada", Namespace: "acme"}, false},
		"repository":          {latchkeytest.Revocation{Repository: bert}, false},
		"ref":                 {latchkeytest.Revocation{Repository: bert, Ref: "main"}, false},
		"all":                 {latchkeytest.Revocation{All: true}, false},
	} {
		storage := newStorage(t, latchkeytest.HubOptions{})
		token := storage.hub.Token(latchkeytest.Token{})
		expect(t, name+": before", storage.send(t, http.MethodGet, bert, "main", token, ""), "")
		storage.hub.Revoke(each.revocation)
		expect(t, name+": after", storage.send(t, http.MethodGet, bert, "main", token, ""), "storage_token_invalid")
		later := ""
		if each.isForEver {
			later = "storage_token_invalid"
		}
		expect(t, name+": a later token", storage.read(t, latchkeytest.Token{}), later)
		expect(t, name+": somebody else", storage.read(t, latchkeytest.Token{Account: "grace", HubToken: "grace-laptop"}), "")
	}
	storage := newStorage(t, latchkeytest.HubOptions{})
	token, neighbour := storage.hub.Token(latchkeytest.Token{}), storage.hub.Token(latchkeytest.Token{})
	storage.hub.Revoke(latchkeytest.Revocation{Token: token})
	expect(t, "the token", storage.send(t, http.MethodGet, bert, "main", token, ""), "storage_token_invalid")
	expect(t, "another token", storage.send(t, http.MethodGet, bert, "main", neighbour, ""), "")
}

func TestARequestUnderWayEndsWhenItsTokenIsRevoked(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{})
	began, cause := make(chan struct{}), make(chan error, 1)
	server := httptest.NewServer(storage.gate.Guard(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		close(began)
		<-request.Context().Done()
		cause <- request.Context().Err()
	})))
	defer server.Close()
	request, _ := http.NewRequest(http.MethodGet, server.URL+storage.hub.Path(bert, "main")+"/files", nil)
	request.Header.Set("Authorization", "Bearer "+storage.hub.Token(latchkeytest.Token{}))
	failed := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request)
		failed <- err
	}()
	<-began
	storage.hub.Revoke(latchkeytest.Revocation{Account: "ada"})
	if <-cause == nil || <-failed == nil {
		t.Error("the request goes on")
	}
}

func TestWhatIsMadeAgainUnderAnOldNameIsSomethingElse(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{})
	fork := latchkeytest.Token{Ref: "fork", Inherited: []string{"main"}}
	storage.write(t, latchkeytest.Token{}, "old")
	token, path := storage.hub.Token(latchkeytest.Token{}), storage.hub.Path(bert, "main")
	storage.hub.DeleteRef(bert, "main")
	expect(t, "a new fork of the new ref", storage.read(t, fork), "")
	if storage.hub.Path(bert, "main") == path {
		t.Error("the ref has its old uid")
	}
	storage.write(t, latchkeytest.Token{}, "new")
	expect(t, "the new ref", storage.read(t, latchkeytest.Token{}), "new ")
	expect(t, "the old token", storage.send(t, http.MethodGet, bert, "main", token, ""), "storage_token_invalid")
	storage.hub.DeleteRepository(bert)
	expect(t, "the new repository", storage.read(t, latchkeytest.Token{}), "")
}

func TestEveryFlawIsRefused(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{})
	for _, flaw := range latchkeytest.Flaws {
		expect(t, string(flaw), storage.read(t, latchkeytest.Token{Flaw: flaw}), "storage_token_invalid")
	}
	expect(t, "none", storage.read(t, latchkeytest.Token{}), "")
}

func TestATokenEndsByTheClockOfTheHub(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{Now: time.Unix(1_800_000_000, 0)})
	token := storage.hub.Token(latchkeytest.Token{ExpiresIn: time.Minute})
	storage.hub.Clock.Advance(60*time.Second + 29*time.Second)
	expect(t, "within the leeway", storage.send(t, http.MethodGet, bert, "main", token, ""), "")
	storage.hub.Clock.Advance(time.Second)
	expect(t, "after it", storage.send(t, http.MethodGet, bert, "main", token, ""), "storage_token_invalid")
}

func TestAKeyIsRotatedAndRevoked(t *testing.T) {
	storage := newStorage(t, latchkeytest.HubOptions{})
	token := storage.hub.Token(latchkeytest.Token{})
	for range 3 {
		storage.hub.RotateKey()
		expect(t, "a token of the new key", storage.read(t, latchkeytest.Token{}), "")
		expect(t, "a token of the old key", storage.send(t, http.MethodGet, bert, "main", token, ""), "")
	}
	storage.hub.RevokeKey()
	expect(t, "a token of a revoked key", storage.send(t, http.MethodGet, bert, "main", token, ""), "storage_token_invalid")
	expect(t, "a token of the key after it", storage.read(t, latchkeytest.Token{}), "")
}

func TestAListThatIsWithheldIsStaleAtOnce(t *testing.T) {
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	allowing := hub.Options()
	allowing.WhenStale = verify.Allow
	strict, lenient := storageOf(t, hub, hub.Options()), storageOf(t, hub, allowing)
	for _, storage := range []*storage{strict, lenient} {
		expect(t, "before", storage.read(t, latchkeytest.Token{}), "")
	}
	hub.WithholdRevocations()
	expect(t, "rejecting", strict.read(t, latchkeytest.Token{}), "gate_not_ready")
	expect(t, "allowing", lenient.read(t, latchkeytest.Token{}), "")
	hub.RestoreRevocations()
	expect(t, "afterwards", strict.read(t, latchkeytest.Token{}), "")
}

func TestAVerifierInAnotherProcessHearsTheHubOverHTTP(t *testing.T) {
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	options := hub.Options()
	options.Transport = nil
	storage := storageOf(t, hub, options)
	expect(t, "over HTTP", storage.read(t, latchkeytest.Token{}), "")
	if _, err := http.Get(hub.URL + "/.well-known/jwks.json"); err != nil {
		t.Error(err)
	}
}

func TestTheCasURLIsThatOfTheStorage(t *testing.T) {
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{CasURL: "http://127.0.0.1:8081/cas/{repo}/{ref}"})
	url := hub.CasURL(bert, "main")
	if !strings.HasPrefix(url, "http://127.0.0.1:8081/cas/") || url != hub.CasURL(bert, "refs/heads/main") || !strings.HasSuffix(url, hub.Path(bert, "main")) {
		t.Error(url)
	}
	plain := latchkeytest.NewHub(t, latchkeytest.HubOptions{CasURL: "https://cas.example"})
	expect(t, "a URL without a path", plain.Path(bert, "main"), "")
}

// failing takes what a kit says about a mistake of a test.
type failing struct {
	*testing.T
	message string
}

func (t *failing) Fatalf(format string, args ...any) {
	t.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestAMistakeOfATestIsTold(t *testing.T) {
	for owed, mistake := range map[string]func(*latchkeytest.Hub){
		`"models/acme" is not allowed`: func(hub *latchkeytest.Hub) { hub.Token(latchkeytest.Token{Repository: "models/acme"}) },
		`ref "\n" is not allowed`:      func(hub *latchkeytest.Hub) { hub.Path(bert, "\n") },
		`scope "admin"`:                func(hub *latchkeytest.Hub) { hub.Token(latchkeytest.Token{Scope: "admin"}) },
		`ExpiresIn is -1s`:             func(hub *latchkeytest.Hub) { hub.Token(latchkeytest.Token{ExpiresIn: -time.Second}) },
		`flaw "ugly"`:                  func(hub *latchkeytest.Hub) { hub.Token(latchkeytest.Token{Flaw: "ugly"}) },
		`at most 8`:                    func(hub *latchkeytest.Hub) { hub.Token(latchkeytest.Token{Inherited: make([]string, 9)}) },
		`do not go together`:           func(hub *latchkeytest.Hub) { hub.Revoke(latchkeytest.Revocation{Account: "ada", All: true}) },
		`or are empty`:                 func(hub *latchkeytest.Hub) { hub.Revoke(latchkeytest.Revocation{}) },
		`knows no repository "x"`:      func(hub *latchkeytest.Hub) { hub.Revoke(latchkeytest.Revocation{Repository: "x"}) },
		`knows no ref "dev"`: func(hub *latchkeytest.Hub) {
			hub.Token(latchkeytest.Token{})
			hub.DeleteRef(bert, "dev")
		},
		`no token of this hub`: func(hub *latchkeytest.Hub) { hub.Revoke(latchkeytest.Revocation{Token: "a.b.c"}) },
	} {
		failing := &failing{T: t}
		hub, done := latchkeytest.NewHub(failing, latchkeytest.HubOptions{}), make(chan struct{})
		go func() {
			defer close(done)
			mistake(hub)
		}()
		<-done
		if !strings.Contains(failing.message, owed) {
			t.Errorf("%q, expected %q", failing.message, owed)
		}
	}
}
