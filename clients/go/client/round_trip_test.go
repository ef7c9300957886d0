package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"latchkey/client"
)

func TestAnHTTPClientSendsPathsAndURLsBelowCasURLWithTheToken(t *testing.T) {
	world := newWorld(t)
	world.serve = func(writer http.ResponseWriter, request *http.Request) {
		_, _ = io.WriteString(writer, request.URL.RequestURI()+" "+request.Header.Get("Authorization"))
	}
	storage := world.client(t)
	web := storage.HTTPClient()
	response, err := web.Get("/v1/a?b=c")
	expect(t, "a path", text(t, response, err), "200 /r/bert/main/v1/a?b=c Bearer access.1.read")
	token, err := storage.Token(t.Context(), client.Read)
	if err != nil {
		t.Fatal(err)
	}
	response, err = web.Get(token.CasURL + "/v1/%C3%A4")
	expect(t, "a URL", text(t, response, err), "200 /r/bert/main/v1/%C3%A4 Bearer access.1.read")
	response, err = web.Post("/v1/xorbs/a", "text/plain", strings.NewReader("x"))
	expect(t, "a write", text(t, response, err), "200 /r/bert/main/v1/xorbs/a Bearer access.2.write")
}

func TestNoTokenGoesToAnotherPlace(t *testing.T) {
	world := newWorld(t)
	var authorizations sync.Map
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		authorizations.Store(request.URL.Path, request.Header.Get("Authorization"))
	}))
	t.Cleanup(elsewhere.Close)
	world.serve = func(writer http.ResponseWriter, request *http.Request) {
		http.Redirect(writer, request, elsewhere.URL+"/redirected", http.StatusTemporaryRedirect)
	}
	storage := world.client(t)
	following := &http.Client{Transport: storage}
	response, err := following.Get("/v1/a")
	expect(t, "a redirect that is followed", text(t, response, err), "200")
	response, err = following.Get(elsewhere.URL + "/r/bert/main/v1/a")
	expect(t, "another origin", text(t, response, err), "200")
	authorizations.Range(func(path, authorization any) bool {
		expect(t, path.(string), authorization.(string), "")
		return true
	})
	response, err = storage.HTTPClient().Get("/v1/a")
	if err != nil || response.StatusCode != http.StatusTemporaryRedirect {
		t.Error("the http.Client of the client follows a redirect")
	}
	for _, path := range []string{"", "/r/bert/mainland/v1/a", "/r/bert", "/r/bert/main2"} {
		response, err := storage.HTTPClient().Get(world.storage.URL + path)
		expect(t, "beside casUrl: "+path, text(t, response, err), "401")
	}
	if count := world.issued.Load(); count != 1 {
		t.Errorf("%d token requests", count)
	}
	for _, path := range []string{"/r/bert/main/../../x", "/r/bert/main//a", "/r/bert/main/%2e%2e/a"} {
		_, err := storage.HTTPClient().Get(world.storage.URL + path)
		var failure *client.Error
		if !errors.As(err, &failure) || failure.Code != client.PathRefused {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err = storage.HTTPClient().Get("//evil.example/a")
	expect(t, "a URL without a scheme", fmt.Sprint(errors.Unwrap(err).(*client.Error).Code), "path_refused")
}

func TestABodyIsSentAgainIfItCanBe(t *testing.T) {
	world := newWorld(t)
	var calls atomic.Int64
	world.serve = func(writer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		switch calls.Add(1) {
		case 1:
			writer.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler)
		default:
			_, _ = writer.Write(body)
		}
	}
	storage := world.client(t)
	body := bytes.Repeat([]byte("abc"), 100_000)
	response, err := storage.Do(newRequest(t, t.Context(), http.MethodPut, "/v1/a", bytes.NewReader(body)))
	expect(t, "a reader of bytes", text(t, response, err), "200 "+string(body))
	calls.Store(0)
	once := &closing{Reader: strings.NewReader("abc")}
	response, err = storage.Do(newRequest(t, t.Context(), http.MethodPut, "/v1/a", once))
	expect(t, "a stream", text(t, response, err), "503")
	token, _ := storage.Token(t.Context(), client.Write)
	world.revoked.Store(token.AccessToken.Reveal(), true)
	once = &closing{Reader: strings.NewReader("abc")}
	_, err = storage.Do(newRequest(t, t.Context(), http.MethodPut, "/v1/a", once))
	var failure *client.Error
	if !errors.As(err, &failure) || failure.Code != client.BodyNotRepeatable || !once.isClosed.Load() {
		t.Error(err)
	}
}

