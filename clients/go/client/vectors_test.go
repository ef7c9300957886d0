package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

type vectorDocument struct {
	Now     int64
	Options map[string]json.RawMessage
	Token   struct {
		CasURL          string
		LifetimeSeconds int64
	}
	Cases []struct {
		Name        string
		Options     map[string]json.RawMessage
		SkewSeconds float64
		Steps       []vectorStep
	}
}

type vectorStep struct {
	Hub, Storage   []json.RawMessage
	Advance        *float64
	SetClock       *float64
	Revoke, Close  string
	Count          map[string]json.RawMessage
	Repeat         int
	Steps          []vectorStep
	Open           string
	Options        map[string]json.RawMessage
	Token          Scope
	StorageRequest *struct {
		Method, Path, Body string
		Headers            map[string]string
		Scope              Scope
	}
	Client               string
	Concurrently         int
	Outcome, Alternative map[string]any
	Took                 []float64
	Sends                []map[string]any
}

func readVectors(t *testing.T) vectorDocument {
	t.Helper()
	folder := os.Getenv("LATCHKEY_VECTORS")
	if folder == "" {
		folder = "../../../vectors"
	}
	text, err := os.ReadFile(filepath.Join(folder, "client.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document vectorDocument
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestEveryCaseOfTheVectorsEndsAsTheySay(t *testing.T) {
	document := readVectors(t)
	if len(document.Cases) < 200 {
		t.Fatalf("%d cases", len(document.Cases))
	}
	for _, each := range document.Cases {
		t.Run(each.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				run := caseRun{T: t, network: newNetwork(document), clients: map[string]*Client{}, hubTokens: map[string]string{}}
				run.network.skew = secondsOf(each.SkewSeconds)
				run.options = maps.Clone(document.Options)
				maps.Copy(run.options, each.Options)
				run.steps(each.Steps)
				for _, client := range run.clients {
					client.Close()
				}
			})
		})
	}
}

type caseRun struct {
	*testing.T
	network *network
	options map[string]json.RawMessage
	clients map[string]*Client
	// hubTokens has the hub of each hub token.
	hubTokens map[string]string
}

func (run *caseRun) steps(steps []vectorStep) {
	for _, step := range steps {
		run.step(step)
		run.checkTokens()
	}
}

func (run *caseRun) step(step vectorStep) {
	network := run.network
	switch {
	case step.Hub != nil:
		network.change(func() { network.hub = step.Hub })
	case step.Storage != nil:
		network.change(func() { network.storage = step.Storage })
	case step.Advance != nil:
		time.Sleep(secondsOf(*step.Advance))
		synctest.Wait()
	case step.SetClock != nil:
		network.change(func() { network.skew = secondsOf(*step.SetClock) })
	case step.Revoke != "":
		network.change(func() { network.revoked[step.Revoke] = true })
	case step.Close != "":
		run.client(step.Close).Close()
	case step.Open != "":
		options := maps.Clone(run.options)
		maps.Copy(options, step.Options)
		if _, err := run.open(step.Open, options); err != nil || step.Outcome != nil {
			run.expect(run.outcomeOf(err), step.Outcome)
		}
	case step.Count != nil:
		run.count("hub", network.toHub, step.Count["hub"])
		run.count("storage", network.toStorage, step.Count["storage"])
	case step.Repeat > 0:
		for range step.Repeat {
			run.steps(step.Steps)
		}
	default:
		run.call(step)
	}
}

func (run *caseRun) call(step vectorStep) {
	network := run.network
	name := step.Client
	if name == "" {
		name = "client"
	}
	client, start, before := run.client(name), time.Now(), len(network.seen)
	network.change(func() { network.gate = make(chan struct{}) })
	outcomes := make([]map[string]any, max(1, step.Concurrently))
	var calls sync.WaitGroup
	for index := range outcomes {
		calls.Go(func() { outcomes[index] = run.outcomeOfCall(client, step) })
	}
	synctest.Wait()
	network.change(func() { close(network.gate) })
	calls.Wait()
	took := time.Since(start)
	for _, outcome := range outcomes {
		expected := step.Outcome
		if step.Alternative != nil && outcome["code"] == step.Alternative["code"] {
			expected = step.Alternative
		}
		// An error has a status, too.
		if outcome["code"] != nil && expected["code"] == nil {
			run.Errorf("the error %v, expected %v", outcome, expected)
		}
		run.expect(outcome, expected)
	}
	if step.Took != nil && (took < secondsOf(step.Took[0]) || took > secondsOf(step.Took[1])) {
		run.Errorf("the call took %s, expected %v", took, step.Took)
	}
	if step.Sends == nil {
		return
	}
	sent := network.seen[before:]
	if len(sent) != len(step.Sends) {
		run.Fatalf("%d requests, expected %d", len(sent), len(step.Sends))
	}
	for index, expected := range step.Sends {
		run.expect(sent[index].members(), expected)
	}
}

// members is as the vectors write a request.
func (request seenRequest) members() map[string]any {
	headers := map[string]any{}
	for name := range request.header {
		headers[strings.ToLower(name)] = request.header.Get(name)
	}
	var authorization any
	if value, isThere := headers["authorization"]; isThere {
		authorization = value
	}
	return map[string]any{
		"method": request.method, "url": request.url, "body": request.body, "headers": headers, "authorization": authorization,
	}
}

func (run *caseRun) client(name string) *Client {
	client, isOpen := run.clients[name]
	if isOpen {
		return client
	}
	client, err := run.open(name, run.options)
	if err != nil {
		run.Fatal(err)
	}
	return client
}

