package client_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"latchkey/client"
)

// keep gives the storage a file.
func (world *fileWorld) keep(content []byte) (hash string) {
	world.mutex.Lock()
	defer world.mutex.Unlock()
	hash = hashOf(content)
	world.files[hash] = content
	return hash
}

// fetches expects that a file arrives, whatever happens on its way.
func (world *fileWorld) fetches(storage *client.Client, faults ...fault) {
	world.t.Helper()
	kept := content(size)
	hash := world.keep(kept)
	world.failing(faults...)
	var received bytes.Buffer
	file, err := storage.Download(world.t.Context(), hash, &received, client.DownloadOptions{})
	if err != nil {
		world.t.Fatal(err)
	}
	if !bytes.Equal(received.Bytes(), kept) || file != (client.File{Hash: hash, SHA256: sha256Of(kept), Size: size}) {
		world.t.Errorf("%d bytes of %+v are not what the storage has", received.Len(), file)
	}
}

// broken sends so many bytes of what was requested, and breaks the connection.
func (world *fileWorld) broken(after int) fault {
	return func(writer http.ResponseWriter, request *http.Request) bool {
		limited := &limitedWriter{ResponseWriter: writer, left: after}
		world.get(limited, request, strings.TrimPrefix(request.URL.Path, "/r/bert/main/v1/files/"))
		_ = http.NewResponseController(writer).Flush()
		panic(http.ErrAbortHandler)
	}
}

type limitedWriter struct {
	http.ResponseWriter
	left int
}

func (writer *limitedWriter) Write(text []byte) (int, error) {
	count := min(len(text), writer.left)
	writer.left -= count
	_, _ = writer.ResponseWriter.Write(text[:count])
	return len(text), nil
}

func TestADownloadGoesOnWhereItWasInterrupted(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage, same := world.client(), ` "`+hashOf(content(size))+`"`
		world.fetches(storage)
		world.expectSeen("one request", "GET")
		world.fetches(storage, world.broken(100_000), world.broken(0), status(http.StatusBadGateway), world.broken(150_000))
		world.expectSeen("three breaks", "GET",
			"GET bytes=100000-"+same, "GET bytes=100000-"+same, "GET bytes=100000-"+same, "GET bytes=250000-"+same)
		start := time.Now()
		world.fetches(storage, world.broken(7), status(http.StatusTooManyRequests, "Retry-After", "7"))
		if took := time.Since(start); took < 7*time.Second || took > 9*time.Second {
			t.Errorf("a limit of 7 s took %s", took)
		}
		whole := func(_ http.ResponseWriter, request *http.Request) bool {
			request.Header.Del("Range")
			return true
		}
		world.fetches(storage, world.broken(100), whole)
		some := func(_ http.ResponseWriter, request *http.Request) bool {
			request.Header.Set("Range", "bytes=100-199")
			return true
		}
		world.fetches(storage, world.broken(100), some)
		world.expectSeen("a part", "GET", "GET bytes=100-"+same, "GET bytes=200-"+same)
		if world.issued.Load() != 1 {
			t.Errorf("%d tokens", world.issued.Load())
		}
	})
}

func TestADownloadGivesUpWhenThereIsNoProgressForLong(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage, hash := world.client(), world.keep(content(size))
		never := make([]fault, 100)
		for index := range never {
			never[index] = world.broken(0)
		}
		world.failing(never...)
		start := time.Now()
		_, err := storage.Download(t.Context(), hash, io.Discard, client.DownloadOptions{})
		expectCode(t, err, client.StorageUnreachable)
		if took := time.Since(start); took > time.Minute+time.Second || len(world.seen) > 20 {
			t.Errorf("gave up after %s and %d requests", took, len(world.seen))
		}
		slow := make([]fault, 0, 100)
		for range 50 {
			slow = append(slow, world.broken(1000), status(http.StatusServiceUnavailable, "Retry-After", "50"))
		}
		world.fetches(storage, slow...)
	})
}

