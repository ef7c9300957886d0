package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// hub sends token requests until the client is closed.
type hub struct {
	settings
	credential *credential
	closing    context.Context
}

type received struct {
	token    Token
	identity int
	// life is by the hub's own clock, and counts from since: before the request was sent.
	life  time.Duration
	since moment
}

type outcome struct {
	received
	err error
}

const (
	// Room for two members of 64000 characters, however they are escaped.
	maxResponse    = 1 << 20
	requestTimeout = 10 * time.Second
)

// request ends with a token of an identity that is still the caller's.
func (hub *hub) request(scope Scope) outcome {
	for {
		token, err := hub.credential.get(hub.closing)
		if err != nil {
			return outcome{err: hub.unlessClosed(err)}
		}
		result, isFinal := hub.ask(scope, token)
		if isFinal {
			return result
		}
	}
}

// ask is not final if another hub token may bring more.
func (hub *hub) ask(scope Scope, token hubToken) (result outcome, isFinal bool) {
	since := hub.now()
	facts := facts{http.MethodGet, hub.tokenPath(scope)}
	answer, err := hub.send(facts.path, token)
	if err != nil {
		return outcome{err: hub.unlessClosed(facts.unreachable(HubUnreachable, "hub "+hub.hubURL, err))}, true
	}
	switch {
	case answer.status == http.StatusUnauthorized:
		hub.credential.reject(token)
		if !token.isNew {
			return outcome{}, false
		}
	case answer.status >= 200 && answer.status <= 299 && token.identity != hub.credential.currentIdentity():
		return outcome{}, false
	}
	switch {
	case answer.status >= 400:
		return outcome{err: answer.refusal(facts, token.Secret, hub.wall(), "hub_token_invalid")}, true
	case answer.status < 200 || answer.status > 299:
		return outcome{err: facts.error(Redirected, hub.hubURL+" redirects: give the hub's own URL.")}, true
	}
	now := dateOf(answer.header, since.wall).Unix()
	issued, wrong := hub.readToken(answer.body, scope, now)
	if wrong != "" {
		failure := facts.error(AnswerInvalid, hub.hubURL+" sends no token: "+wrong+".")
		failure.Status = answer.status
		return outcome{err: failure}, true
	}
	life := min(issued.ExpiresAt.Unix()-now, int64(maxDuration/time.Second))
	return outcome{received: received{issued, token.identity, time.Duration(life) * time.Second, since}}, true
}

func (hub *hub) unlessClosed(err error) error {
	if hub.closing.Err() != nil {
		return closedError()
	}
	return err
}

// answer is a response whose body was read within bounds.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (hub *hub) send(path string, token hubToken) (answer, error) {
	ctx, cancel := context.WithTimeout(hub.closing, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, hub.hubURL+path, nil)
	if err != nil {
		return answer{}, err
	}
	if !token.IsZero() {
		request.Header.Set("Authorization", "Bearer "+token.Reveal())
	}
	// A transport follows no redirect, and has no cookies.
	response, err := hub.transport.RoundTrip(request)
	if err != nil {
		return answer{}, err
	}
	return readAnswer(response)
}

// readAnswer reads nothing of a body that is too large.
func readAnswer(response *http.Response) (answer, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return answer{}, err
	}
	if len(body) > maxResponse {
		body = nil
	}
	return answer{response.StatusCode, response.Header, body}, nil
}

// members are those of a JSON object, and none of anything else. Unlike the fields of a struct, their case matters.
func (answer answer) members() map[string]json.RawMessage {
	return membersOf(answer.body)
}

func membersOf(body []byte) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil
	}
	return members
}

func textOf(member json.RawMessage) string {
	var text string
	if json.Unmarshal(member, &text) != nil {
		return ""
	}
	return text
}

// wholeNumber reads 1800000900, and also 1.8000009e9.
func wholeNumber(member json.RawMessage) (int64, bool) {
	number, err := strconv.ParseFloat(string(member), 64)
	const greatest = 1<<53 - 1
	if err != nil || number != float64(int64(number)) || number > greatest || number < -greatest {
		return 0, false
	}
	return int64(number), true
}
