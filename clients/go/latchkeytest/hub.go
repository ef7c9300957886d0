package latchkeytest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"latchkey/internal/fakehub"
	"latchkey/internal/signing"
	"latchkey/verify"
)

// TB is the part of testing.TB that a Hub uses. Every *testing.T, *testing.B and *testing.F is one.
type TB interface {
	Helper()
	Cleanup(func())
	Fatalf(format string, args ...any)
}

// HubOptions configures a Hub. Its zero value is good for most tests.
type HubOptions struct {
	// CasURL is the casUrl of the hub, with {repo} and {ref}; by default https://cas.example/r/{repo}/{ref}.
	CasURL string
	// Now stops the clock of the hub at this time until Clock.Advance. By default it follows the clock of the system.
	Now time.Time
}

// Hub issues and revokes storage tokens, and publishes its keys and revocations. It is safe for use by many goroutines.
type Hub struct {
	// URL is where the hub publishes its keys and revocations over HTTP, for a verifier in another process. It is also the
	// issuer of its tokens.
	URL string
	// Clock is the clock of the hub, and of gates that are made with Options.
	Clock *Clock

	t         TB
	casURL    string
	published *fakehub.Hub

	mutex     sync.Mutex
	key       signing.Key
	keys      []signing.Key
	directory directory
	entries   map[string]int64
	followers []func()
}

// NewHub starts a hub that ends with the test.
func NewHub(t TB, options HubOptions) *Hub {
	t.Helper()
	if options.CasURL == "" {
		options.CasURL = "https://cas.example/r/{repo}/{ref}"
	}
	clock := newClock(options.Now)
	hub := &Hub{
		Clock:     clock,
		t:         t,
		casURL:    options.CasURL,
		directory: newDirectory(clock),
		entries:   map[string]int64{},
		published: &fakehub.Hub{Clock: clock.seconds, HeadKey: newKey(t)},
	}
	hub.addKey()
	server := httptest.NewServer(hub.published)
	t.Cleanup(server.Close)
	hub.URL, hub.published.Issuer = server.URL, server.URL
	hub.publish()
	return hub
}

// Options are those of a gate that accepts the tokens of the hub, by the clock of the hub. The gate hears the hub without
// a network, and at once. You can change other options, for example Rules.
func (hub *Hub) Options() verify.Options {
	return verify.Options{
		HubURL:    hub.URL,
		CasURL:    hub.casURL,
		Transport: transport{hub},
		Clock:     hub.Clock.seconds,
		OnFailure: func(error) {},
	}
}

// CasURL is the storage URL of a repository and a ref: casUrl without placeholders.
func (hub *Hub) CasURL(repository, ref string) string {
	hub.t.Helper()
	hub.mutex.Lock()
	defer hub.mutex.Unlock()
	place := hub.placeOf(repository, ref)
	filled := strings.NewReplacer("{repo}", place.repository.UID, "{ref}", place.ref.UID)
	return filled.Replace(hub.casURL)
}

// Path is the path of CasURL: the prefix of every request for this repository and ref.
func (hub *Hub) Path(repository, ref string) string {
	hub.t.Helper()
	_, rest, _ := strings.Cut(hub.CasURL(repository, ref), "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return ""
}

// audience is the casUrl before its first placeholder.
func (hub *Hub) audience() string {
	before, _, _ := strings.Cut(hub.casURL, "{")
	return strings.TrimRight(before, "/")
}

func (hub *Hub) addKey() {
	hub.key = newKey(hub.t)
	hub.keys = append(hub.keys, hub.key)
}

func newKey(t TB) signing.Key {
	t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		t.Fatalf("latchkeytest: no key can be made: %v", err)
	}
	return key
}

// publish shows verifiers the keys, the revocations and the number of the journal.
func (hub *Hub) publish() {
	published := []json.RawMessage{}
	for _, key := range hub.keys {
		published = append(published, json.RawMessage(key.Public()))
	}
	keys, err := json.Marshal(map[string]any{"keys": published})
	if err != nil {
		hub.t.Fatalf("latchkeytest: the keys cannot be written: %v", err)
	}
	hub.published.Change(func() {
		hub.published.TokenKeys = string(keys)
		hub.published.Entries = listOf(hub.entries)
		hub.published.Seq = hub.directory.number
	})
}

// change publishes a change, and returns when every gate has heard of it.
func (hub *Hub) change(change func()) {
	hub.t.Helper()
	for _, follow := range hub.changed(change) {
		follow()
	}
}

// changed gives those who are to hear of it, when no lock is held that they need.
func (hub *Hub) changed(change func()) []func() {
	hub.t.Helper()
	hub.mutex.Lock()
	defer hub.mutex.Unlock()
	change()
	hub.publish()
	return slices.Clone(hub.followers)
}

// transport answers a gate without a network.
type transport struct{ hub *Hub }

// RoundTrip implements http.RoundTripper.
func (transport transport) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	transport.hub.published.ServeHTTP(recorder, request)
	return recorder.Result(), nil
}

// OnChange is how a gate that uses this transport learns of a change at once.
func (transport transport) OnChange(follow func()) {
	transport.hub.mutex.Lock()
	defer transport.hub.mutex.Unlock()
	transport.hub.followers = append(transport.hub.followers, follow)
}
