package client

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"latchkey/internal/xet"
)

// digest hashes content from its first byte to its last, also if parts of it are read twice.
type digest struct {
	mutex  sync.Mutex
	sha256 hash.Hash
	xet    xet.Hasher
	// skipsXet is set if nobody needs the hash.
	skipsXet bool
	size     int64
	// isOver is set when the content belongs to the caller again.
	isOver bool
}

func newDigest() *digest { return &digest{sha256: sha256.New()} }

// add hashes what is new of the bytes at an offset. It needs the lock.
func (digest *digest) add(bytes []byte, offset int64) {
	if known := digest.size - offset; known < int64(len(bytes)) {
		bytes = bytes[known:]
		_, _ = digest.sha256.Write(bytes)
		if !digest.skipsXet {
			_, _ = digest.xet.Write(bytes)
		}
		digest.size += int64(len(bytes))
	}
}

// release ends all readers of follow.
func (digest *digest) release() {
	digest.mutex.Lock()
	defer digest.mutex.Unlock()
	digest.isOver = true
}

// write adds bytes that come in order.
func (digest *digest) write(bytes []byte) {
	digest.mutex.Lock()
	defer digest.mutex.Unlock()
	digest.add(bytes, digest.size)
}

// file has the digests of all content. Call it once.
func (digest *digest) file() File {
	digest.mutex.Lock()
	defer digest.mutex.Unlock()
	return File{Hash: digest.xet.Sum(), SHA256: hex.EncodeToString(digest.sha256.Sum(nil)), Size: digest.size}
}

// readUntil hashes what was sent by somebody else.
func (digest *digest) readUntil(content io.ReaderAt, end int64) error {
	digest.mutex.Lock()
	start := digest.size
	digest.mutex.Unlock()
	if start >= end {
		return nil
	}
	_, err := io.Copy(io.Discard, digest.follow(content, start, end))
	return err
}

// follow reads a section of the content, and hashes it.
func (digest *digest) follow(content io.ReaderAt, start, end int64) io.ReadCloser {
	return &followed{digest: digest, content: content, at: start, end: end}
}

type followed struct {
	*digest
	content io.ReaderAt
	at, end int64
}

// Read needs the lock, because a transport may still read what it has closed.
func (followed *followed) Read(buffer []byte) (int, error) {
	followed.mutex.Lock()
	defer followed.mutex.Unlock()
	switch {
	case followed.isOver:
		return 0, io.ErrClosedPipe
	case followed.at >= followed.end:
		return 0, io.EOF
	}
	count, err := followed.content.ReadAt(buffer[:min(int64(len(buffer)), followed.end-followed.at)], followed.at)
	followed.add(buffer[:count], followed.at)
	followed.at += int64(count)
	switch {
	case count > 0:
		return count, nil
	case errors.Is(err, io.EOF):
		return 0, &Error{
			Code:    ContentInvalid,
			Message: fmt.Sprintf("The content ends after %d of %d bytes: it was cut off during the upload.", followed.at, followed.end),
		}
	}
	return 0, err
}

func (followed *followed) Close() error { return nil }
