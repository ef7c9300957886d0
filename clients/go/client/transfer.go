package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// File is a file of the storage.
type File struct {
	// Hash names the file: 64 hexadecimal digits.
	Hash string
	// SHA256 is the SHA-256 of the bytes, in hexadecimal.
	SHA256 string
	// Size is in bytes.
	Size int64
}

// String describes the file in an error.
func (file File) String() string {
	return fmt.Sprintf("%d bytes with the hash %s and the SHA-256 %s", file.Size, file.Hash, file.SHA256)
}

// fileAnswer is a response of the storage about a file, without the file.
type fileAnswer struct {
	answer
	facts facts
	token Secret
}

// untilClosed ends a context when the client is closed.
func (client *Client) untilClosed(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(client.closing, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// endedBy tells who ended a transfer: the caller, or Close.
func (client *Client) endedBy(caller context.Context, err error) error {
	if err == nil || caller.Err() != nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return closedError()
}

func factsOf(request *http.Request) facts { return facts{request.Method, request.URL.Path} }

// setback is a failure that may pass.
type setback struct {
	error
	after time.Duration
}

// after waits, or returns the failure when there is no time left.
func (patience *patience) after(ctx context.Context, setback *setback) error {
	goesOn, err := patience.wait(ctx, setback.after)
	if err == nil && !goesOn {
		return setback.error
	}
	return err
}

// exchange is one request, and a second one after a 401. Its setbacks are failures of the network.
func (client *Client) exchange(request *http.Request) (fileAnswer, error) {
	response, err := client.sendOnce(request)
	if err != nil {
		return fileAnswer{}, err
	}
	return client.read(response, request)
}

// sendOnce leaves it to the caller to read the response.
func (client *Client) sendOnce(request *http.Request) (*http.Response, error) {
	response, err := client.send(request, false)
	var failure *Error
	if errors.As(err, &failure) && failure.Code == StorageUnreachable {
		return nil, &setback{error: failure}
	}
	return response, err
}

func (client *Client) read(response *http.Response, request *http.Request) (fileAnswer, error) {
	facts := factsOf(request)
	read, err := readAnswer(response)
	switch {
	case err == nil:
		return fileAnswer{read, facts, tokenOf(response)}, nil
	case request.Context().Err() != nil:
		return fileAnswer{}, request.Context().Err()
	}
	return fileAnswer{}, &setback{error: facts.unreachable(StorageUnreachable, "storage", err)}
}

// failure reads a problem document. Redirects are failures, too: a token stays where it was sent.
func (answer fileAnswer) failure(client *Client) *Error {
	failure := answer.refusal(answer.facts, answer.token, client.wall(), "storage_token_invalid")
	if answer.status < http.StatusBadRequest {
		return answer.invalid("the storage sends a redirect, or the response of another route")
	}
	return failure
}

func (answer fileAnswer) invalid(wrong string) *Error {
	failure := answer.facts.error(AnswerInvalid, "The response of the storage is wrong: "+wrong+".")
	failure.Status = answer.status
	return failure
}
