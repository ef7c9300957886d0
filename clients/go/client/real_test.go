package client_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"latchkey/client"
)

// With LATCHKEY_HUB the test binary transfers files at that hub and its storage, over connections that break, and tests nothing
// else. packages/cli/test/go-client.test.ts starts both.
func TestMain(m *testing.M) {
	if os.Getenv("LATCHKEY_HUB") == "" {
		os.Exit(m.Run())
	}
	if err := transferAtRealStorage(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const realSize = 12_000_000

func transferAtRealStorage() error {
	breaking := &breakingTransport{}
	storage, err := client.New(client.Options{
		HubURL:     os.Getenv("LATCHKEY_HUB"),
		HubToken:   client.NewSecret(os.Getenv("LATCHKEY_HUB_TOKEN")),
		Repository: "models/acme/bert",
		Transport:  breaking,
	})
	if err != nil {
		return err
	}
	defer storage.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	kept := content(realSize)
	breaking.breakAfter(10_000_000, 1<<40)
	file, err := storage.Upload(ctx, bytes.NewReader(kept), realSize, client.UploadOptions{ID: "of-the-test"})
	if err != nil {
		return fmt.Errorf("the upload: %w", err)
	}
	if file.Hash != hashOf(kept) || file.SHA256 != sha256Of(kept) || file.Size != realSize {
		return fmt.Errorf("the upload is %+v", file)
	}
	if sent := breaking.sent(); !strings.HasPrefix(sent, "HEAD|PUT bytes 0-") || strings.Contains(strings.TrimPrefix(sent, "HEAD|PUT bytes 0-"), "PUT bytes 0-") || breaking.breaks.Load() != 1 {
		return fmt.Errorf("the upload was not continued: %s", sent)
	}
	again, err := storage.Upload(ctx, bytes.NewReader(kept), realSize, client.UploadOptions{ID: "of-the-test"})
	if err != nil || again != file || breaking.sent() != "HEAD|PUT bytes */12000000" {
		return fmt.Errorf("an upload that is complete: %+v, %v, %s", again, err, breaking.sent())
	}
	breaking.breakAfter(1<<40, 5_000_000)
	var received bytes.Buffer
	_, err = storage.Download(ctx, file.Hash, &received, client.DownloadOptions{})
	if err != nil || !bytes.Equal(received.Bytes(), kept) || breaking.breaks.Load() != 1 {
		return fmt.Errorf("the download: %d bytes, %w", received.Len(), err)
	}
	if sent := breaking.sent(); !strings.HasPrefix(sent, "GET|GET bytes=") {
		return fmt.Errorf("the download was not continued: %s", sent)
	}
	for _, size := range []int64{0, 1, 70_000} {
		small, err := storage.Upload(ctx, bytes.NewReader(kept), size, client.UploadOptions{})
		if err != nil {
			return fmt.Errorf("the upload of %d bytes: %w", size, err)
		}
		received.Reset()
		if _, err := storage.Download(ctx, small.Hash, &received, client.DownloadOptions{}); err != nil || !bytes.Equal(received.Bytes(), kept[:size]) {
			return fmt.Errorf("the download of %d bytes: %w", size, err)
		}
	}
	_, err = storage.Download(ctx, strings.Repeat("ab", 32), io.Discard, client.DownloadOptions{})
	if code := codeOf(err); code != "resource_not_found" {
		return fmt.Errorf("a file that is not there: %v", err)
	}
	return nil
}

// breakingTransport breaks the next connection that has sent or received so many bytes, and only that.
type breakingTransport struct {
	http.Transport
	requests      []string
	toSend, toGet atomic.Int64
	breaks        atomic.Int64
}

func (breaking *breakingTransport) breakAfter(sent, received int64) {
	breaking.CloseIdleConnections()
	breaking.toSend.Store(sent)
	breaking.toGet.Store(received)
	breaking.breaks.Store(0)
	breaking.requests = nil
	breaking.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &breakingConnection{connection, breaking}, err
	}
}

// sent has the requests to the storage.
func (breaking *breakingTransport) sent() string {
	sent := strings.Join(breaking.requests, "|")
	breaking.requests = nil
	return sent
}

func (breaking *breakingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.Contains(request.URL.Path, "/v1/files") {
		line := request.Method + " " + request.Header.Get("Content-Range") + request.Header.Get("Range")
		breaking.requests = append(breaking.requests, strings.TrimSpace(line))
	}
	return breaking.Transport.RoundTrip(request)
}

type breakingConnection struct {
	net.Conn
	transport *breakingTransport
}

func (connection *breakingConnection) Write(bytes []byte) (int, error) {
	return connection.count(&connection.transport.toSend, bytes, connection.Conn.Write)
}

func (connection *breakingConnection) Read(bytes []byte) (int, error) {
	return connection.count(&connection.transport.toGet, bytes, connection.Conn.Read)
}

func (connection *breakingConnection) count(left *atomic.Int64, bytes []byte, do func([]byte) (int, error)) (int, error) {
	count, err := do(bytes)
	if rest := left.Add(-int64(count)); rest <= 0 && rest+int64(count) > 0 {
		connection.transport.breaks.Add(1)
		_ = connection.Conn.Close()
	}
	return count, err
}
