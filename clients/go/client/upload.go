package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
)

// UploadOptions configure an upload. The zero value is good for most.
type UploadOptions struct {
	// ID names the upload, with at most 128 letters, digits, underscores and hyphens. Another process that gives the same ID and
	// the same content continues the upload, until 24 hours after its last byte. By default the ID is random.
	ID string
}

// Upload stores size bytes of content as one file, for the ref of the client. It reads the content as it sends it, and never has
// all of it in memory. After a network error, 429 or 5xx (except 501) it asks the storage how much it has, and sends the rest. It
// gives up when it has made no progress for Options.RetryTimeout.
//
// An upload ends with the code ContentInvalid if the storage has other bytes than those that were read.
func (client *Client) Upload(ctx context.Context, content io.ReaderAt, size int64, options UploadOptions) (File, error) {
	switch {
	case size < 0:
		return File{}, badOption("size", "give the number of bytes")
	case options.ID != "" && !uploadID.MatchString(options.ID):
		return File{}, badOption("ID", "give 1 to 128 letters, digits, underscores and hyphens")
	}
	upload := &upload{
		Client:   client,
		content:  content,
		size:     size,
		id:       options.ID,
		isNamed:  options.ID != "",
		digest:   newDigest(),
		patience: patience{settings: client.settings},
	}
	if !upload.isNamed {
		upload.id = rand.Text()
	}
	running, release := client.untilClosed(WithScope(ctx, Write))
	defer release()
	file, err := upload.run(running)
	upload.digest.release()
	if err != nil && !upload.isNamed {
		go upload.abandon()
	}
	return file, client.endedBy(ctx, err)
}