type closing struct {
	io.Reader
	isClosed atomic.Bool
}

func (body *closing) Close() error {
	body.isClosed.Store(true)
	return nil
}

func TestABodyIsClosedWhateverHappens(t *testing.T) {
	world := newWorld(t)
	options := world.options()
	options.HubTokenFunc, options.HubToken = func(context.Context) (string, error) { return "", errors.New("no file") }, client.Secret{}
	withoutToken := world.open(t, options)
	closed := world.client(t)
	closed.Close()
	for name, storage := range map[string]*client.Client{"no file": withoutToken, "closed: The client is closed.": closed} {
		body := &closing{Reader: strings.NewReader("abc")}
		_, err := storage.Do(newRequest(t, t.Context(), http.MethodPut, "/v1/a", body))
		expect(t, "the error", fmt.Sprint(err), name)
		if !body.isClosed.Load() {
			t.Errorf("%s: the body is open", name)
		}
	}
}

func TestAReaderThatFailsIsNotTheFaultOfTheStorage(t *testing.T) {
	world := newWorld(t)
	broken := errors.New("the disk is gone")
	_, err := world.client(t).Do(newRequest(t, t.Context(), http.MethodPut, "/v1/a", io.MultiReader(strings.NewReader("abc"), failing{broken})))
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (reader failing) Read([]byte) (int, error) { return 0, reader.err }

func TestACallerLeavesAndTheOthersGoOn(t *testing.T) {
	world := newWorld(t)
	began, goOn := make(chan struct{}), make(chan struct{})
	options := world.options()
	options.HubToken = client.Secret{}
	options.HubTokenFunc = func(context.Context) (string, error) {
		close(began)
		<-goOn
		return hubToken, nil
	}
	storage := world.open(t, options)
	ctx, cancel := context.WithCancel(t.Context())
	left, stayed := make(chan error), make(chan error)
	go func() {
		_, err := storage.Token(ctx, client.Read)
		left <- err
	}()
	<-began
	go func() {
		_, err := storage.Token(t.Context(), client.Read)
		stayed <- err
	}()
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(goOn)
	if err := <-stayed; err != nil {
		t.Error(err)
	}
	if count := world.issued.Load(); count != 1 {
		t.Errorf("%d token requests", count)
	}
}

// slowHub waits before each token request but the first.
type slowHub struct {
	http.RoundTripper
	requests atomic.Int64
}

func (transport *slowHub) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.Contains(request.URL.Path, "-token/") && transport.requests.Add(1) > 1 {
		time.Sleep(5 * time.Second)
	}
	return transport.RoundTripper.RoundTrip(request)
}

func TestACallAndARefreshInTheBackgroundShareOneRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		options, slow := world.options(), &slowHub{RoundTripper: world.transport}
		options.Transport = slow
		storage := world.open(t, options)
		token, err := storage.Token(t.Context(), client.Read)
		if err != nil {
			t.Fatal(err)
		}
		for slow.requests.Load() == 1 {
			time.Sleep(time.Second)
		}
		world.revoked.Store(token.AccessToken.Reveal(), true)
		_, err = storage.Download(t.Context(), world.keep(nil), io.Discard, client.DownloadOptions{})
		if err != nil || world.issued.Load() != 2 {
			t.Errorf("%d token requests, %v", world.issued.Load(), err)
		}
	})
}

