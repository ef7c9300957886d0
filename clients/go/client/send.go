package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// RoundTrip implements http.RoundTripper. It sends requests whose URL is a path, such as /v1/files/0123, to the storage: below
// casUrl, and with a token. It does the same with absolute URLs below the casUrl of its tokens. Requests to all other URLs it
// sends as they are, without a token.
//
// After a 401 of the storage it gets a new token and sends the request once more. After network errors, 429 and 5xx (except 501)
// it retries for Options.RetryTimeout, as Retry-After asks. A request with a body is repeated only if it has GetBody:
// http.NewRequest sets it for bytes.Reader, bytes.Buffer and strings.Reader.
func (client *Client) RoundTrip(request *http.Request) (*http.Response, error) {
	return client.send(request, true)
}

// Do sends a request of NewRequest as RoundTrip does. It follows no redirects.
func (client *Client) Do(request *http.Request) (*http.Response, error) {
	return client.send(request, true)
}

// send leaves it to the caller to repeat a request whose failure is not the token's, if it does not retry.
func (client *Client) send(request *http.Request, retries bool) (*http.Response, error) {
	bodies := &bodies{request: request}
	response, err := client.sendBodies(request, bodies, retries)
	if err != nil {
		bodies.close()
	}
	return response, err
}

func (client *Client) sendBodies(request *http.Request, bodies *bodies, retries bool) (*http.Response, error) {
	target, isForeign, err := client.targetOf(request.URL)
	switch {
	case err != nil:
		return nil, err
	case client.closing.Err() != nil:
		return nil, closedError()
	case isForeign:
		return client.transport.RoundTrip(request)
	}
	ctx, release := client.untilClosed(request.Context())
	sending := sending{Client: client, request: request.WithContext(ctx), caller: request.Context(), target: target, bodies: bodies}
	response, err := sending.untilDone(retries)
	if err != nil {
		release()
		return nil, err
	}
	// What the transport was given has the token.
	response.Request = request
	response.Body = &releasing{response.Body, release, sending.token}
	return response, nil
}

type sending struct {
	*Client
	request *http.Request
	caller  context.Context
	target  target
	bodies  *bodies
	// isRenewed is whether the token was replaced after a 401.
	isRenewed bool
	// token is the last that was sent.
	token Secret
}

func (sending *sending) facts() facts {
	method := sending.request.Method
	if method == "" {
		method = http.MethodGet
	}
	return facts{method, sending.target.path}
}

func (sending *sending) untilDone(retries bool) (*http.Response, error) {
	patience := patience{settings: sending.settings}
	for {
		response, err := sending.attempt()
		after, mayPass := sending.againAfter(response, err)
		if !retries || !mayPass || !sending.bodies.areRepeatable() {
			return response, err
		}
		goesOn, waitErr := patience.wait(sending.request.Context(), after)
		if waitErr == nil && !goesOn {
			return response, err
		}
		letGo(response)
		if waitErr != nil {
			return nil, sending.ended(waitErr)
		}
	}
}

func (sending *sending) attempt() (*http.Response, error) {
	facts := sending.facts()
	scope, isChosen := sending.request.Context().Value(scopeKey{}).(Scope)
	if !isChosen {
		scope = requiredScope(facts)
	}
	for {
		token, err := sending.Token(sending.request.Context(), scope)
		if err != nil {
			return nil, sending.ended(err)
		}
		response, err := sending.once(token)
		if err != nil || response.StatusCode != http.StatusUnauthorized || sending.isRenewed {
			return response, err
		}
		sending.isRenewed = true
		sending.tokens[scope].drop(token)
		if !sending.bodies.areRepeatable() {
			letGo(response)
			failure := notRepeatable(facts)
			failure.Status = http.StatusUnauthorized
			return nil, failure
		}
		letGo(response)
	}
}