// UploadFile stores a file of this machine, as Upload does.
func (client *Client) UploadFile(ctx context.Context, name string, options UploadOptions) (File, error) {
	file, err := os.Open(name)
	if err != nil {
		return File{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, badOption("name", "give the path of a regular file")
	}
	return client.Upload(ctx, file, info.Size(), options)
}

var (
	uploadID = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,128}\z`)
	hexHash  = regexp.MustCompile(`\A[0-9a-f]{64}\z`)
)

const (
	filesPath = "/v1/files"
	// An upload whose bytes the storage has lost begins again so often.
	maxRestarts = 3
)

type upload struct {
	*Client
	content io.ReaderAt
	size    int64
	id      string
	isNamed bool
	digest  *digest
	// offset is how much the storage has.
	offset   int64
	patience patience
	restarts int
}

// state is what the storage says about an upload.
type state struct {
	offset int64
	// file is set when all of it is stored and registered.
	file *File
	// isUnknown is set if the storage has no such upload.
	isUnknown bool
}

func (upload *upload) run(ctx context.Context) (File, error) {
	// An upload with a name may be there already.
	isUnsure := upload.isNamed
	for {
		send := upload.put
		if isUnsure {
			send = upload.ask
		}
		state, err := send(ctx)
		var mayPass *setback
		switch {
		case err == nil && state.file != nil:
			return upload.compare(*state.file)
		case err == nil && state.isUnknown:
			isUnsure, err = false, upload.restart(ctx)
		case err == nil:
			err = upload.moveTo(ctx, state.offset, isUnsure)
			isUnsure = false
		case errors.As(err, &mayPass):
			isUnsure, err = true, upload.patience.after(ctx, mayPass)
		}
		if err != nil {
			return File{}, err
		}
	}
}

// moveTo goes on at an offset. A storage that never has more than before wears out the patience.
func (upload *upload) moveTo(ctx context.Context, offset int64, isAsked bool) error {
	before := upload.offset
	upload.offset = offset
	switch {
	case offset > before:
		upload.patience.failures = 0
	case !isAsked:
		return upload.patience.after(ctx, &setback{error: upload.facts(http.MethodPut).error(AnswerInvalid, "The storage stores no more of the upload.")})
	}
	return nil
}

// restart sends everything again. The storage has nothing of an upload with a name that is new.
func (upload *upload) restart(ctx context.Context) error {
	isNew := upload.offset == 0 && upload.isNamed && upload.restarts == 0
	upload.offset = 0
	upload.restarts++
	if isNew {
		return nil
	}
	lost := upload.facts(http.MethodPut).error("resource_not_found", "The storage knows the upload no longer.")
	lost.Status = http.StatusNotFound
	if upload.restarts > maxRestarts {
		return lost
	}
	if !upload.isNamed {
		upload.id = rand.Text()
	}
	return upload.patience.after(ctx, &setback{error: lost})
}

// put sends what the storage does not have. Without a body it asks for the response of an upload that is complete.
func (upload *upload) put(ctx context.Context) (state, error) {
	if err := upload.digest.readUntil(upload.content, upload.offset); err != nil {
		return state{}, err
	}
	request, err := NewRequest(ctx, http.MethodPut, filesPath+"?upload="+upload.id, nil)
	if err != nil {
		return state{}, err
	}
	switch {
	case upload.offset < upload.size:
		request.GetBody = func() (io.ReadCloser, error) {
			return upload.digest.follow(upload.content, upload.offset, upload.size), nil
		}
		request.Body, _ = request.GetBody()
		request.ContentLength = upload.size - upload.offset
		request.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", upload.offset, upload.size-1, upload.size))
	case upload.size > 0:
		request.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", upload.size))
	}
	answer, err := upload.exchange(request)
	if err != nil {
		return state{}, err
	}
	switch {
	case answer.status == http.StatusOK:
		return upload.stored(answer)
	case answer.status == http.StatusAccepted, answer.status == http.StatusConflict && answer.header.Get("Upload-Offset") != "":
		return upload.partly(answer)
	}
	return upload.without(answer, request)
}

// ask is how a client learns how much arrived before a connection broke.
func (upload *upload) ask(ctx context.Context) (state, error) {
	request, err := NewRequest(ctx, http.MethodHead, filesPath+"?upload="+upload.id, nil)
	if err != nil {
		return state{}, err
	}
	answer, err := upload.exchange(request)
	if err != nil {
		return state{}, err
	}
	if answer.status == http.StatusOK || answer.status == http.StatusNoContent {
		return upload.partly(answer)
	}
	return upload.without(answer, request)
}

// abandon gives back what the storage has of an upload that nobody can continue. If that fails, it expires.
func (upload *upload) abandon() {
	ctx, cancel := context.WithTimeout(WithScope(upload.closing, Write), requestTimeout)
	defer cancel()
	request, err := NewRequest(ctx, http.MethodDelete, filesPath+"?upload="+upload.id, nil)
	if err == nil {
		_, _ = upload.exchange(request)
	}
}

// without is about responses that say nothing about the bytes.
func (upload *upload) without(answer fileAnswer, request *http.Request) (state, error) {
	isUnknown := request.Method == http.MethodHead || textOf(answer.members()["code"]) == "resource_not_found"
	if answer.status == http.StatusNotFound && isUnknown {
		return state{isUnknown: true}, nil
	}
	failure := answer.failure(upload.Client)
	// Another request of this upload is still on its way.
	if isTransient(answer.status) || answer.status == http.StatusConflict {
		return state{}, &setback{failure, failure.RetryAfter}
	}
	return state{}, failure
}

func (upload *upload) stored(answer fileAnswer) (state, error) {
	members := answer.members()
	file := File{Hash: textOf(members["hash"]), SHA256: textOf(members["sha256"])}
	size, isWhole := wholeNumber(members["size"])
	file.Size = size
	if !isWhole || !hexHash.MatchString(file.Hash) || !hexHash.MatchString(file.SHA256) {
		return state{}, answer.invalid("the response does not describe a file")
	}
	return state{file: &file}, nil
}

func (upload *upload) partly(answer fileAnswer) (state, error) {
	offset, err := strconv.ParseUint(answer.header.Get("Upload-Offset"), 10, 63)
	if err != nil || int64(offset) > upload.size {
		return state{}, answer.invalid("Upload-Offset is not a number of bytes of this file")
	}
	return state{offset: int64(offset)}, nil
}

// compare believes no storage: its file must have the bytes that were read here.
func (upload *upload) compare(file File) (File, error) {
	if err := upload.digest.readUntil(upload.content, upload.size); err != nil {
		return File{}, err
	}
	own := upload.digest.file()
	if file != own {
		return File{}, upload.facts(http.MethodPut).error(ContentInvalid, fmt.Sprintf(
			"The storage has %s, and the content is %s: it was changed during the upload, or on its way. Upload it again.", file, own))
	}
	return file, nil
}

func (upload *upload) facts(method string) facts { return facts{method, filesPath} }
