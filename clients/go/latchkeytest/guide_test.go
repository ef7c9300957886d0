// The guide docs/guides/test-your-storage.md shows this file.

package latchkeytest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"latchkey/latchkeytest"
	"latchkey/verify"
)

// The handler of your storage.
func serveFiles(http.ResponseWriter, *http.Request) {}

func TestARevokedTokenGets401(t *testing.T) {
	hub := latchkeytest.NewHub(t, latchkeytest.HubOptions{})
	gate, err := verify.New(hub.Options())
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	storage := gate.Guard(http.HandlerFunc(serveFiles))
	expect := func(status int, token string) {
		t.Helper()
		request := httptest.NewRequest("GET", hub.Path("models/acme/bert", "main")+"/files", nil)
		request.Header.Set("Authorization", "Bearer "+token)
		response := httptest.NewRecorder()
		storage.ServeHTTP(response, request)
		if response.Code != status {
			t.Errorf("%d instead of %d", response.Code, status)
		}
	}
	token := hub.Token(latchkeytest.Token{})
	expect(200, token)
	hub.Revoke(latchkeytest.Revocation{Token: token})
	expect(401, token)
}
