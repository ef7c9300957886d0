package latchkeytest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"latchkey/latchkeytest"
	"latchkey/verify"
)

// example is the t of the examples; a test gives its own.
type example struct{ cleanups []func() }

func (*example) Helper()                           {}
func (t *example) Cleanup(cleanup func())          { t.cleanups = append(t.cleanups, cleanup) }
func (*example) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (t *example) end() {
	for _, cleanup := range t.cleanups {
		cleanup()
	}
}

// statusOf sends a request with a token to a storage that is guarded by a gate.
func statusOf(hub *latchkeytest.Hub, gate *verify.Gate, token string) int {
	request := httptest.NewRequest(http.MethodGet, hub.Path("models/acme/bert", "main")+"/files", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	gate.Guard(http.HandlerFunc(serveFiles)).ServeHTTP(recorder, request)
	return recorder.Code
}

func ExampleHub() {
	t := &example{}
	defer t.end()
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	gate, err := verify.New(hub.Options())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer gate.Close()
	token := hub.Token(latchkeytest.Token{Scope: verify.Write, ExpiresIn: time.Minute})
	fmt.Println(statusOf(hub, gate, token))
	hub.Clock.Advance(2 * time.Minute)
	fmt.Println(statusOf(hub, gate, token))
	// Output:
	// 200
	// 401
}

func ExampleHub_Revoke() {
	t := &example{}
	defer t.end()
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	gate, err := verify.New(hub.Options())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer gate.Close()
	token := hub.Token(latchkeytest.Token{Account: "ada"})
	other := hub.Token(latchkeytest.Token{Account: "bob"})
	hub.Revoke(latchkeytest.Revocation{Account: "ada"})
	fmt.Println(statusOf(hub, gate, token), statusOf(hub, gate, other))
	// Output: 401 200
}

func ExampleHub_Token() {
	t := &example{}
	defer t.end()
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	gate, err := verify.New(hub.Options())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer gate.Close()
	fmt.Println(statusOf(hub, gate, hub.Token(latchkeytest.Token{Flaw: latchkeytest.Unsigned})))
	// Output: 401
}
