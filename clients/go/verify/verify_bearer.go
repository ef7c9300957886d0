package verify

import (
	"context"
	"crypto/sha256"
)

// bearerVerifier makes a grant of a bearer credential; a token that was seen before is not verified again.
type bearerVerifier struct {
	keys          keySource
	issuer        string
	audience      string
	leewaySeconds int64
	clock         clock
	seen          *recent[*knownGrant]
}

const (
	// No header with a token of ours is longer.
	maxHeaderLength = len(scheme) + maxTokenLength
	// About 1 KiB each.
	maxSeen = 20_000
)

// verify takes every Authorization header of a request.
func (verifier *bearerVerifier) verify(ctx context.Context, authorization []string) (*knownGrant, *Refusal) {
	key, before := verifier.look(authorization)
	if before != nil {
		if keys := verifier.keys.known(); keys != nil && keys.has(before.KeyID) {
			if before.ExpiresAt+verifier.leewaySeconds <= verifier.clock() {
				return nil, tokenInvalid(Expired)
			}
			return before, nil
		}
	}
	token, refusal := readBearer(authorization)
	if refusal != nil {
		return nil, refusal
	}
	if verifier.keys.known() == nil {
		verifier.keys.refresh(ctx)
	}
	return verifier.withNewestKeys(ctx, unseen{token, key, before != nil})
}

func (verifier *bearerVerifier) look(authorization []string) (digest, *knownGrant) {
	if len(authorization) != 1 || len(authorization[0]) > maxHeaderLength {
		return digest{}, nil
	}
	key := sha256.Sum256([]byte(authorization[0]))
	before, _ := verifier.seen.get(key)
	return key, before
}

type unseen struct {
	token string
	key   digest
	// wasGood: verified before, with a key that the hub has withdrawn since.
	wasGood bool
}

// withNewestKeys refuses an unknown key, which may be a new one, once the hub was asked after the token came, and did
// not have it.
func (verifier *bearerVerifier) withNewestKeys(ctx context.Context, unseen unseen) (*knownGrant, *Refusal) {
	newest := verifier.keys.known()
	if newest == nil {
		return nil, noKeys
	}
	grant, reason := verifier.verifyBy(newest, unseen)
	isConfirmed := false
	// A look that was under way may have begun before the key was made. The one after it has not, whoever began it.
	for looks := 0; looks < 2 && reason == UnknownKey && !isConfirmed; looks++ {
		isAskedSince := verifier.keys.refresh(ctx)
		held := verifier.keys.known()
		if held == nil {
			return nil, noKeys
		}
		isNew := held != newest
		if isNew {
			grant, reason = verifier.verifyBy(held, unseen)
		}
		newest = held
		isConfirmed = isAskedSince || isNew && looks > 0
		if !isConfirmed && !isNew {
			break
		}
	}
	if reason != UnknownKey || unseen.wasGood || isConfirmed {
		return outcome(grant, reason)
	}
	// A wrong refusal would cost an upload: clients try again after a 503, and not after a 401.
	return nil, keyNotConfirmed
}

func (verifier *bearerVerifier) verifyBy(keys *KeySet, unseen unseen) (*knownGrant, Reason) {
	claims, kid, reason := VerifyToken(unseen.token, Expectation{
		Keys:          keys,
		Issuer:        verifier.issuer,
		Audience:      verifier.audience,
		Now:           verifier.clock(),
		LeewaySeconds: verifier.leewaySeconds,
	})
	if reason != "" {
		return nil, reason
	}
	grant := &knownGrant{Grant: grantOf(claims, kid)}
	verifier.seen.set(unseen.key, grant)
	return grant, ""
}

func outcome(grant *knownGrant, reason Reason) (*knownGrant, *Refusal) {
	if reason != "" {
		return nil, tokenInvalid(reason)
	}
	return grant, nil
}