// No value that a program may print has a token, however it is printed.
func TestNoValueOfTheClientPrintsAToken(t *testing.T) {
	world := newWorld(t)
	storage := world.client(t)
	source := storage.TokenSource(t.Context(), client.Read)
	token, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	response, err := storage.HTTPClient().Get("/v1/a")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	values := []any{storage, source, &source, token, *token, world.options(), response, response.Request, response.Body, storage.HTTPClient(), err}
	for _, value := range values {
		logger.Info("value", "value", value)
		text, _ := json.Marshal(value)
		shown := string(text) + fmt.Sprintf("%v %+v %#v %s %q %x", value, value, value, value, value, value)
		for _, secret := range []string{hubToken, token.AccessToken.Reveal()} {
			if strings.Contains(shown+log.String(), secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) {
				t.Errorf("%T is printed with %s", value, secret)
			}
		}
	}
}

func TestCloseEndsRequestsAndBodies(t *testing.T) {
	world := newWorld(t)
	world.serve = func(writer http.ResponseWriter, request *http.Request) {
		_, _ = io.WriteString(writer, "begin")
		_ = http.NewResponseController(writer).Flush()
		<-request.Context().Done()
	}
	storage := world.client(t)
	response, err := storage.Do(newRequest(t, t.Context(), http.MethodGet, "/v1/a", nil))
	if err != nil {
		t.Fatal(err)
	}
	storage.Close()
	if _, err := io.ReadAll(response.Body); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, err = storage.Token(t.Context(), client.Read)
	expect(t, "a closed client", fmt.Sprint(err), "closed: The client is closed.")
}

func TestASecretIsNotPrinted(t *testing.T) {
	secret := client.NewSecret(hubToken)
	within := struct{ hidden client.Secret }{secret}
	options := client.Options{HubToken: secret}
	token := client.Token{AccessToken: secret}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("text", "secret", secret, "token", token, "options", options)
	text, err := json.Marshal(map[string]any{"secret": secret, "token": token})
	if err != nil {
		t.Fatal(err)
	}
	printed := fmt.Sprintf("%v %+v %#v %s %q %x %d|%v %+v %#v|%v %+v %#v|%v %+v %#v",
		secret, secret, secret, secret, secret, secret, secret, within, within, within, options, options, options, token, token, token)
	for _, shown := range []string{log.String(), string(text), printed} {
		if strings.Contains(shown, hubToken) || strings.Contains(shown, fmt.Sprintf("%x", hubToken)) {
			t.Error(shown)
		}
	}
	if secret.Reveal() != hubToken || secret.IsZero() || !(client.Secret{}).IsZero() || (client.Secret{}).Reveal() != "" {
		t.Error("a secret is not what it was made of")
	}
}

// A soak runs it under the race detector.
func TestFiveThousandGoroutinesShareTokensOverRealConnections(t *testing.T) {
	world := newWorld(t)
	storage := world.client(t)
	const goroutines = 5000
	atATime := make(chan struct{}, 64)
	for round := range 3 {
		if round > 0 {
			token, err := storage.Token(t.Context(), client.Read)
			if err != nil {
				t.Fatal(err)
			}
			world.revoked.Store(token.AccessToken.Reveal(), true)
		}
		var calls sync.WaitGroup
		for index := range goroutines {
			calls.Go(func() {
				if _, err := storage.Token(t.Context(), client.Read); err != nil {
					t.Error(err)
				}
				if index%10 > 0 {
					return
				}
				atATime <- struct{}{}
				defer func() { <-atATime }()
				response, err := storage.HTTPClient().Get("/v1/a")
				if answer := text(t, response, err); answer != "200" {
					t.Error(answer)
				}
			})
		}
		calls.Wait()
	}
	if count := world.issued.Load(); count != 3 {
		t.Errorf("%d token requests, expected one for each round", count)
	}
}
