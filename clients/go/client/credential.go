package client

import (
	"context"
	"sync"

	"latchkey/internal/spelling"
)

// credential is the hub token: given once, or asked for, and asked for again when the hub no longer takes it.
type credential struct {
	ask    func(context.Context) (string, error)
	asking flight[askedToken]

	mutex    sync.Mutex
	token    Secret
	last     Secret
	identity int
}

// hubToken is a hub token in use.
type hubToken struct {
	Secret
	// identity is another number for another token: what came for one is not used with the next.
	identity int
	// isNew is set if asking again would bring nothing better.
	isNew bool
}

type askedToken struct {
	token hubToken
	err   error
}

func newCredential(options Options) *credential {
	return &credential{ask: options.HubTokenFunc, token: options.HubToken}
}

func (credential *credential) currentIdentity() int {
	credential.mutex.Lock()
	defer credential.mutex.Unlock()
	return credential.identity
}

func (credential *credential) get(ctx context.Context) (hubToken, error) {
	if token, isKnown := credential.known(); isKnown {
		return token, nil
	}
	asked, err := credential.asking.join(func() askedToken { return credential.renew(ctx) }).wait(ctx)
	if err != nil {
		return hubToken{}, err
	}
	return asked.token, asked.err
}

func (credential *credential) known() (hubToken, bool) {
	credential.mutex.Lock()
	defer credential.mutex.Unlock()
	isKnown := credential.ask == nil || !credential.token.IsZero()
	return hubToken{credential.token, credential.identity, credential.ask == nil}, isKnown
}

func (credential *credential) renew(ctx context.Context) askedToken {
	if token, isKnown := credential.known(); isKnown {
		return askedToken{token: token}
	}
	text, err := credential.ask(ctx)
	if err != nil {
		return askedToken{err: err}
	}
	if !spelling.IsToken68(text) {
		return askedToken{err: badHubToken()}
	}
	credential.mutex.Lock()
	defer credential.mutex.Unlock()
	credential.token = NewSecret(text)
	if credential.last.IsZero() || credential.last.Reveal() != text {
		credential.identity++
	}
	credential.last = credential.token
	return askedToken{token: hubToken{credential.token, credential.identity, true}}
}

// reject says that the hub did not take it.
func (credential *credential) reject(token hubToken) {
	credential.mutex.Lock()
	defer credential.mutex.Unlock()
	if credential.ask != nil && token.identity == credential.identity {
		credential.token = Secret{}
	}
}
