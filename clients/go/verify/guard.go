package verify

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"
)

// ErrRevoked is the cause of the context of a request whose token was revoked while the request ran.
var ErrRevoked = errors.New("the storage token was revoked")

type admittedKey struct{}

// AdmittedBy returns the grant and the path of a request that Guard has admitted. It panics if the request has not passed
// Guard, because the handler would then be unprotected.
func AdmittedBy(request *http.Request) *Admission {
	admitted, passed := request.Context().Value(admittedKey{}).(*Admission)
	if !passed {
		panic("verify: this request has not passed the gate; put Guard before the handler")
	}
	return admitted
}

// Guard calls next for admitted requests and writes an error response to all others. Put it before all code that routes,
// strips or rewrites paths. If the token is revoked while the request runs, Guard aborts the request: its context ends with
// ErrRevoked, reading and writing fail, and the connection is closed.
func (gate *Gate) Guard(next http.Handler) http.Handler {
	gate.start()
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		admitted, refusal := gate.Check(request.Context(), requestOf(request))
		if refusal != nil {
			refusal.answer(writer, request)
			return
		}
		ctx, cancel := context.WithCancelCause(context.WithValue(request.Context(), admittedKey{}, admitted))
		var isCut atomic.Bool
		end := gate.revocations.watch(admitted.known, func() {
			isCut.Store(true)
			cancel(ErrRevoked)
			endTransfers(writer)
		})
		defer func() {
			end()
			cancel(nil)
			if isCut.Load() {
				// Nobody may take the part of an answer for the whole.
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(writer, request.WithContext(ctx))
	})
}

// endTransfers makes a handler that reads a body or writes an answer stop. Not every writer can do so.
func endTransfers(writer http.ResponseWriter) {
	controller := http.NewResponseController(writer)
	past := time.Unix(1, 0)
	_ = controller.SetReadDeadline(past)
	_ = controller.SetWriteDeadline(past)
}

// requestOf undoes what net/http has made of the request line and the headers, as far as it can be undone.
func requestOf(request *http.Request) Request {
	headers := make([]Header, 0, len(request.Header)+2)
	for name, values := range request.Header {
		for _, value := range values {
			headers = append(headers, Header{name, value})
		}
	}
	for name := range request.Trailer {
		headers = append(headers, Header{"Trailer", name})
	}
	for _, coding := range request.TransferEncoding {
		headers = append(headers, Header{"Transfer-Encoding", coding})
	}
	// HTTP/2 needs neither header for a body.
	if _, isTold := request.Header["Content-Length"]; !isTold && len(request.TransferEncoding) == 0 {
		switch {
		case request.ContentLength < 0:
			headers = append(headers, Header{"Transfer-Encoding", "chunked"})
		case request.ContentLength > 0:
			headers = append(headers, Header{"Content-Length", strconv.FormatInt(request.ContentLength, 10)})
		}
	}
	return Request{Method: request.Method, Target: routedTarget(request), Headers: headers}
}

// routedTarget is the target as received. If code before the gate has rewritten the URL, it is the one that will be routed.
func routedTarget(request *http.Request) string {
	came, err := url.ParseRequestURI(request.RequestURI)
	isAsItCame := err == nil && came.Path == request.URL.Path && came.RawPath == request.URL.RawPath &&
		came.RawQuery == request.URL.RawQuery
	if isAsItCame {
		return request.RequestURI
	}
	return request.URL.RequestURI()
}
