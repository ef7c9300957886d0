package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Client has the tokens of one identity for one repository and revision. It is safe for use by many goroutines. It is an
// http.RoundTripper: see RoundTrip.
type Client struct {
	settings
	closing context.Context
	close   context.CancelFunc
	tokens  map[Scope]*source
}

// New checks the options. It sends no request.
func New(options Options) (*Client, error) {
	settled, err := options.settle()
	if err != nil {
		return nil, err
	}
	return open(settled, newCredential(options)), nil
}

func open(settled settings, credential *credential) *Client {
	closing, cancel := context.WithCancel(context.Background())
	hub := &hub{settings: settled, credential: credential, closing: closing}
	return &Client{
		settings: settled,
		closing:  closing,
		close:    cancel,
		tokens:   map[Scope]*source{Read: {hub: hub, scope: Read}, Write: {hub: hub, scope: Write}},
	}
}

// Token returns the token that is held, or a new one. It refreshes a token in use before it expires, and all goroutines share
// one request. The context ends the call of one goroutine; the others go on.
func (client *Client) Token(ctx context.Context, scope Scope) (Token, error) {
	source, isKnown := client.tokens[scope]
	if !isKnown {
		return Token{}, badOption("scope", "give Read or Write")
	}
	return source.get(ctx)
}

// Close ends all requests, and forgets the tokens.
func (client *Client) Close() {
	client.close()
	for _, source := range client.tokens {
		source.close()
	}
}

// HTTPClient returns an http.Client that sends its requests with RoundTrip. It follows no redirects.
func (client *Client) HTTPClient() *http.Client {
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: client, CheckRedirect: refuse}
}

// Format implements fmt.Formatter: it prints the hub, the repository and the revision.
func (client *Client) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "client.Client("+client.hubURL+" "+client.repository+" "+client.revision+")")
}

type scopeKey struct{}

// WithScope makes a request with this context use a token of this scope. By default the client chooses as the gate does: Read for
// GET, HEAD, OPTIONS and most POST requests, otherwise Write.
func WithScope(ctx context.Context, scope Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, scope)
}
