package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"latchkey/client"
)

const hubToken = "lk_hubTokenOfAda"

// world is a hub and a storage over real connections. The storage gives back what it is sent.
type world struct {
	hub, storage *httptest.Server
	storageURL   string
	issued       atomic.Int64
	revoked      sync.Map
	// serve replaces the storage, behind the check of tokens.
	serve http.HandlerFunc
}

func newWorld(t *testing.T) *world {
	t.Helper()
	world := &world{}
	world.storage = httptest.NewServer(http.HandlerFunc(world.store))
	world.storageURL = world.storage.URL
	world.hub = httptest.NewServer(http.HandlerFunc(world.issue))
	t.Cleanup(world.hub.Close)
	t.Cleanup(world.storage.Close)
	return world
}

func (world *world) issue(writer http.ResponseWriter, request *http.Request) {
	if request.Header.Get("Authorization") != "Bearer "+hubToken {
		writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	scope := "read"
	if strings.Contains(request.URL.Path, "storage-write-token") {
		scope = "write"
	}
	_ = json.NewEncoder(writer).Encode(map[string]any{
		"accessToken": fmt.Sprintf("access.%d.%s", world.issued.Add(1), scope),
		"exp":         time.Now().Unix() + 900,
		"casUrl":      world.storageURL + "/r/bert/main",
	})
}

func (world *world) store(writer http.ResponseWriter, request *http.Request) {
	token := strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
	_, isRevoked := world.revoked.Load(token)
	if !strings.HasPrefix(token, "access.") || isRevoked || !strings.HasPrefix(request.URL.Path, "/r/bert/main/") {
		writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	if world.serve != nil {
		world.serve(writer, request)
		return
	}
	_, _ = io.Copy(writer, request.Body)
}

func (world *world) options() client.Options {
	return client.Options{HubURL: world.hub.URL, HubToken: client.NewSecret(hubToken), Repository: "models/acme/bert"}
}

func (world *world) open(t *testing.T, options client.Options) *client.Client {
	t.Helper()
	made, err := client.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(made.Close)
	return made
}

func (world *world) client(t *testing.T) *client.Client {
	t.Helper()
	return world.open(t, world.options())
}

// text gives the status and the body of a response.
func text(t *testing.T, response *http.Response, err error) string {
	t.Helper()
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", response.StatusCode, body))
}

func expect(t *testing.T, what, found, expected string) {
	t.Helper()
	if found != expected {
		t.Errorf("%s: %q, expected %q", what, found, expected)
	}
}

func newRequest(t *testing.T, ctx context.Context, method, path string, body io.Reader) *http.Request {
	t.Helper()
	request, err := client.NewRequest(ctx, method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return request
}
