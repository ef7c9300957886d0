package verify

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Grant is what a verified storage token allows.
type Grant struct {
	Revocable
	Scope Scope
	// Repository is the readable name, "models/acme/bert". A new repository with the same name has another RepositoryUID.
	Repository string
	// Ref is a full ref name or a commit hash.
	Ref string
	// RefUID identifies the ref, and is never reused. Content that the token writes belongs to it.
	RefUID string
	// Commit is the commit of the revision when the token was issued.
	Commit string
	// Sees are the inherited refs: other refs of the repository whose older content belongs to this revision.
	Sees []SeenRef
	// IssuedAt and ExpiresAt are in Unix seconds.
	IssuedAt  int64
	ExpiresAt int64
}

func grantOf(claims Claims, kid string) Grant {
	namespace, _, _ := strings.Cut(claims.Repository.ID, "/")
	refs := []string{claims.Ref.UID}
	for _, seen := range claims.Sees {
		refs = append(refs, seen.UID)
	}
	return Grant{
		Revocable: Revocable{
			KeyID:         kid,
			TokenID:       claims.TokenID,
			HubToken:      claims.ClientID,
			Subject:       claims.Subject,
			RepositoryUID: claims.Repository.UID,
			Namespace:     namespace,
			RefUIDs:       refs,
			AsOf:          claims.AsOf,
		},
		Scope:      claims.Scope,
		Repository: claims.Repository.Type + "s/" + claims.Repository.ID,
		Ref:        claims.Ref.Name,
		RefUID:     claims.Ref.UID,
		Commit:     claims.Commit,
		Sees:       claims.Sees,
		IssuedAt:   claims.IssuedAt,
		ExpiresAt:  claims.ExpiresAt,
	}
}

// knownGrant remembers the list against which its token was last checked: most requests come with a known token.
type knownGrant struct {
	Grant
	goodBy atomic.Pointer[RevocationList]
}

// copy is for handlers: what they change must not change what is remembered.
func (grant *knownGrant) copy() Grant {
	copied := grant.Grant
	copied.RefUIDs = slices.Clone(copied.RefUIDs)
	copied.Sees = slices.Clone(copied.Sees)
	return copied
}

func (grant *knownGrant) isRevokedBy(list *RevocationList) bool {
	if grant.goodBy.Load() == list {
		return false
	}
	if list.Revokes(grant.Revocable) {
		return true
	}
	grant.goodBy.Store(list)
	return false
}
