package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sort"
	"strings"
)

// Revocable is everything in a token that a revocation can name. If your storage signs something on behalf of a token, for
// example URLs, store a Revocable with it and check it with Gate.CheckGrant.
type Revocable struct {
	KeyID         string
	TokenID       string
	HubToken      string
	Subject       string
	RepositoryUID string
	// Namespace is the name: "acme" of "models/acme/bert".
	Namespace string
	// RefUIDs are the ref of the token and its inherited refs.
	RefUIDs []string
	AsOf    int64
}

// forEver is the number of an entry that revokes a token whatever its as_of.
const forEver = largestNumber

const (
	hashBytes  = sha256.Size
	entryBytes = hashBytes + 8
)

// RevocationList is the hub's list of revocation entries. Each has the SHA-256 of "kind:id" and a number of the hub's
// journal; they are sorted by hash.
type RevocationList struct {
	entries []byte
}

// ReadRevocationList reads the binary list of a hub. It fails unless the bytes are exactly as a hub writes them.
func ReadRevocationList(bytes []byte) (*RevocationList, error) {
	if len(bytes)%entryBytes != 0 {
		return nil, errors.New("the list of revocations has a wrong length")
	}
	list := &RevocationList{bytes}
	for index := range list.size() {
		if list.number(index) > largestNumber || index > 0 && list.compare(index-1, list.hash(index)) >= 0 {
			return nil, errors.New("the list of revocations is out of order")
		}
	}
	return list, nil
}

func (list *RevocationList) size() int { return len(list.entries) / entryBytes }

func (list *RevocationList) hash(index int) []byte {
	return list.entries[index*entryBytes:][:hashBytes]
}

func (list *RevocationList) number(index int) uint64 {
	return binary.BigEndian.Uint64(list.entries[index*entryBytes+hashBytes:])
}

func (list *RevocationList) compare(index int, hash []byte) int {
	return bytes.Compare(list.hash(index), hash)
}

// numberFor gives the number of the entry of this thing: a token with a lower as_of is revoked.
func (list *RevocationList) numberFor(kind, id string) (number int64, found bool) {
	hash := sha256.Sum256([]byte(kind + ":" + id))
	return list.numberOf(hash[:])
}

func (list *RevocationList) numberOf(hash []byte) (number int64, found bool) {
	index, found := sort.Find(list.size(), func(index int) int { return -list.compare(index, hash) })
	if !found {
		return 0, false
	}
	return int64(list.number(index)), true
}

// namesKey ignores the number: an entry of a key of heads is absolute.
func (list *RevocationList) namesKey(kid string) bool {
	_, found := list.numberFor("key", kid)
	return found
}

// Revokes reports whether an entry of the list revokes the token.
func (list *RevocationList) Revokes(token Revocable) bool {
	if list.size() == 0 {
		return false
	}
	isCut := func(kind, id string) bool {
		number, found := list.numberFor(kind, id)
		// The holder of a leaked key writes any as_of, also one that no number is above.
		return found && (number == forEver || number > token.AsOf)
	}
	for _, uid := range token.RefUIDs {
		if isCut("ref", strings.TrimSuffix(uid, unwrittenEnding)) {
			return true
		}
	}
	return isCut("all", "") ||
		isCut("key", token.KeyID) ||
		isCut("token", token.TokenID) ||
		isCut("hub-token", token.HubToken) ||
		isCut("account", token.Subject) ||
		isCut("account+repository", token.Subject+"/"+token.RepositoryUID) ||
		isCut("account+namespace", token.Subject+"/"+token.Namespace) ||
		isCut("namespace", token.Namespace) ||
		isCut("repository", token.RepositoryUID)
}

// unwrittenEnding marks the uid of a token that must not open what was written under its tag or commit; entries do not
// have it.
const unwrittenEnding = ".part"
