package verify

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// heard is what the handler behind a gate tells of a request.
type heard struct {
	Grant seenGrant
	Gets  string
}

// vectorServer is a real server with a guarded handler, which counts its calls.
func vectorServer(t *testing.T, gate *Gate, wrap func(http.Handler) http.Handler) (address string, handled *atomic.Int64) {
	t.Helper()
	handled = &atomic.Int64{}
	handler := http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		handled.Add(1)
		admitted := AdmittedBy(request)
		text, _ := json.Marshal(heard{seen(admitted.Grant), admitted.Path + admitted.Query})
		writer.Header().Set("Seen", string(text))
	})
	server := httptest.NewServer(wrap(handler))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), handled
}

// send writes a request as it stands; status 0 where the server gives no answer.
func send(t *testing.T, address string, each requestVector) (status int, header http.Header, body string) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(time.Minute))
	var text strings.Builder
	text.WriteString(each.request.Method + " " + each.request.Target + " HTTP/1.1\r\nHost: cas.example\r\n")
	for _, line := range each.request.Headers {
		text.WriteString(line.Name + ": " + line.Value + "\r\n")
	}
	text.WriteString("\r\n" + each.body)
	if _, err := io.WriteString(connection, text.String()); err != nil {
		return 0, nil, ""
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: each.request.Method})
	if err != nil {
		return 0, nil, ""
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, string(read)
}

// repaired are requests of which net/http shows a handler less than came, and why they are harmless in its hands.
var repaired = map[string]string{
	"Content-Length twice, alike":          "net/http makes one header of them, and reads that many bytes",
	"Content-Length and Transfer-Encoding": "net/http removes the length, and reads chunks",
}

// answeredByServer are refused or answered by net/http itself: no handler hears of them.
var answeredByServer = map[string]string{
	"asterisk form":                     "net/http answers OPTIONS * itself",
	"POST /shard% with a read token":    "the parser refuses a broken escape",
	"POST /shard% with a write token":   "the parser refuses a broken escape",
	"POST /shard%zz with a read token":  "the parser refuses a broken escape",
	"POST /shard%zz with a write token": "the parser refuses a broken escape",
}

var requestIDs = regexp.MustCompile(`\A[a-z2-7]{26}\z`)

func TestEveryRequestOfTheVectorsEndsOverARealConnectionAsTheySay(t *testing.T) {
	vectors, all := readRequestVectors(t)
	address, handled := vectorServer(t, vectors.gate(t), vectors.gate(t).Guard)
	asked, sent := 0, 0
	for at, each := range all {
		// The same gate judges all combinations without a connection, so a few show that this way leads to it.
		if isCombination := at < len(vectors.Matrix); testing.Short() && isCombination && at%8 != 0 {
			continue
		}
		asked++
		if repaired[each.name] != "" {
			continue
		}
		before := handled.Load()
		status, header, body := send(t, address, each)
		calls := handled.Load() - before
		if each.code == "" {
			if calls != 1 || status != http.StatusOK {
				t.Errorf("%s: %d after %d calls", each.name, status, calls)
				continue
			}
			var told heard
			if err := json.Unmarshal([]byte(header.Get("Seen")), &told); err != nil || told != (heard{*each.grant, each.gets}) {
				t.Errorf("%s: the handler heard %+v", each.name, told)
			}
			sent++
			continue
		}
		if calls != 0 {
			t.Errorf("%s: the handler was called", each.name)
		}
		if header.Get("X-Request-Id") == "" && (each.nodeCannotSend || answeredByServer[each.name] != "") {
			if status == http.StatusOK && each.name != "asterisk form" {
				t.Errorf("%s: 200 of the server itself", each.name)
			}
			continue
		}
		sent++
		for _, fault := range faults(each, status, header, body) {
			t.Errorf("%s: %s", each.name, fault)
		}
	}
	if sent < asked-40 {
		t.Errorf("only %d of %d requests reached the gate", sent, asked)
	}
}

// faults compares a refusal with the one that is owed.
func faults(each requestVector, status int, header http.Header, body string) (found []string) {
	complain := func(isRight bool, fault string) {
		if !isRight {
			found = append(found, fault)
		}
	}
	complain(status == each.status, "another status: "+http.StatusText(status))
	complain(requestIDs.MatchString(header.Get("X-Request-Id")), "no request id")
	complain(header.Get("Cache-Control") == "no-store", "may be kept by a cache")
	complain(header.Get("Content-Type") == "application/problem+json", "no problem document")
	if each.request.Method != http.MethodHead {
		var told problem
		complain(json.Unmarshal([]byte(body), &told) == nil && told.Code == each.code, "another code: "+body)
		complain(told.RequestID == header.Get("X-Request-Id") && told.Status == status, "a problem of another answer")
	}
	challenge := header.Get("WWW-Authenticate")
	errors := map[int]string{400: "invalid_request", 401: "invalid_token", 403: "insufficient_scope"}
	switch {
	case each.code == StorageTokenMissing:
		complain(challenge == `Bearer realm="latchkey"`, "another challenge: "+challenge)
	case errors[status] != "":
		complain(strings.HasPrefix(challenge, `Bearer realm="latchkey", error="`+errors[status]+`", error_desc`), "another challenge: "+challenge)
	default:
		complain(challenge == "", "a challenge: "+challenge)
	}
	for _, values := range header {
		body += strings.Join(values, " ")
	}
	complain(!strings.Contains(body, "eyJ") && !strings.Contains(body, "lk_1234"), "the answer repeats a token")
	return found
}

func vectorNamed(t *testing.T, all []requestVector, name string) requestVector {
	t.Helper()
	for _, each := range all {
		if each.name == name {
			return each
		}
	}
	t.Fatalf("the vectors have no request called %s", name)
	return requestVector{}
}