func (sending *sending) once(token Token) (*http.Response, error) {
	address, err := sending.target.at(token.CasURL)
	if err != nil {
		return nil, err
	}
	body, err := sending.bodies.next()
	if err != nil {
		return nil, err
	}
	sending.token = token.AccessToken
	request := sending.request.Clone(sending.request.Context())
	request.URL, request.Host = address, ""
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Authorization", "Bearer "+token.AccessToken.Reveal())
	request.Body, request.GetBody = nil, nil
	if body != nil {
		request.Body = body
	}
	response, err := sending.transport.RoundTrip(request)
	if err == nil {
		return response, nil
	}
	if sending.request.Context().Err() != nil {
		return nil, sending.ended(err)
	}
	if failure := body.failure(); failure != nil {
		return nil, failure
	}
	return nil, sending.facts().unreachable(StorageUnreachable, "storage "+address.Scheme+"://"+address.Host, err)
}

// ended tells who ended it: the caller, or Close.
func (sending *sending) ended(err error) error {
	if ended := sending.caller.Err(); ended != nil {
		return ended
	}
	if sending.closing.Err() != nil {
		return closedError()
	}
	return err
}

func (sending *sending) againAfter(response *http.Response, err error) (time.Duration, bool) {
	if err != nil {
		var failure *Error
		return 0, errors.As(err, &failure) && failure.Code == StorageUnreachable
	}
	return retryAfter(response.Header, sending.wall()), isTransient(response.StatusCode)
}

func notRepeatable(facts facts) *Error {
	return facts.error(BodyNotRepeatable, "The body cannot be sent again: set GetBody of the request.")
}

func letGo(response *http.Response) {
	if response != nil {
		_ = response.Body.Close()
	}
}

// releasing frees what a response holds when its body is closed.
type releasing struct {
	io.ReadCloser
	release func()
	// token is the one that the response may repeat.
	token Secret
}

func tokenOf(response *http.Response) Secret {
	if body, isOurs := response.Body.(*releasing); isOurs {
		return body.token
	}
	return Secret{}
}

func (body *releasing) Close() error {
	defer body.release()
	return body.ReadCloser.Close()
}

// bodies makes the body anew for every attempt.
type bodies struct {
	request *http.Request
	begun   bool
}

func (bodies *bodies) areRepeatable() bool {
	body := bodies.request.Body
	return body == nil || body == http.NoBody || bodies.request.GetBody != nil
}

// next is nil for a request without a body.
func (bodies *bodies) next() (*watchedBody, error) {
	body := bodies.request.Body
	if body == nil || body == http.NoBody {
		return nil, nil
	}
	if bodies.begun {
		again, err := bodies.request.GetBody()
		if err != nil {
			return nil, err
		}
		body = again
	}
	bodies.begun = true
	return &watchedBody{ReadCloser: body}, nil
}

// close is about a body that no transport has closed.
func (bodies *bodies) close() {
	if !bodies.begun && bodies.request.Body != nil {
		bodies.begun = true
		_ = bodies.request.Body.Close()
	}
}

// watchedBody keeps the error of the caller's own reader, which is no failure of the network.
type watchedBody struct {
	io.ReadCloser
	mutex    sync.Mutex
	isClosed bool
	err      error
}

func (body *watchedBody) Read(buffer []byte) (int, error) {
	count, err := body.ReadCloser.Read(buffer)
	body.mutex.Lock()
	defer body.mutex.Unlock()
	// A transport may still read what it has closed.
	if err != nil && !errors.Is(err, io.EOF) && !body.isClosed {
		body.err = err
	}
	return count, err
}

func (body *watchedBody) Close() error {
	body.mutex.Lock()
	body.isClosed = true
	body.mutex.Unlock()
	return body.ReadCloser.Close()
}

func (body *watchedBody) failure() error {
	if body == nil {
		return nil
	}
	body.mutex.Lock()
	defer body.mutex.Unlock()
	return body.err
}
