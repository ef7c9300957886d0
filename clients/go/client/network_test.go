package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// network is the hub and the storage of vectors/client.json, behind one transport. Its time is that of the test.
type network struct {
	start           time.Time
	now             int64
	casURL          string
	lifetimeSeconds int64

	mutex        sync.Mutex
	skew         time.Duration
	hub, storage []json.RawMessage
	seen         []seenRequest
	toHub        int
	toStorage    int
	issued       int
	lives        map[string]int64
	homes        map[string]string
	revoked      map[string]bool
	// gate is closed when responses may arrive.
	gate chan struct{}
}

type seenRequest struct {
	method, url, body string
	header            http.Header
}

type script struct {
	Failure         string
	Status          int
	Headers         map[string]json.RawMessage
	Body            json.RawMessage
	Token           map[string]json.RawMessage
	LifetimeSeconds *int64
	AfterSeconds    float64
	isDefault       bool
}

func newNetwork(document vectorDocument) *network {
	made := &network{
		start: time.Now(), now: document.Now, casURL: document.Token.CasURL, lifetimeSeconds: document.Token.LifetimeSeconds,
		lives: map[string]int64{}, homes: map[string]string{}, revoked: map[string]bool{}, gate: make(chan struct{}),
	}
	made.hub = []json.RawMessage{json.RawMessage(`"default"`)}
	made.storage = made.hub
	close(made.gate)
	return made
}

func (network *network) trueTime() time.Time {
	return time.Unix(network.now, 0).UTC().Add(time.Since(network.start))
}

// wall is what the machine of the client takes for the time.
func (network *network) wall() time.Time {
	network.mutex.Lock()
	defer network.mutex.Unlock()
	return network.trueTime().Add(network.skew)
}

func (network *network) change(change func()) {
	network.mutex.Lock()
	defer network.mutex.Unlock()
	change()
}

func (network *network) RoundTrip(request *http.Request) (*http.Response, error) {
	body := []byte{}
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
		_ = request.Body.Close()
	}
	response, script, gate := network.take(request, string(body))
	select {
	case <-gate:
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
	switch script.Failure {
	case "network":
		// Some transports repeat what they were given.
		return nil, fmt.Errorf("the connection broke: %v", request.Header)
	case "silence":
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	time.Sleep(secondsOf(script.AfterSeconds))
	return response, nil
}

// take makes the response at the moment at which the request arrives.
func (network *network) take(request *http.Request, body string) (*http.Response, script, chan struct{}) {
	network.mutex.Lock()
	defer network.mutex.Unlock()
	url := request.URL.String()
	network.seen = append(network.seen, seenRequest{request.Method, url, body, request.Header.Clone()})
	responses := &network.storage
	isHub := strings.Contains(url, "-token/")
	if isHub {
		network.toHub++
		responses = &network.hub
	} else {
		network.toStorage++
	}
	script := readScript((*responses)[0])
	if len(*responses) > 1 {
		*responses = (*responses)[1:]
	}
	status, text := script.Status, textOfBody(script.Body)
	switch {
	case script.Failure != "":
	case isHub && script.Status == 0 && script.Body == nil:
		text = network.issue(script)
	case script.isDefault:
		token := strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
		status = http.StatusUnauthorized
		if time.Unix(network.lives[token], 0).After(network.trueTime()) && !network.revoked[token] {
			status, text = http.StatusOK, body
		}
	}
	if status == 0 {
		status = http.StatusOK
	}
	header := http.Header{"Date": {network.trueTime().Format(http.TimeFormat)}}
	for name, value := range script.Headers {
		header.Del(name)
		if text := network.headerOf(value); text != "" {
			header.Set(name, text)
		}
	}
	response := &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(text)), Request: request}
	return response, script, network.gate
}

func (network *network) issue(script script) string {
	network.issued++
	lifetime := network.lifetimeSeconds
	if script.LifetimeSeconds != nil {
		lifetime = *script.LifetimeSeconds
	}
	exp := network.trueTime().Unix() + lifetime
	members := map[string]any{"accessToken": fmt.Sprintf("access.%d.token", network.issued), "exp": exp, "casUrl": network.casURL}
	for name, value := range script.Token {
		switch {
		case string(value) == "null":
			delete(members, name)
		case value[0] == '{':
			members[name] = textOfBody(value)
		default:
			members[name] = value
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	var read map[string]any
	_ = json.Unmarshal(text, &read)
	token, _ := read["accessToken"].(string)
	casURL, _ := read["casUrl"].(string)
	network.lives[token] = exp
	network.homes[token] = strings.TrimSuffix(casURL, "/")
	return string(text)
}

func (network *network) headerOf(value json.RawMessage) string {
	var date struct{ SecondsFromNow *float64 }
	if json.Unmarshal(value, &date) == nil && date.SecondsFromNow != nil {
		return network.trueTime().Add(secondsOf(*date.SecondsFromNow)).Format(http.TimeFormat)
	}
	return textOf(value)
}

func readScript(text json.RawMessage) script {
	if string(text) == `"default"` {
		return script{isDefault: true}
	}
	var read script
	if err := json.Unmarshal(text, &read); err != nil {
		panic(err)
	}
	return read
}

// textOfBody reads a text, {text, padTo}, or any JSON.
func textOfBody(body json.RawMessage) string {
	var text string
	var padded struct {
		Text  string
		PadTo int
	}
	switch {
	case body == nil:
		return ""
	case json.Unmarshal(body, &text) == nil && body[0] == '"':
		return text
	case json.Unmarshal(body, &padded) == nil && padded.PadTo > 0:
		return padded.Text + strings.Repeat("a", max(0, padded.PadTo-len(padded.Text)))
	}
	return string(body)
}

func secondsOf(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}
