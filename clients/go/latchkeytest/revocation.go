package latchkeytest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"latchkey/internal/signing"
	"latchkey/verify"
)

// Revocation says which tokens Hub.Revoke revokes. Set Token, HubToken, All, or Ref and Repository, or Account alone or with
// Repository or Namespace, or Repository alone. A token must have named the repository and the ref before.
type Revocation struct {
	// Token is a storage token of this hub.
	Token string
	// HubToken is the id of a hub token: all storage tokens that were issued for it, and that will be.
	HubToken string
	// Account is the id of an account.
	Account string
	// Repository is for example models/acme/bert.
	Repository string
	// Namespace is for example acme.
	Namespace string
	// Ref is a ref of Repository.
	Ref string
	// All are all tokens of the hub.
	All bool
}

// forEver is the number of an entry that also revokes tokens of the future.
const forEver = 1<<53 - 1

// Revoke revokes tokens. Every gate of Options rejects them when Revoke returns. Tokens that the hub issues later are good,
// except those of a revoked hub token.
func (hub *Hub) Revoke(revocation Revocation) {
	hub.t.Helper()
	hub.change(func() {
		hub.t.Helper()
		name, isForEver := hub.entryOf(revocation)
		hub.cut(name, isForEver)
	})
}

// cut adds an entry whose number is above everything so far.
func (hub *Hub) cut(name string, isForEver bool) {
	hub.directory.append()
	number := hub.directory.number
	if isForEver {
		number = forEver
	}
	hub.entries[name] = max(hub.entries[name], number)
}

func (hub *Hub) entryOf(given Revocation) (name string, isForEver bool) {
	hub.t.Helper()
	uid := func() string {
		hub.t.Helper()
		return hub.knownRepository(given.Repository).UID
	}
	switch {
	case given == Revocation{All: true}:
		return "all:", false
	case given == Revocation{Token: given.Token} && given.Token != "":
		return "token:" + hub.tokenID(given.Token), true
	case given == Revocation{HubToken: given.HubToken} && given.HubToken != "":
		return "hub-token:" + given.HubToken, true
	case given == Revocation{Account: given.Account} && given.Account != "":
		return "account:" + given.Account, false
	case given == Revocation{Account: given.Account, Namespace: given.Namespace} && given.Account != "":
		return "account+namespace:" + given.Account + "/" + given.Namespace, false
	case given == Revocation{Account: given.Account, Repository: given.Repository} && given.Account != "":
		return "account+repository:" + given.Account + "/" + uid(), false
	case given == Revocation{Repository: given.Repository} && given.Repository != "":
		return "repository:" + uid(), false
	case given == Revocation{Repository: given.Repository, Ref: given.Ref} && given.Repository != "":
		return "ref:" + hub.knownPlace(given.Repository, given.Ref).ref.UID, false
	}
	hub.t.Fatalf("latchkeytest: these fields of Revocation do not go together, or are empty; see its documentation")
	return "", false
}

// knownRepository fails the test for a name that no test can mean.
func (hub *Hub) knownRepository(name string) verify.Repository {
	hub.t.Helper()
	known, found := hub.directory.repositories[name]
	if !found {
		hub.t.Fatalf("latchkeytest: the hub knows no repository %q; make a token for it first", name)
	}
	return known
}

func (hub *Hub) knownPlace(repository, ref string) place {
	hub.t.Helper()
	found := hub.knownRepository(repository)
	entry, isKnown := hub.directory.refs[[2]string{found.UID, fullName(ref)}]
	if !isKnown {
		hub.t.Fatalf("latchkeytest: the hub knows no ref %q of %s; make a token for it first", ref, repository)
	}
	return place{found, entry}
}

func (hub *Hub) tokenID(token string) string {
	hub.t.Helper()
	var claims struct{ Iss, Jti string }
	parts := strings.Split(token, ".")
	if len(parts) == 3 {
		payload, _ := signing.Decode(parts[1])
		_ = json.Unmarshal(payload, &claims)
	}
	if claims.Jti == "" || claims.Iss != hub.URL {
		hub.t.Fatalf("latchkeytest: the text is no token of this hub; give what Hub.Token has returned")
	}
	return claims.Jti
}

// DeleteRef deletes a ref: its tokens are revoked, and a ref that is created again under its name has another uid.
func (hub *Hub) DeleteRef(repository, ref string) {
	hub.t.Helper()
	hub.change(func() {
		hub.t.Helper()
		found := hub.knownPlace(repository, ref)
		hub.cut("ref:"+found.ref.UID, false)
		delete(hub.directory.refs, [2]string{found.repository.UID, found.ref.Name})
	})
}

// DeleteRepository deletes a repository: its tokens are revoked, and a repository that is created again under its name has
// another uid.
func (hub *Hub) DeleteRepository(repository string) {
	hub.t.Helper()
	hub.change(func() {
		hub.t.Helper()
		hub.cut("repository:"+hub.knownRepository(repository).UID, false)
		delete(hub.directory.repositories, repository)
	})
}

// RotateKey makes the hub sign with a new key. Tokens of the earlier keys stay valid.
func (hub *Hub) RotateKey() {
	hub.t.Helper()
	hub.change(func() {
		hub.directory.append()
		hub.addKey()
	})
}

// RevokeKey makes the hub sign with a new key, and withdraws all earlier ones, as after a leak: their tokens are rejected.
func (hub *Hub) RevokeKey() {
	hub.t.Helper()
	hub.change(func() {
		for _, key := range hub.keys {
			hub.cut("key:"+key.Kid, true)
		}
		hub.keys = nil
		hub.addKey()
	})
}

// WithholdRevocations makes the revocation list stale: a gate returns 503, unless it has WhenStale: verify.Allow.
func (hub *Hub) WithholdRevocations() {
	hub.t.Helper()
	hub.hideRevocations(true)
}

// RestoreRevocations ends WithholdRevocations.
func (hub *Hub) RestoreRevocations() {
	hub.t.Helper()
	hub.hideRevocations(false)
}

func (hub *Hub) hideRevocations(areHidden bool) {
	hub.t.Helper()
	hub.change(func() {
		hub.published.Change(func() { hub.published.HidesRevocations = areHidden })
	})
}

// listOf is the binary list of a hub: the hash of each name and its number, sorted.
func listOf(entries map[string]int64) []byte {
	all := [][]byte{}
	for name, number := range entries {
		hash := sha256.Sum256([]byte(name))
		all = append(all, binary.BigEndian.AppendUint64(hash[:], uint64(number)))
	}
	slices.SortFunc(all, bytes.Compare)
	return bytes.Join(all, nil)
}