func TestNoByteOfAStorageIsBelieved(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		kept := content(1000)
		hash, body := world.keep(kept), string(kept)
		partial := func(contentRange, body string) fault {
			return respond(http.StatusPartialContent, body, "Content-Range", contentRange, "Content-Length", strconv.Itoa(len(body)))
		}
		first := world.broken(100)
		for name, each := range map[string]struct {
			faults []fault
			code   client.Code
		}{
			"other bytes":              {[]fault{respond(200, "a"+body[1:])}, client.ContentInvalid},
			"too few bytes":            {[]fault{respond(200, body[1:])}, client.ContentInvalid},
			"too many bytes":           {[]fault{respond(200, body+"a")}, client.ContentInvalid},
			"other bytes at the end":   {[]fault{first, partial("bytes 100-999/1000", body[99:999])}, client.ContentInvalid},
			"an earlier part":          {[]fault{first, partial("bytes 0-999/1000", body)}, client.AnswerInvalid},
			"a later part":             {[]fault{first, partial("bytes 101-999/1000", body[101:])}, client.AnswerInvalid},
			"a part beyond the end":    {[]fault{first, partial("bytes 100-1000/1000", body[99:])}, client.AnswerInvalid},
			"an empty part":            {[]fault{first, partial("bytes 100-99/1000", "")}, client.AnswerInvalid},
			"another length":           {[]fault{first, partial("bytes 100-999/1001", body[100:])}, client.AnswerInvalid},
			"an unknown length":        {[]fault{first, partial("bytes 100-999/*", body[100:])}, client.AnswerInvalid},
			"a part of another length": {[]fault{first, partial("bytes 100-999/1000", body)}, client.AnswerInvalid},
			"numbers without end":      {[]fault{first, partial("bytes 100-"+strings.Repeat("9", 30)+"/"+strings.Repeat("9", 30), body)}, client.AnswerInvalid},
			"no Content-Range":         {[]fault{first, partial("", body[100:])}, client.AnswerInvalid},
			"a part of the whole":      {[]fault{partial("bytes 0-999/1000", body)}, client.AnswerInvalid},
			"no length":                {[]fault{endless}, client.AnswerInvalid},
			"another file":             {[]fault{first, respond(200, body[1:])}, client.AnswerInvalid},
			"a redirect":               {[]fault{respond(302, "", "Location", "http://evil.example/")}, client.AnswerInvalid},
			"no content":               {[]fault{respond(204, "")}, client.AnswerInvalid},
			"an end that is not there": {[]fault{first, respond(416, "", "Content-Range", "bytes */100")}, "bad_request"},
			"no file":                  {[]fault{status(404)}, "from_a_proxy"},
			"a long problem":           {[]fault{respond(404, strings.Repeat("a", 2<<20))}, "not_found"},
			"a denial":                 {[]fault{status(403)}, "from_a_proxy"},
		} {
			world.failing(each.faults...)
			_, err := world.client().Download(t.Context(), hash, io.Discard, client.DownloadOptions{})
			if codeOf(err) != each.code {
				t.Errorf("%s: %v, expected %s", name, err, each.code)
			}
		}
		longer := respond(200, "", "Content-Length", "1000000000")
		world.failing(longer)
		_, err := world.client().Download(t.Context(), hash, io.Discard, client.DownloadOptions{MaxBytes: 1000})
		expectCode(t, err, client.ContentInvalid)
	})
}

// endless has neither a length nor an end.
func endless(writer http.ResponseWriter, request *http.Request) bool {
	for request.Context().Err() == nil {
		if _, err := io.WriteString(writer, strings.Repeat("a", 10_000)); err != nil {
			return false
		}
	}
	return false
}