func TestALengthThatNetHTTPRepairsEndsNoRequestInTheMiddleOfAnother(t *testing.T) {
	vectors, all := readRequestVectors(t)
	gate := vectors.gate(t)
	address, _ := vectorServer(t, gate, func(http.Handler) http.Handler {
		return gate.Guard(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			body, err := io.ReadAll(request.Body)
			if err == nil {
				_, _ = writer.Write(body)
			} else {
				writer.WriteHeader(http.StatusBadRequest)
			}
		}))
	})
	if status, _, body := send(t, address, vectorNamed(t, all, "Content-Length twice, alike")); status != 200 || body != "hello" {
		t.Errorf("%d %s", status, body)
	}
	both := vectorNamed(t, all, "Content-Length and Transfer-Encoding")
	// The bytes are no chunks, and the line has an end, so that the server does not wait for it.
	both.body += "\r\n"
	if status, _, _ := send(t, address, both); status == 200 {
		t.Error("the length was believed")
	}
}

func TestAPathIsCheckedAsItWillBeRouted(t *testing.T) {
	vectors, all := readRequestVectors(t)
	gate := vectors.gate(t)
	right := vectorNamed(t, all, "scheme in lower case").request.Headers
	own := vectors.Places["own"]
	for _, each := range []struct {
		name, target string
		wrap         func(http.Handler) http.Handler
		status       int
	}{
		{"rewritten to a write route", own + "/v1/telemetry", func(next http.Handler) http.Handler {
			return rewriting(gate.Guard(next), func(request *http.Request) { request.URL.Path = own + "/v1/shards" })
		}, http.StatusForbidden},
		{"rewritten to a path that is not normal", own + "/v1/telemetry", func(next http.Handler) http.Handler {
			return rewriting(gate.Guard(next), func(request *http.Request) { request.URL.Path = own + "/../shards" })
		}, http.StatusBadRequest},
		{"rewritten query", own + "/v1/telemetry", func(next http.Handler) http.Handler {
			return rewriting(gate.Guard(next), func(request *http.Request) { request.URL.RawQuery = "_method=PUT" })
		}, http.StatusBadRequest},
		{"stripped before the gate", own + "/v1/telemetry", func(next http.Handler) http.Handler {
			return http.StripPrefix("/r", gate.Guard(next))
		}, http.StatusNotFound},
		{"stripped behind the gate", own + "/v1/telemetry", func(next http.Handler) http.Handler {
			return gate.Guard(http.StripPrefix("/r", next))
		}, http.StatusOK},
		{"a quotation mark, which url.URL encodes", own + `/v1/"`, gate.Guard, http.StatusBadRequest},
	} {
		address, _ := vectorServer(t, gate, each.wrap)
		vector := requestVector{request: Request{Method: "POST", Target: each.target, Headers: right}}
		if status, _, _ := send(t, address, vector); status != each.status {
			t.Errorf("%s: %d, expected %d", each.name, status, each.status)
		}
	}
}

func rewriting(next http.Handler, rewrite func(*http.Request)) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		rewrite(request)
		next.ServeHTTP(writer, request)
	})
}

func TestABodyWithoutALengthIsSeenInHTTP2(t *testing.T) {
	vectors, all := readRequestVectors(t)
	gate := vectors.gate(t)
	server := httptest.NewUnstartedServer(gate.Guard(http.NotFoundHandler()))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	ask := func(body io.Reader) int {
		request, err := http.NewRequest(http.MethodGet, server.URL+vectors.Places["own"]+"/x", body)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range vectorNamed(t, all, "scheme in lower case").request.Headers {
			request.Header.Set(line.Name, line.Value)
		}
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.ProtoMajor != 2 {
			t.Fatalf("spoken was %s", response.Proto)
		}
		return response.StatusCode
	}
	if status := ask(nil); status != http.StatusNotFound {
		t.Errorf("%d without a body", status)
	}
	if status := ask(io.MultiReader(strings.NewReader("hello"))); status != http.StatusBadRequest {
		t.Errorf("%d with a body of unknown length", status)
	}
}

func TestAHandlerThatIsReachedWithoutTheGateFails(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a request that was not judged has a grant")
		}
	}()
	AdmittedBy(httptest.NewRequest(http.MethodGet, "/", nil))
}

func TestARefusalIsPlainJSONForThoseWhoAskForIt(t *testing.T) {
	vectors, _ := readRequestVectors(t)
	gate := vectors.gate(t)
	for accept, owed := range map[string]string{
		"application/json":                           "application/json",
		"application/json, application/problem+json": "application/problem+json",
		"*/*": "application/problem+json",
	} {
		recorder := httptest.NewRecorder()
		request := httptest.NewRequest(http.MethodGet, vectors.Places["own"], nil)
		request.Header.Set("Accept", accept)
		gate.Guard(http.NotFoundHandler()).ServeHTTP(recorder, request)
		if given := recorder.Header().Get("Content-Type"); given != owed || recorder.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", accept, recorder.Code, given)
		}
	}
}

func TestWhatAHandlerChangesIsNotRemembered(t *testing.T) {
	vectors, all := readRequestVectors(t)
	gate := vectors.gate(t)
	request := vectorNamed(t, all, "scheme in lower case").request
	first, _ := gate.Check(t.Context(), request)
	uid := first.Grant.RefUIDs[0]
	first.Grant.RefUIDs[0] = "another"
	second, _ := gate.Check(t.Context(), request)
	if second.Grant.RefUIDs[0] != uid {
		t.Error("a handler has changed what the gate remembers")
	}
}
