package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"latchkey/client"
	"latchkey/internal/xet"
)

// fileWorld is a hub and a storage of files over connections in memory, so that their time can be that of the test. A test runs
// in a bubble of package synctest.
type fileWorld struct {
	*world
	t         *testing.T
	transport *http.Transport

	mutex   sync.Mutex
	uploads map[string]*storedUpload
	files   map[string][]byte
	// seen are the requests for files, without tokens.
	seen []string
	// received counts the bytes of all bodies.
	received int
	// faults are what happens to the next requests, one each; nil is none.
	faults []fault
}

type storedUpload struct {
	bytes []byte
	file  map[string]any
}

// fault responds itself, or returns true to go on.
type fault func(writer http.ResponseWriter, request *http.Request) bool

func newFileWorld(t *testing.T) *fileWorld {
	// A server lingers on connections that it ended early.
	t.Cleanup(func() { time.Sleep(time.Second) })
	made := &fileWorld{world: &world{}, t: t, uploads: map[string]*storedUpload{}, files: map[string][]byte{}}
	dial := map[string]func() (net.Conn, error){
		"localhost:1": made.listen(http.HandlerFunc(made.issue)),
		"localhost:2": made.listen(http.HandlerFunc(made.store)),
	}
	made.transport = &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
		if dial[address] == nil {
			t.Errorf("a connection to %s", address)
			return nil, net.ErrClosed
		}
		return dial[address]()
	}}
	t.Cleanup(made.transport.CloseIdleConnections)
	made.storageURL = "http://localhost:2"
	made.serve = made.serveFiles
	return made
}

// listen serves connections of net.Pipe.
func (world *fileWorld) listen(handler http.Handler) func() (net.Conn, error) {
	listener := &pipes{connections: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = server.Serve(listener) }()
	world.t.Cleanup(func() { _ = server.Close() })
	return func() (net.Conn, error) {
		near, far := net.Pipe()
		listener.connections <- far
		return near, nil
	}
}

type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
	closing     sync.Once
}

func (pipes *pipes) Accept() (net.Conn, error) {
	select {
	case connection := <-pipes.connections:
		return connection, nil
	case <-pipes.closed:
		return nil, net.ErrClosed
	}
}

func (pipes *pipes) Close() error {
	pipes.closing.Do(func() { close(pipes.closed) })
	return nil
}

func (pipes *pipes) Addr() net.Addr { return &net.IPAddr{} }

func (world *fileWorld) options() client.Options {
	return client.Options{
		HubURL: "http://localhost:1", HubToken: client.NewSecret(hubToken), Repository: "models/acme/bert", Transport: world.transport,
	}
}

func (world *fileWorld) client() *client.Client {
	world.t.Helper()
	return world.open(world.t, world.options())
}

// failing makes the next requests fail, and forgets those before.
func (world *fileWorld) failing(faults ...fault) {
	world.mutex.Lock()
	defer world.mutex.Unlock()
	world.faults, world.seen, world.received = faults, nil, 0
}

func (world *fileWorld) nextFault(request *http.Request) fault {
	world.mutex.Lock()
	defer world.mutex.Unlock()
	// It comes when the test has gone on.
	if request.Method == http.MethodDelete {
		return nil
	}
	line := []string{request.Method}
	for _, name := range []string{"Content-Range", "Range", "If-Range"} {
		if value := request.Header.Get(name); value != "" {
			line = append(line, value)
		}
	}
	world.seen = append(world.seen, strings.Join(line, " "))
	if len(world.faults) == 0 {
		return nil
	}
	next := world.faults[0]
	if len(world.faults) > 1 {
		world.faults = world.faults[1:]
	} else {
		world.faults = nil
	}
	return next
}

func (world *fileWorld) serveFiles(writer http.ResponseWriter, request *http.Request) {
	if fault := world.nextFault(request); fault != nil && !fault(writer, request) {
		return
	}
	path, id := strings.TrimPrefix(request.URL.Path, "/r/bert/main"), request.URL.Query().Get("upload")
	switch {
	case request.Method == http.MethodPut && path == "/v1/files":
		world.put(writer, request, id)
	case request.Method == http.MethodHead && path == "/v1/files":
		world.describe(writer, id)
	case request.Method == http.MethodDelete && path == "/v1/files":
		world.mutex.Lock()
		delete(world.uploads, id)
		world.mutex.Unlock()
		writer.WriteHeader(http.StatusNoContent)
	case request.Method == http.MethodGet && strings.HasPrefix(path, "/v1/files/"):
		world.get(writer, request, strings.TrimPrefix(path, "/v1/files/"))
	default:
		problem(writer, http.StatusNotFound, "resource_not_found")
	}
}

func problem(writer http.ResponseWriter, status int, code string) {
	writer.WriteHeader(status)
	_ = json.NewEncoder(writer).Encode(map[string]any{"code": code, "detail": "The storage says no."})
}

