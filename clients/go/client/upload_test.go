package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"latchkey/client"
)

// inBubble runs a test with a file world whose time passes only when all wait.
func inBubble(t *testing.T, test func(t *testing.T, world *fileWorld)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newFileWorld(t)) })
}

// content is the same bytes each time, and no two parts of it are alike.
func content(size int) []byte {
	made, state := make([]byte, size), uint64(88172645463325252)
	for index := range made {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		made[index] = byte(state >> 32)
	}
	return made
}

const size = 300_000

// stores expects that a file arrives, whatever happens on its way.
func (world *fileWorld) stores(storage *client.Client, options client.UploadOptions, faults ...fault) {
	world.t.Helper()
	sent := content(size)
	world.failing(faults...)
	file, err := storage.Upload(world.t.Context(), bytes.NewReader(sent), size, options)
	if err != nil {
		world.t.Fatal(err)
	}
	if !bytes.Equal(world.files[file.Hash], sent) || file.Size != size || file.SHA256 != sha256Of(sent) {
		world.t.Errorf("the storage has not what was sent, but %+v", file)
	}
}

func TestAFileIsUploadedInOneRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		world.stores(world.client(), client.UploadOptions{})
		world.expectSeen("requests", "PUT bytes 0-299999/300000")
		world.failing()
		file, err := world.client().Upload(t.Context(), bytes.NewReader(nil), 0, client.UploadOptions{})
		if err != nil || file.Size != 0 {
			t.Error(file, err)
		}
		world.expectSeen("an empty file", "PUT")
	})
}

func TestAnUploadGoesOnWhereItWasInterrupted(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage := world.client()
		world.stores(storage, client.UploadOptions{}, world.cut(100_000), nil, world.cut(0), status(http.StatusServiceUnavailable), nil, world.cut(199_999))
		world.expectSeen("three breaks",
			"PUT bytes 0-299999/300000", "HEAD", "PUT bytes 100000-299999/300000", "HEAD", "HEAD",
			"PUT bytes 100000-299999/300000", "HEAD", "PUT bytes 299999-299999/300000")
		if world.received != size {
			t.Errorf("%d bytes were stored", world.received)
		}
		start := time.Now()
		world.stores(storage, client.UploadOptions{}, status(http.StatusTooManyRequests, "Retry-After", "7"))
		world.expectSeen("a limit", "PUT bytes 0-299999/300000", "HEAD", "PUT bytes 0-299999/300000")
		if took := time.Since(start); took < 7*time.Second || took > 8*time.Second {
			t.Errorf("a limit of 7 s took %s", took)
		}
		world.stores(storage, client.UploadOptions{}, world.mute)
		world.expectSeen("a response that is lost", "PUT bytes 0-299999/300000", "HEAD", "PUT bytes */300000")
		world.stores(storage, client.UploadOptions{}, world.cut(50_000), status(http.StatusNotFound))
		world.expectSeen("an upload that is lost", "PUT bytes 0-299999/300000", "HEAD", "PUT bytes 0-299999/300000")
		if world.issued.Load() != 1 {
			t.Errorf("%d tokens", world.issued.Load())
		}
	})
}

func TestTheStorageSaysWhereAnUploadGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage := world.client()
		busy := func(writer http.ResponseWriter, request *http.Request) bool {
			_ = world.receive(world.upload(request.URL.Query().Get("upload")), io.LimitReader(request.Body, 70_000))
			return respond(http.StatusConflict, `{"code":"upload_offset_mismatch"}`, "Upload-Offset", "70000")(writer, request)
		}
		world.stores(storage, client.UploadOptions{}, busy)
		world.expectSeen("a conflict", "PUT bytes 0-299999/300000", "PUT bytes 70000-299999/300000")
		world.stores(storage, client.UploadOptions{}, status(http.StatusConflict))
		world.expectSeen("another request", "PUT bytes 0-299999/300000", "HEAD", "PUT bytes 0-299999/300000")
		part := func(writer http.ResponseWriter, request *http.Request) bool {
			_ = world.receive(world.upload(request.URL.Query().Get("upload")), io.LimitReader(request.Body, 1000))
			return respond(http.StatusAccepted, "", "Upload-Offset", "1000", "Connection", "close")(writer, request)
		}
		world.stores(storage, client.UploadOptions{}, part)
		world.expectSeen("a part", "PUT bytes 0-299999/300000", "PUT bytes 1000-299999/300000")
	})
}

func TestATokenThatIsRevokedDuringAnUploadIsReplaced(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		revoke := func(_ http.ResponseWriter, request *http.Request) bool {
			_ = world.receive(world.upload(request.URL.Query().Get("upload")), io.LimitReader(request.Body, 1000))
			world.revoked.Store(strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer "), true)
			panic(http.ErrAbortHandler)
		}
		world.stores(world.client(), client.UploadOptions{}, revoke)
		world.expectSeen("one upload", "PUT bytes 0-299999/300000", "HEAD", "PUT bytes 1000-299999/300000")
		if world.issued.Load() != 2 {
			t.Errorf("%d tokens", world.issued.Load())
		}
	})
}