func (run *caseRun) open(name string, members map[string]json.RawMessage) (*Client, error) {
	seconds := func(name string, standard time.Duration) time.Duration {
		var value *float64
		_ = json.Unmarshal(members[name], &value)
		switch {
		case value == nil:
			return 0
		case *value == 0:
			return standard
		}
		return secondsOf(*value)
	}
	options := Options{
		HubURL:         textOf(members["hubUrl"]),
		Repository:     textOf(members["repo"]),
		Revision:       textOf(members["revision"]),
		AllowPlainHTTP: string(members["allowPlainHttp"]) == "true",
		RefreshBuffer:  seconds("refreshBufferSeconds", 1),
		RetryTimeout:   seconds("retryTimeoutSeconds", NoRetry),
		Transport:      run.network,
	}
	var tokens []string
	switch token := members["hubToken"]; {
	case json.Unmarshal(token, &tokens) == nil && tokens != nil:
		next := 0
		options.HubTokenFunc = func(context.Context) (string, error) {
			token := tokens[min(next, len(tokens)-1)]
			next++
			return token, nil
		}
	case token != nil && string(token) != "null":
		tokens = []string{textOf(token)}
		options.HubToken = NewSecret(tokens[0])
	}
	for _, token := range tokens {
		run.hubTokens[token] = options.HubURL
	}
	settled, err := options.settle()
	if err != nil {
		return nil, err
	}
	settled.wall, settled.random = run.network.wall, func() float64 { return 0.5 }
	run.clients[name] = open(settled, newCredential(options))
	return run.clients[name], nil
}

func (run *caseRun) outcomeOfCall(client *Client, step vectorStep) map[string]any {
	ctx := run.Context()
	if step.Token != "" {
		token, err := client.Token(ctx, step.Token)
		if err != nil {
			return run.outcomeOf(err)
		}
		return map[string]any{
			"accessToken": token.AccessToken.Reveal(), "scope": string(token.Scope), "exp": token.ExpiresAt.Unix(), "casUrl": token.CasURL,
		}
	}
	call := step.StorageRequest
	if call.Scope != "" {
		ctx = WithScope(ctx, call.Scope)
	}
	var body io.Reader
	if call.Body != "" {
		body = strings.NewReader(call.Body)
	}
	request, err := NewRequest(ctx, call.Method, call.Path, body)
	if err != nil {
		return run.outcomeOf(err)
	}
	for name, value := range call.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return run.outcomeOf(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		run.Error(err)
	}
	if response.Request != request {
		run.Error("the response shows the request with the token")
	}
	return map[string]any{"status": response.StatusCode, "body": string(text)}
}

func (run *caseRun) outcomeOf(err error) map[string]any {
	var failure *Error
	if !errors.As(err, &failure) {
		run.Errorf("%v is no error of the client", err)
		return nil
	}
	text, _ := json.Marshal(failure)
	for token := range run.secrets() {
		for _, shown := range []string{string(text), fmt.Sprintf("%v %+v %#v %q", err, err, err, failure.Unwrap())} {
			if strings.Contains(shown, token) {
				run.Errorf("%s has the token %s", shown, token)
			}
		}
	}
	return map[string]any{
		"code": string(failure.Code), "status": failure.Status, "message": failure.Message, "requestId": failure.RequestID,
		"retryAfterSeconds": failure.RetryAfter.Seconds(),
	}
}

// secrets are all tokens, with the URL below which each may be sent.
func (run *caseRun) secrets() map[string]string {
	run.network.mutex.Lock()
	defer run.network.mutex.Unlock()
	all := maps.Clone(run.hubTokens)
	maps.Copy(all, run.network.homes)
	maps.DeleteFunc(all, func(token, _ string) bool { return strings.TrimSpace(token) == "" })
	return all
}

func (run *caseRun) checkTokens() {
	secrets := run.secrets()
	for _, request := range run.network.seen {
		for token, home := range secrets {
			if request.header.Get("Authorization") == "Bearer "+token {
				if !strings.HasPrefix(request.url, strings.TrimSuffix(home, "/")+"/") {
					run.Errorf("%s gets %s", request.url, token)
				}
				request.header.Del("Authorization")
			}
			if strings.Contains(fmt.Sprint(request.url, request.header, request.body), token) {
				run.Errorf("%s has the token %s", request.url, token)
			}
		}
	}
	for name, client := range run.clients {
		printed := fmt.Sprintf("%v %+v %#v %s", client, client, *client, client.settings.hubURL)
		for token := range secrets {
			if strings.Contains(printed, token) {
				run.Errorf("%s is printed with %s", name, token)
			}
		}
	}
	run.network.change(func() { run.network.seen = nil })
}

// expect compares the members that are expected.
func (run *caseRun) expect(found, expected map[string]any) {
	run.Helper()
	for name, value := range expected {
		if part, isPart := value.(map[string]any); isPart {
			within, _ := found[name].(map[string]any)
			run.expect(within, part)
			continue
		}
		if !reflect.DeepEqual(comparable(found[name]), comparable(value)) {
			run.Errorf("%s: %v, expected %v in %v", name, found[name], value, expected)
		}
	}
}

func comparable(value any) any {
	number := reflect.ValueOf(value)
	if number.IsValid() && number.CanInt() {
		return float64(number.Int())
	}
	return value
}

func (run *caseRun) count(side string, count int, limits json.RawMessage) {
	run.Helper()
	var exact int
	both := []int{0, 1 << 30}
	switch {
	case limits == nil:
	case json.Unmarshal(limits, &exact) == nil:
		both = []int{exact, exact}
	default:
		_ = json.Unmarshal(limits, &both)
	}
	if count < both[0] || count > both[1] {
		run.Errorf("%d requests to the %s, expected %v", count, side, both)
	}
}
