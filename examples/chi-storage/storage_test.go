package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"latchkey/latchkeytest"
	"latchkey/verify"
)

const (
	bert   = "models/acme/bert"
	absent = "404"
)

type world struct {
	*latchkeytest.Hub
	t       *testing.T
	handler http.Handler
}

func newWorld(t *testing.T) world {
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	gate, err := verify.New(hub.Options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gate.Close)
	return world{hub, t, storage(gate)}
}

// send gives the status, and the code or the content of the response.
func (world world) send(method, path, token, body string) string {
	world.t.Helper()
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	if body == "" {
		request = httptest.NewRequest(method, path, nil)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	recorder := httptest.NewRecorder()
	world.handler.ServeHTTP(recorder, request)
	content := strings.TrimSpace(recorder.Body.String())
	var problem struct{ Code string }
	switch {
	case recorder.Code == http.StatusNotFound:
		return absent
	case recorder.Code >= http.StatusBadRequest && json.Unmarshal([]byte(content), &problem) == nil:
		content = problem.Code
	}
	return strings.TrimSpace(http.StatusText(recorder.Code) + " " + content)
}

// get reads a file, or lists all of them if name is empty.
func (world world) get(name string, token latchkeytest.Token) string {
	world.t.Helper()
	repository, ref := token.Repository, token.Ref
	if repository == "" {
		repository = bert
	}
	if ref == "" {
		ref = "main"
	}
	return world.send(http.MethodGet, world.Path(repository, ref)+"/files"+name, world.Token(token), "")
}

func (world world) put(name, content string, token latchkeytest.Token) {
	world.t.Helper()
	token.Scope = verify.Write
	ref := "main"
	if token.Ref != "" {
		ref = token.Ref
	}
	world.expect("Created", world.send(http.MethodPut, world.Path(bert, ref)+"/files"+name, world.Token(token), content))
}

func (world world) expect(expected, found string) {
	world.t.Helper()
	if found != expected {
		world.t.Errorf("%q, expected %q", found, expected)
	}
}

const (
	empty   = "OK []"
	invalid = "Unauthorized storage_token_invalid"
)

func TestAWriteTokenStoresAFileAndAReadTokenReadsAndListsIt(t *testing.T) {
	world := newWorld(t)
	world.expect(empty, world.get("", latchkeytest.Token{}))
	world.put("/a", "one", latchkeytest.Token{})
	world.expect("OK one", world.get("/a", latchkeytest.Token{}))
	world.expect(`OK ["a"]`, world.get("", latchkeytest.Token{}))
	world.put("/a", "two", latchkeytest.Token{})
	world.expect("OK two", world.get("/a", latchkeytest.Token{}))
}

func TestARequestWithoutATokenIsRefused(t *testing.T) {
	world := newWorld(t)
	path := world.Path(bert, "main") + "/files/a"
	world.expect("Unauthorized storage_token_missing", world.send(http.MethodGet, path, "", ""))
}

func TestAReadTokenCannotWriteAndAWriteTokenCanRead(t *testing.T) {
	world := newWorld(t)
	path := world.Path(bert, "main") + "/files/a"
	world.expect("Forbidden insufficient_scope", world.send(http.MethodPut, path, world.Token(latchkeytest.Token{}), "one"))
	world.put("/a", "one", latchkeytest.Token{})
	world.expect("OK one", world.get("/a", latchkeytest.Token{Scope: verify.Write}))
}

func TestATokenOfAnotherRepositoryIsRefusedAndSeesNothing(t *testing.T) {
	world := newWorld(t)
	world.put("/a", "one", latchkeytest.Token{})
	other := latchkeytest.Token{Repository: "models/acme/gpt"}
	path := world.Path(bert, "main") + "/files/a"
	world.expect("Forbidden repository_mismatch", world.send(http.MethodGet, path, world.Token(other), ""))
	world.expect(absent, world.get("/a", other))
	world.expect(empty, world.get("", other))
}

func TestATokenOfAnotherRefIsRefusedAndSeesNothing(t *testing.T) {
	world := newWorld(t)
	world.put("/a", "one", latchkeytest.Token{})
	other := latchkeytest.Token{Ref: "dev"}
	path := world.Path(bert, "main") + "/files/a"
	world.expect("Forbidden ref_mismatch", world.send(http.MethodGet, path, world.Token(other), ""))
	world.expect(absent, world.get("/a", other))
	world.expect(empty, world.get("", other))
}

func TestAForkSeesWhatWasWrittenBeforeItAndNothingElse(t *testing.T) {
	world := newWorld(t)
	world.put("/old", "one", latchkeytest.Token{})
	fork := latchkeytest.Token{Ref: "fork", Inherited: []string{"main"}}
	world.Token(fork)
	world.put("/new", "two", latchkeytest.Token{})
	world.put("/old", "three", latchkeytest.Token{})
	world.expect("OK one", world.get("/old", fork))
	world.expect(absent, world.get("/new", fork))
	world.expect(`OK ["old"]`, world.get("", fork))
	world.put("/of-fork", "four", fork)
	world.expect(absent, world.get("/of-fork", latchkeytest.Token{}))
}

func TestARevokedTokenIsRefused(t *testing.T) {
	world := newWorld(t)
	path, token := world.Path(bert, "main")+"/files", world.Token(latchkeytest.Token{})
	world.expect(empty, world.send(http.MethodGet, path, token, ""))
	world.Revoke(latchkeytest.Revocation{Token: token})
	world.expect(invalid, world.send(http.MethodGet, path, token, ""))
	world.expect(empty, world.get("", latchkeytest.Token{}))
}

func TestAnExpiredTokenIsRefused(t *testing.T) {
	world := newWorld(t)
	path, token := world.Path(bert, "main")+"/files", world.Token(latchkeytest.Token{ExpiresIn: time.Minute})
	world.expect(empty, world.send(http.MethodGet, path, token, ""))
	world.Clock.Advance(91 * time.Second)
	world.expect(invalid, world.send(http.MethodGet, path, token, ""))
}

func TestARepositoryThatWasMadeAgainShowsNothingOfTheOldOne(t *testing.T) {
	world := newWorld(t)
	world.put("/a", "one", latchkeytest.Token{})
	path, token := world.Path(bert, "main")+"/files", world.Token(latchkeytest.Token{})
	world.DeleteRepository(bert)
	world.expect(invalid, world.send(http.MethodGet, path, token, ""))
	world.expect(absent, world.get("/a", latchkeytest.Token{}))
	world.expect(empty, world.get("", latchkeytest.Token{}))
}

func TestATokenWithAFlawIsRefused(t *testing.T) {
	world := newWorld(t)
	for _, flaw := range latchkeytest.Flaws {
		world.expect(invalid, world.get("", latchkeytest.Token{Flaw: flaw}))
	}
}
