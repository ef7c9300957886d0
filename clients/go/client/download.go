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

// DownloadOptions configure a download. The zero value is good for most.
type DownloadOptions struct {
	// SHA256 is the SHA-256 that the file must have, in hexadecimal. The client then compares it instead of the hash, which takes
	// less time and holds for files that were cut into other chunks.
	SHA256 string
	// MaxBytes is how large the file may be; by default it may have any size.
	MaxBytes int64
}

// Download writes the file with this hash to a writer. After a network error, 429 or 5xx (except 501) it requests the rest. It gives
// up when it has made no progress for Options.RetryTimeout.
//
// A download ends with the code ContentInvalid if the bytes have another hash. The writer has them by then: use DownloadFile if
// nobody may see them before.
func (client *Client) Download(ctx context.Context, hash string, to io.Writer, options DownloadOptions) (File, error) {
	switch {
	case !hexHash.MatchString(hash):
		return File{}, badOption("hash", "give the 64 hexadecimal digits that name the file")
	case options.SHA256 != "" && !hexHash.MatchString(options.SHA256):
		return File{}, badOption("SHA256", "give 64 hexadecimal digits")
	case options.MaxBytes < 0:
		return File{}, badOption("MaxBytes", "give the number of bytes")
	}
	download := &download{
		Client:   client,
		options:  options,
		hash:     hash,
		to:       to,
		size:     -1,
		digest:   newDigest(),
		patience: patience{settings: client.settings},
	}
	download.digest.skipsXet = options.SHA256 != ""
	running, release := client.untilClosed(WithScope(ctx, Read))
	defer release()
	file, err := download.run(running)
	return file, client.endedBy(ctx, err)
}

// DownloadFile writes the file with this hash to a file of this machine, and replaces one that is there. The file appears under its
// name when all of it is there and compared; until then its bytes are beside it, in a file that ends with .part.
func (client *Client) DownloadFile(ctx context.Context, hash, name string, options DownloadOptions) (File, error) {
	part := name + "." + rand.Text() + ".part"
	to, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return File{}, err
	}
	file, err := client.Download(ctx, hash, to, options)
	if err == nil {
		err = to.Sync()
	}
	if closing := to.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part)
		return File{}, err
	}
	return file, nil
}

type download struct {
	*Client
	options DownloadOptions
	hash    string
	to      io.Writer
	// offset is how much was written, and size how much there is: -1 until a response says so.
	offset, size int64
	digest       *digest
	patience     patience
}

func (download *download) run(ctx context.Context) (File, error) {
	for download.offset != download.size {
		before := download.offset
		err := download.get(ctx)
		if download.offset > before {
			download.patience.failures = 0
		}
		var mayPass *setback
		if errors.As(err, &mayPass) {
			err = download.patience.after(ctx, mayPass)
		}
		if err != nil {
			return File{}, err
		}
	}
	return download.compare()
}

// get requests what is missing.
func (download *download) get(ctx context.Context) error {
	request, err := NewRequest(ctx, http.MethodGet, filesPath+"/"+download.hash, nil)
	if err != nil {
		return err
	}
	// A transport that unpacks would hide the length.
	request.Header.Set("Accept-Encoding", "identity")
	if download.offset > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", download.offset))
		request.Header.Set("If-Range", `"`+download.hash+`"`)
	}
	response, err := download.sendOnce(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	part, wrong := partOf(response, download.offset)
	switch {
	case part == nil && wrong == "":
		answer, err := download.read(response, request)
		if err != nil {
			return err
		}
		failure := answer.failure(download.Client)
		if isTransient(answer.status) {
			return &setback{failure, failure.RetryAfter}
		}
		return failure
	case part != nil && download.size >= 0 && part.size != download.size:
		wrong = "the file has another length than before"
	}
	if wrong != "" {
		return fileAnswer{answer: answer{status: response.StatusCode}, facts: factsOf(request)}.invalid(wrong)
	}
	if most := download.options.MaxBytes; most > 0 && part.size > most {
		return factsOf(request).error(ContentInvalid, fmt.Sprintf("The file has %d bytes, and MaxBytes is %d.", part.size, most))
	}
	download.size = part.size
	return download.copy(request, response.Body, *part)
}

// part is what a response has of a file: from start to before end.
type part struct{ start, end, size int64 }

var contentRange = regexp.MustCompile(`\Abytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})\z`)

// partOf returns nothing for a response without bytes of the file.
func partOf(response *http.Response, offset int64) (found *part, wrong string) {
	length := response.ContentLength
	switch response.StatusCode {
	case http.StatusOK:
		if length < 0 {
			return nil, "it has no Content-Length"
		}
		return &part{0, length, length}, ""
	case http.StatusPartialContent:
		found = &part{}
		numbers := contentRange.FindStringSubmatch(response.Header.Get("Content-Range"))
		for index, number := range []*int64{&found.start, &found.end, &found.size} {
			if numbers != nil {
				*number, _ = strconv.ParseInt(numbers[index+1], 10, 64)
			}
		}
		found.end++
		isRequested := offset > 0 && found.start == offset && found.end > offset && found.end <= found.size
		if numbers == nil || !isRequested || length >= 0 && length != found.end-found.start {
			return nil, "Content-Range is not what was requested"
		}
		return found, ""
	}
	return nil, ""
}

// copy writes what is new of a part, and no byte more than it has.
func (download *download) copy(request *http.Request, body io.Reader, part part) error {
	if _, err := io.CopyN(io.Discard, body, download.offset-part.start); err != nil {
		return download.broken(request, err)
	}
	buffer := make([]byte, 64*1024)
	for download.offset < part.end {
		count, err := body.Read(buffer[:min(int64(len(buffer)), part.end-download.offset)])
		if written, err := download.to.Write(buffer[:count]); err != nil {
			return err
		} else if written < count {
			return io.ErrShortWrite
		}
		download.digest.write(buffer[:count])
		download.offset += int64(count)
		if err != nil && download.offset < part.end {
			return download.broken(request, err)
		}
	}
	return nil
}

func (download *download) broken(request *http.Request, err error) error {
	if ended := request.Context().Err(); ended != nil {
		return ended
	}
	return &setback{error: factsOf(request).unreachable(StorageUnreachable, "storage", err)}
}

// compare believes no storage.
func (download *download) compare() (File, error) {
	file := download.digest.file()
	facts := facts{http.MethodGet, filesPath + "/" + download.hash}
	switch expected := download.options.SHA256; {
	case expected != "" && file.SHA256 != expected:
		return File{}, facts.error(ContentInvalid, "The bytes have the SHA-256 "+file.SHA256+", and not "+expected+".")
	case expected == "" && file.Hash != download.hash:
		return File{}, facts.error(ContentInvalid, "The bytes have the hash "+file.Hash+
			": they are damaged, or were cut into other chunks. If you know the SHA-256 of the file, set SHA256.")
	}
	file.Hash = download.hash
	return file, nil
}