func TestADownloadIsComparedWithTheSHA256ThatItsCallerKnows(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		kept, storage := content(size), world.client()
		// Another client has cut the file into other chunks.
		hash := strings.Repeat("ab", 32)
		world.files[hash] = kept
		_, err := storage.Download(t.Context(), hash, io.Discard, client.DownloadOptions{})
		expectCode(t, err, client.ContentInvalid)
		file, err := storage.Download(t.Context(), hash, io.Discard, client.DownloadOptions{SHA256: sha256Of(kept)})
		if err != nil || file.Hash != hash {
			t.Error(file, err)
		}
		_, err = storage.Download(t.Context(), hash, io.Discard, client.DownloadOptions{SHA256: sha256Of(nil)})
		expectCode(t, err, client.ContentInvalid)
		empty := world.keep(nil)
		file, err = storage.Download(t.Context(), empty, io.Discard, client.DownloadOptions{})
		if err != nil || file != (client.File{Hash: strings.Repeat("0", 64), SHA256: sha256Of(nil)}) {
			t.Error(file, err)
		}
	})
}

func TestADownloadEndsWithItsWriterItsContextAndItsClient(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage, hash := world.client(), world.keep(content(size))
		full := errors.New("the disk is full")
		if _, err := storage.Download(t.Context(), hash, writerTo(full), client.DownloadOptions{}); !errors.Is(err, full) {
			t.Error(err)
		}
		silent := func(writer http.ResponseWriter, request *http.Request) bool {
			writer.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(writer, "begin")
			_ = http.NewResponseController(writer).Flush()
			<-request.Context().Done()
			return false
		}
		world.failing(silent)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := storage.Download(ctx, hash, io.Discard, client.DownloadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		world.failing(silent)
		time.AfterFunc(time.Minute, storage.Close)
		_, err := storage.Download(t.Context(), hash, io.Discard, client.DownloadOptions{})
		expectCode(t, err, client.Closed)
		for _, hash := range []string{"", "../v1/shards", strings.Repeat("A", 64), hash + "\n", hash + "?a", hash[:63]} {
			_, err := storage.Download(t.Context(), hash, io.Discard, client.DownloadOptions{})
			expectCode(t, err, client.BadOption)
		}
		for _, options := range []client.DownloadOptions{{SHA256: "a"}, {MaxBytes: -1}} {
			_, err := storage.Download(t.Context(), hash, io.Discard, options)
			expectCode(t, err, client.BadOption)
		}
	})
}

type failingWriter struct{ err error }

func writerTo(err error) io.Writer { return failingWriter{err} }

func (writer failingWriter) Write([]byte) (int, error) { return 0, writer.err }

func TestAFileAppearsUnderItsNameWhenAllOfItIsThere(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage, hash, folder := world.client(), world.keep(content(size)), t.TempDir()
		name := filepath.Join(folder, "model.bin")
		expectFolder := func(expected string) {
			t.Helper()
			entries, err := os.ReadDir(folder)
			if err != nil || len(entries) != 1 || entries[0].Name() != "model.bin" {
				t.Error(entries, err)
			}
			text, err := os.ReadFile(name)
			if err != nil || string(text) != expected {
				t.Errorf("%d bytes, %v", len(text), err)
			}
		}
		if err := os.WriteFile(name, []byte("an older one"), 0o600); err != nil {
			t.Fatal(err)
		}
		world.failing(respond(http.StatusOK, "other bytes"))
		_, err := storage.DownloadFile(t.Context(), hash, name, client.DownloadOptions{})
		expectCode(t, err, client.ContentInvalid)
		expectFolder("an older one")
		world.failing(world.broken(10), status(http.StatusNotFound))
		_, err = storage.DownloadFile(t.Context(), hash, name, client.DownloadOptions{})
		expectCode(t, err, "from_a_proxy")
		expectFolder("an older one")
		if _, err := storage.DownloadFile(t.Context(), hash, name, client.DownloadOptions{}); err != nil {
			t.Error(err)
		}
		expectFolder(string(content(size)))
		_, err = storage.DownloadFile(t.Context(), hash, filepath.Join(folder, "none", "a"), client.DownloadOptions{})
		if !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
}
