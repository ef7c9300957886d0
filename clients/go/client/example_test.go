package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"latchkey/client"
)

// demo is a hub and a storage for the examples.
func demo() (hubURL string, stop func()) {
	made := &fileWorld{world: &world{}, uploads: map[string]*storedUpload{}, files: map[string][]byte{}}
	made.serve = func(writer http.ResponseWriter, request *http.Request) {
		if strings.HasSuffix(request.URL.Path, "/v1/hello") {
			_, _ = io.WriteString(writer, "hello")
			return
		}
		made.serveFiles(writer, request)
	}
	storage := httptest.NewServer(http.HandlerFunc(made.store))
	made.storageURL = storage.URL
	hub := httptest.NewServer(http.HandlerFunc(made.issue))
	return hub.URL, func() {
		hub.Close()
		storage.Close()
	}
}

func open(hubURL string) *client.Client {
	storage, err := client.New(client.Options{
		HubURL:     hubURL,
		HubToken:   client.NewSecret(hubToken),
		Repository: "models/acme/bert",
	})
	if err != nil {
		panic(err)
	}
	return storage
}

func Example() {
	hubURL, stop := demo()
	defer stop()
	storage, err := client.New(client.Options{
		HubURL:     hubURL,
		HubToken:   client.NewSecret(hubToken),
		Repository: "models/acme/bert",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer storage.Close()
	content := "the weights of a model"
	ctx := context.Background()
	file, err := storage.Upload(ctx, strings.NewReader(content), int64(len(content)), client.UploadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = storage.Download(ctx, file.Hash, os.Stdout, client.DownloadOptions{})
	fmt.Println("", err)
	// Output: the weights of a model <nil>
}

func ExampleClient_HTTPClient() {
	hubURL, stop := demo()
	defer stop()
	storage := open(hubURL)
	defer storage.Close()
	response, err := storage.HTTPClient().Get("/v1/hello")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(text))
	// Output: 200 hello
}

func ExampleClient_Token() {
	hubURL, stop := demo()
	defer stop()
	storage := open(hubURL)
	defer storage.Close()
	token, err := storage.Token(context.Background(), client.Read)
	fmt.Println(token.Scope, token.AccessToken, err)
	// Output: read [secret] <nil>
}

// oauth2Token stands for oauth2.Token of golang.org/x/oauth2.
type oauth2Token struct {
	AccessToken, TokenType string
	Expiry                 time.Time
}

type tokenSource struct{ client.TokenSource }

func (source tokenSource) Token() (*oauth2Token, error) {
	token, err := source.TokenSource.Token()
	if err != nil {
		return nil, err
	}
	return &oauth2Token{AccessToken: token.AccessToken.Reveal(), TokenType: "Bearer", Expiry: token.ExpiresAt}, nil
}

// The type tokenSource makes an oauth2.TokenSource of a client.TokenSource.
func ExampleClient_TokenSource() {
	hubURL, stop := demo()
	defer stop()
	storage := open(hubURL)
	defer storage.Close()
	source := tokenSource{storage.TokenSource(context.Background(), client.Read)}
	token, err := source.Token()
	fmt.Println(token.AccessToken, token.TokenType, err)
	// Output: access.1.read Bearer <nil>
}

func ExampleError() {
	hub := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		writer.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(writer).Encode(map[string]string{"code": "permission_denied", "detail": "Ask an administrator."})
	}))
	defer hub.Close()
	_, err := open(hub.URL).Token(context.Background(), client.Write)
	var failure *client.Error
	if errors.As(err, &failure) {
		fmt.Println(failure.Code, failure.Status, failure.Message)
	}
	// Output: permission_denied 403 Ask an administrator.
}
