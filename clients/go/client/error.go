package client

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// Code is the code of an Error. It is an open type: besides the codes here there are those of the hub and the storage, which
// docs/reference/errors.md lists.
type Code string

const (
	// BadOption is about the options of New.
	BadOption Code = "bad_option"
	// PathRefused is about a path that is not in its normal form, or that leads out of casUrl.
	PathRefused Code = "path_refused"
	// HubUnreachable means that the hub did not respond.
	HubUnreachable Code = "hub_unreachable"
	// StorageUnreachable means that the storage did not respond.
	StorageUnreachable Code = "storage_unreachable"
	// AnswerInvalid means that the response is not one that the protocol allows.
	AnswerInvalid Code = "answer_invalid"
	// Redirected means that the hub redirected: HubURL must be the hub's own URL.
	Redirected Code = "redirected"
	// BodyNotRepeatable means that the storage rejected the token, and the body can be sent only once.
	BodyNotRepeatable Code = "body_not_repeatable"
	// Closed means that the client was closed.
	Closed Code = "closed"
	// ContentInvalid means that the bytes of a file are not those that were expected.
	ContentInvalid Code = "content_invalid"
)

// Error is the error of all calls, apart from the errors of a context, of Options.HubTokenFunc and of local files. No field
// holds a hub token or a storage token.
type Error struct {
	Code Code
	// Message is a sentence for people.
	Message string
	// Status is the HTTP status of the response, or 0 without one.
	Status int
	// RequestID is the X-Request-Id of the response.
	RequestID string
	// Method and Path are those of the request. Path has no query.
	Method, Path string
	// RetryAfter is how long the server asks to wait.
	RetryAfter time.Duration

	cause error
}

// Error returns the code and the sentence.
func (err *Error) Error() string { return string(err.Code) + ": " + err.Message }

// Unwrap returns the error of the operating system, if that is the cause.
func (err *Error) Unwrap() error { return err.cause }

// badOption does not repeat the value: it may be a secret in the wrong place.
func badOption(name, rule string) *Error {
	return &Error{Code: BadOption, Message: name + " is not allowed: " + rule + "."}
}

func closedError() *Error { return &Error{Code: Closed, Message: "The client is closed."} }

// facts are what an error may tell about a request.
type facts struct{ method, path string }

func (facts facts) error(code Code, message string) *Error {
	return &Error{Code: code, Message: message, Method: facts.method, Path: facts.path}
}

// unreachable names the cause in words of its own: the message of a transport can hold what was sent.
func (facts facts) unreachable(code Code, server string, err error) *Error {
	reason, cause := reasonOf(err)
	failure := facts.error(code, "The "+server+" cannot be reached"+reason+".")
	failure.cause = cause
	return failure
}

func reasonOf(err error) (reason string, cause error) {
	var number syscall.Errno
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var network net.Error
	switch {
	case errors.As(err, &number):
		return " (" + number.Error() + ")", number
	case errors.As(err, &dns):
		return " (its name cannot be resolved)", nil
	case errors.As(err, &certificate):
		return " (its certificate is not trusted)", nil
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return " (no response in time)", nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return " (it closed the connection)", nil
	}
	return "", nil
}