func TestAnUploadWithANameIsContinuedByAnotherClient(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		named := client.UploadOptions{ID: "backup-2026"}
		options := world.options()
		options.RetryTimeout = client.NoRetry
		world.failing(nil, world.cut(123_456))
		_, err := world.open(t, options).Upload(t.Context(), bytes.NewReader(content(size)), size, named)
		expectCode(t, err, client.StorageUnreachable)
		world.stores(world.client(), named)
		world.expectSeen("what is missing", "HEAD", "PUT bytes 123456-299999/300000")
		world.stores(world.client(), named)
		world.expectSeen("nothing is missing", "HEAD", "PUT bytes */300000")
		other := content(size)
		other[5]++
		_, err = world.client().Upload(t.Context(), bytes.NewReader(other), size, named)
		expectCode(t, err, client.ContentInvalid)
	})
}

var unknown = respond(http.StatusNotFound, `{"code":"resource_not_found"}`)

func TestAnUploadGivesUpWhenThereIsNoProgressForLong(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage := world.client()
		for name, each := range map[string]struct {
			fault fault
			code  client.Code
		}{
			"a storage that is gone":         {world.cut(0), client.StorageUnreachable},
			"a storage that is not ready":    {status(http.StatusServiceUnavailable), "internal_error"},
			"a storage that stores nothing":  {respond(http.StatusAccepted, "", "Upload-Offset", "0"), client.AnswerInvalid},
			"a storage that knows no upload": {unknown, "resource_not_found"},
		} {
			faults := make([]fault, 1000)
			for index := range faults {
				faults[index] = each.fault
			}
			world.failing(faults...)
			start := time.Now()
			_, err := storage.Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{})
			expectCode(t, err, each.code)
			if took := time.Since(start); took > time.Minute+time.Second {
				t.Errorf("%s: gave up after %s", name, took)
			}
			if len(world.seen) < 4 || len(world.seen) > 40 {
				t.Errorf("%s: %d requests", name, len(world.seen))
			}
		}
		forgetful := make([]fault, 0, 300)
		for range 100 {
			forgetful = append(forgetful, world.cut(5), nil, unknown)
		}
		world.failing(forgetful...)
		_, err := storage.Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{})
		expectCode(t, err, "resource_not_found")
		if len(world.seen) > 20 {
			t.Errorf("%d requests to a storage that forgets", len(world.seen))
		}
		slow := make([]fault, 0, 120)
		for range 40 {
			slow = append(slow, world.cut(1000), status(http.StatusServiceUnavailable, "Retry-After", "50"), nil)
		}
		world.stores(storage, client.UploadOptions{}, slow...)
	})
}

func TestAStorageIsNotBelieved(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		file := `{"hash":"` + strings.Repeat("0", 64) + `","sha256":"` + strings.Repeat("0", 64) + `","size":10}`
		for name, each := range map[string]struct {
			fault fault
			code  client.Code
		}{
			"other bytes":         {respond(http.StatusOK, file), client.ContentInvalid},
			"no file":             {respond(http.StatusOK, `{}`), client.AnswerInvalid},
			"a hash that is none": {respond(http.StatusOK, strings.Replace(file, `"hash":"0`, `"hash":"/`, 1)), client.AnswerInvalid},
			"a page":              {respond(http.StatusOK, "<html>"+strings.Repeat("a", 2<<20)), client.AnswerInvalid},
			"a redirect":          {respond(http.StatusTemporaryRedirect, "", "Location", "http://evil.example/"), client.AnswerInvalid},
			"an offset too far":   {respond(http.StatusAccepted, "", "Upload-Offset", "11"), client.AnswerInvalid},
			"a negative offset":   {respond(http.StatusAccepted, "", "Upload-Offset", "-1"), client.AnswerInvalid},
			"no offset":           {respond(http.StatusAccepted, ""), client.AnswerInvalid},
			"a route that is not": {respond(http.StatusNotFound, `{"code":"not_found"}`), "not_found"},
			"not implemented":     {status(http.StatusNotImplemented), "from_a_proxy"},
			"a denial":            {status(http.StatusForbidden), "from_a_proxy"},
		} {
			world.failing(each.fault)
			_, err := world.client().Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{})
			if codeOf(err) != each.code {
				t.Errorf("%s: %v, expected %s", name, err, each.code)
			}
		}
		repeats := func(writer http.ResponseWriter, request *http.Request) bool {
			token := strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer ")
			return respond(http.StatusForbidden, `{"code":"`+token+`","detail":"`+token+`"}`, "X-Request-Id", token)(writer, request)
		}
		world.failing(repeats)
		_, err := world.client().Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{})
		if shown := fmt.Sprintf("%v %+v %#v", err, err, err); err == nil || strings.Contains(shown, "access.") {
			t.Error(shown)
		}
	})
}

