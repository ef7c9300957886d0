package client

import "context"

// TokenSource returns tokens without a context, for libraries that expect such a method. With a type of three lines it is an
// oauth2.TokenSource: see the example. It needs no cache around it, and a cache would keep tokens that the storage has rejected.
type TokenSource struct {
	client *Client
	ctx    context.Context
	scope  Scope
}

// TokenSource returns a source of tokens of this scope. The context ends its calls.
func (client *Client) TokenSource(ctx context.Context, scope Scope) TokenSource {
	return TokenSource{client, ctx, scope}
}

// Token returns the token that is held, or a new one, as Client.Token does. Send it to URLs below its CasURL only.
func (source TokenSource) Token() (*Token, error) {
	token, err := source.client.Token(source.ctx, source.scope)
	if err != nil {
		return nil, err
	}
	return &token, nil
}
