package verify_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"latchkey/latchkeytest"
	"latchkey/verify"
)

// kit gives the examples a hub, as latchkeytest.NewHub(t, …) gives it a test.
func kit() (hub *latchkeytest.Hub, stop func()) {
	tb := &exampleTB{}
	return latchkeytest.NewHub(tb, latchkeytest.HubOptions{}), tb.cleanUp
}

type exampleTB struct{ cleanups []func() }

func (*exampleTB) Helper()                           {}
func (tb *exampleTB) Cleanup(cleanup func())         { tb.cleanups = append(tb.cleanups, cleanup) }
func (*exampleTB) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (tb *exampleTB) cleanUp() {
	for _, cleanup := range tb.cleanups {
		cleanup()
	}
}

// get sends a request through a handler.
func get(handler http.Handler, path, token string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

// A storage gives HubURL and CasURL instead of the options of a test hub.
func ExampleGate_Guard() {
	hub, stop := kit()
	defer stop()
	gate, err := verify.New(hub.Options())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gate.Close()
	storage := gate.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		admitted := verify.AdmittedBy(r)
		fmt.Fprintf(w, "%s may %s %s", admitted.Grant.Subject, admitted.Grant.Scope, admitted.Path)
	}))
	path := hub.Path("models/acme/bert", "main") + "/v1/files"
	fmt.Println(get(storage, path, hub.Token(latchkeytest.Token{})).Body)
	fmt.Println(get(storage, path, "no token").Code)
	// Output:
	// ada may read /v1/files
	// 401
}

func ExampleVisible() {
	fork := verify.Grant{
		Revocable: verify.Revocable{RepositoryUID: "bert"},
		RefUID:    "fork",
		Sees:      []verify.SeenRef{{UID: "main", Before: 1_700_000_000_000}},
	}
	before := verify.Row{RepositoryUID: "bert", RefUID: "main", WrittenAt: 1_699_999_999_999}
	after := verify.Row{RepositoryUID: "bert", RefUID: "main", WrittenAt: 1_700_000_000_000}
	fmt.Println(verify.Visible(fork, before), verify.Visible(fork, after))
	// Output: true false
}

func ExampleRowFor() {
	grant := verify.Grant{Revocable: verify.Revocable{RepositoryUID: "bert", AsOf: 1_700_000_000_000}, RefUID: "main"}
	row := verify.RowFor(grant, time.UnixMilli(1_700_000_000_500))
	fmt.Println(row.RepositoryUID, row.RefUID, row.WrittenAt)
	// Output: bert main 1700000000500
}