func TestAnUploadEndsWithItsSourceItsContextAndItsClient(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage := world.client()
		world.failing()
		_, err := storage.Upload(t.Context(), bytes.NewReader(content(10)), 11, client.UploadOptions{})
		expectCode(t, err, client.ContentInvalid)
		broken := errors.New("the disk is gone")
		if _, err := storage.Upload(t.Context(), brokenAt{broken}, 11, client.UploadOptions{}); !errors.Is(err, broken) {
			t.Error(err)
		}
		silent := func(_ http.ResponseWriter, request *http.Request) bool {
			_, _ = io.Copy(io.Discard, request.Body)
			<-request.Context().Done()
			return false
		}
		for _, after := range []int64{0, 5} {
			world.failing(world.cut(after), silent)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			if _, err := storage.Upload(ctx, bytes.NewReader(content(10)), 10, client.UploadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			cancel()
		}
		world.failing(silent)
		time.AfterFunc(time.Minute, storage.Close)
		_, err = storage.Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{})
		expectCode(t, err, client.Closed)
	})
}

func TestTheBytesOfAnUploadThatNobodyCanContinueAreGivenBack(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage := world.client()
		world.failing(world.cut(5), nil, status(http.StatusForbidden))
		_, err := storage.Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{})
		expectCode(t, err, "from_a_proxy")
		synctest.Wait()
		if len(world.uploads) > 0 {
			t.Error("the storage still has the upload")
		}
		world.failing(nil, world.cut(5), nil, status(http.StatusForbidden))
		_, err = storage.Upload(t.Context(), bytes.NewReader(content(10)), 10, client.UploadOptions{ID: "named"})
		expectCode(t, err, "from_a_proxy")
		synctest.Wait()
		if len(world.uploads) != 1 {
			t.Error("the storage lost an upload that another process may continue")
		}
	})
}

// keeping leaves the body open when it fails, as a transport may.
type keeping struct {
	http.RoundTripper
	body io.Reader
}

func (transport *keeping) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPut {
		return transport.RoundTripper.RoundTrip(request)
	}
	transport.body = request.Body
	return nil, errors.New("no connection")
}

type countedContent struct {
	io.ReaderAt
	reads int
}

func (content *countedContent) ReadAt(buffer []byte, offset int64) (int, error) {
	content.reads++
	return content.ReaderAt.ReadAt(buffer, offset)
}

func TestNobodyReadsTheContentWhenTheUploadHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		transport := &keeping{RoundTripper: world.transport}
		options := world.options()
		options.Transport, options.RetryTimeout = transport, client.NoRetry
		counted := &countedContent{ReaderAt: bytes.NewReader(content(10))}
		_, err := world.open(t, options).Upload(t.Context(), counted, 10, client.UploadOptions{})
		expectCode(t, err, client.StorageUnreachable)
		if _, err := transport.body.Read(make([]byte, 5)); err == nil || counted.reads > 0 {
			t.Errorf("%d reads, %v", counted.reads, err)
		}
	})
}

type brokenAt struct{ err error }

func (reader brokenAt) ReadAt([]byte, int64) (int, error) { return 0, reader.err }

func TestAFileOfThisMachineIsUploaded(t *testing.T) {
	inBubble(t, func(t *testing.T, world *fileWorld) {
		storage, folder := world.client(), t.TempDir()
		name := filepath.Join(folder, "model.bin")
		if err := os.WriteFile(name, content(5000), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := storage.UploadFile(t.Context(), name, client.UploadOptions{})
		if err != nil || !bytes.Equal(world.files[file.Hash], content(5000)) {
			t.Error(file, err)
		}
		if _, err := storage.UploadFile(t.Context(), filepath.Join(folder, "none"), client.UploadOptions{}); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		_, err = storage.UploadFile(t.Context(), folder, client.UploadOptions{})
		expectCode(t, err, client.BadOption)
		for _, id := range []string{"a/b", "a&upload=b", "ü", strings.Repeat("a", 129), "a\n"} {
			_, err = storage.Upload(t.Context(), bytes.NewReader(nil), 0, client.UploadOptions{ID: id})
			expectCode(t, err, client.BadOption)
		}
		_, err = storage.Upload(t.Context(), bytes.NewReader(nil), -1, client.UploadOptions{})
		expectCode(t, err, client.BadOption)
	})
}

func codeOf(err error) client.Code {
	var failure *client.Error
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Code
}

func expectCode(t *testing.T, err error, code client.Code) {
	t.Helper()
	if codeOf(err) != code {
		t.Errorf("%v, expected %s", err, code)
	}
}