// put follows the contract of resumable uploads.
func (world *fileWorld) put(writer http.ResponseWriter, request *http.Request, id string) {
	start, total, isWhole := 0, int(request.ContentLength), true
	if text := request.Header.Get("Content-Range"); strings.HasPrefix(text, "bytes */") {
		world.state(writer, id)
		return
	} else if text != "" {
		end := 0
		if _, err := fmt.Sscanf(text, "bytes %d-%d/%d", &start, &end, &total); err != nil {
			problem(writer, http.StatusBadRequest, "bad_request")
			return
		}
		isWhole = end == total-1
	}
	upload := world.upload(id)
	if upload.file == nil {
		if start != len(upload.bytes) {
			writer.Header().Set("Upload-Offset", strconv.Itoa(len(upload.bytes)))
			problem(writer, http.StatusConflict, "upload_offset_mismatch")
			return
		}
		if err := world.receive(upload, request.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
		if isWhole && len(upload.bytes) == total {
			world.complete(upload)
		}
	}
	world.state(writer, id)
}

func (world *fileWorld) upload(id string) *storedUpload {
	world.mutex.Lock()
	defer world.mutex.Unlock()
	if world.uploads[id] == nil {
		world.uploads[id] = &storedUpload{}
	}
	return world.uploads[id]
}

// receive keeps what arrives before a connection breaks.
func (world *fileWorld) receive(upload *storedUpload, body io.Reader) error {
	buffer := make([]byte, 4096)
	for {
		count, err := body.Read(buffer)
		world.mutex.Lock()
		upload.bytes = append(upload.bytes, buffer[:count]...)
		world.received += count
		world.mutex.Unlock()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (world *fileWorld) complete(upload *storedUpload) {
	hash := hashOf(upload.bytes)
	upload.file = map[string]any{"hash": hash, "sha256": sha256Of(upload.bytes), "size": len(upload.bytes)}
	world.mutex.Lock()
	defer world.mutex.Unlock()
	world.files[hash] = upload.bytes
}

func (world *fileWorld) state(writer http.ResponseWriter, id string) {
	upload := world.upload(id)
	if upload.file != nil {
		_ = json.NewEncoder(writer).Encode(upload.file)
		return
	}
	writer.Header().Set("Upload-Offset", strconv.Itoa(len(upload.bytes)))
	writer.WriteHeader(http.StatusAccepted)
}

func (world *fileWorld) describe(writer http.ResponseWriter, id string) {
	world.mutex.Lock()
	upload := world.uploads[id]
	world.mutex.Unlock()
	if upload == nil {
		writer.WriteHeader(http.StatusNotFound)
		return
	}
	isComplete := "?0"
	if upload.file != nil {
		isComplete = "?1"
	}
	writer.Header().Set("Upload-Complete", isComplete)
	writer.Header().Set("Upload-Offset", strconv.Itoa(len(upload.bytes)))
	writer.WriteHeader(http.StatusNoContent)
}

func (world *fileWorld) get(writer http.ResponseWriter, request *http.Request, hash string) {
	world.mutex.Lock()
	content, found := world.files[hash]
	world.mutex.Unlock()
	if !found {
		problem(writer, http.StatusNotFound, "resource_not_found")
		return
	}
	writer.Header().Set("ETag", `"`+hash+`"`)
	http.ServeContent(writer, request, "", time.Time{}, bytes.NewReader(content))
}

func (world *fileWorld) expectSeen(what string, expected ...string) {
	world.t.Helper()
	world.mutex.Lock()
	defer world.mutex.Unlock()
	expect(world.t, what, strings.Join(world.seen, "\n"), strings.Join(expected, "\n"))
}

// Faults

// status responds with a code, and has read nothing.
func status(code int, headers ...string) fault {
	return func(writer http.ResponseWriter, _ *http.Request) bool {
		for index := 0; index < len(headers); index += 2 {
			writer.Header().Set(headers[index], headers[index+1])
		}
		problem(writer, code, "from_a_proxy")
		return false
	}
}

// respond sends a status with headers and a body.
func respond(code int, body string, headers ...string) fault {
	return func(writer http.ResponseWriter, _ *http.Request) bool {
		for index := 0; index < len(headers); index += 2 {
			writer.Header().Set(headers[index], headers[index+1])
		}
		writer.WriteHeader(code)
		_, _ = io.WriteString(writer, body)
		return false
	}
}

// cut breaks the connection when so many bytes of the body are stored.
func (world *fileWorld) cut(after int64) fault {
	return func(_ http.ResponseWriter, request *http.Request) bool {
		_ = world.receive(world.upload(request.URL.Query().Get("upload")), io.LimitReader(request.Body, after))
		panic(http.ErrAbortHandler)
	}
}

// mute does what it should, and breaks the connection instead of the response.
func (world *fileWorld) mute(writer http.ResponseWriter, request *http.Request) bool {
	world.put(discarding{writer}, request, request.URL.Query().Get("upload"))
	panic(http.ErrAbortHandler)
}

type discarding struct{ http.ResponseWriter }

func (discarding) Write(text []byte) (int, error) { return len(text), nil }
func (discarding) WriteHeader(int)                {}

func sha256Of(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func hashOf(content []byte) string {
	hasher := xet.Hasher{}
	_, _ = hasher.Write(content)
	return hasher.Sum()
}
