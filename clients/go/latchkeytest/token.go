package latchkeytest

import (
	"encoding/json"
	"time"

	"latchkey/internal/signing"
	"latchkey/verify"
)

// Token describes a token for Hub.Token. Each field has a default, so the zero value is a token that reads
// models/acme/bert at main.
type Token struct {
	// Scope is verify.Read, the default, or verify.Write.
	Scope verify.Scope
	// Repository is for example models/acme/bert, the default.
	Repository string
	// Ref is a branch, a full ref such as refs/tags/v1, or a full commit hash. The default is main.
	Ref string
	// Inherited lists refs whose content the token reads too, as far as it was written before the two refs were first named
	// together in a token.
	Inherited []string
	// ExpiresIn is how long the token is valid; by default 15 minutes.
	ExpiresIn time.Duration
	// Account is the id of the account, by default ada.
	Account string
	// HubToken is the id of the hub token that asks for the token, by default ada-laptop.
	HubToken string
	// Flaw makes a token that every gate must reject.
	Flaw Flaw
}

// Flaw is a reason why a token is not valid.
type Flaw string

const (
	Expired         Flaw = "expired"
	NotYetValid     Flaw = "not-yet-valid"
	OtherIssuer     Flaw = "other-issuer"
	OtherAudience   Flaw = "other-audience"
	UnknownKey      Flaw = "unknown-key"
	ForgedSignature Flaw = "forged-signature"
	// Unsigned is a token of the algorithm "none".
	Unsigned Flaw = "unsigned"
	// OtherType names another type of JWS in its header.
	OtherType Flaw = "other-type"
	// CriticalHeader names a member of its header that a verifier must understand, and that no verifier knows.
	CriticalHeader Flaw = "critical-header"
	// EmbeddedKey contains the key that signs it, which no hub publishes.
	EmbeddedKey Flaw = "embedded-key"
)

// Flaws are all flaws, for a test that tries each.
var Flaws = []Flaw{Expired, NotYetValid, OtherIssuer, OtherAudience, UnknownKey, ForgedSignature, Unsigned, OtherType, CriticalHeader, EmbeddedKey}

const (
	tokenType = "at+jwt"
	// Longer than any gate allows clocks to differ.
	farSeconds = 3600
)

// Token returns a storage token as the hub signs it now. It fails the test if a field is not allowed.
func (hub *Hub) Token(token Token) string {
	hub.t.Helper()
	hub.mutex.Lock()
	defer hub.mutex.Unlock()
	claims := hub.claimsOf(token)
	hub.publish()
	text, err := hub.sign(claims, token.Flaw)
	if err != nil {
		hub.t.Fatalf("latchkeytest: the token cannot be signed: %v", err)
	}
	return text
}

func (hub *Hub) claimsOf(token Token) verify.Claims {
	hub.t.Helper()
	scope := orElse(token.Scope, verify.Read)
	if scope != verify.Read && scope != verify.Write {
		hub.t.Fatalf("latchkeytest: the scope %q is not allowed; give verify.Read or verify.Write", scope)
	}
	life := orElse(token.ExpiresIn, 15*time.Minute)
	if life < time.Second || life > 24*time.Hour {
		hub.t.Fatalf("latchkeytest: ExpiresIn is %s; give 1 second to 24 hours", life)
	}
	repository, ref := orElse(token.Repository, "models/acme/bert"), orElse(token.Ref, "main")
	own := hub.placeOf(repository, ref)
	if len(token.Inherited) > 8 {
		hub.t.Fatalf("latchkeytest: Inherited has %d refs; give at most 8", len(token.Inherited))
	}
	sees := []verify.SeenRef{}
	for _, inherited := range token.Inherited {
		sees = append(sees, hub.directory.seen(own.ref, hub.placeOf(repository, inherited).ref))
	}
	now := hub.Clock.seconds()
	claims := verify.Claims{
		Issuer:     hub.URL,
		Audience:   hub.audience(),
		Subject:    orElse(token.Account, "ada"),
		ClientID:   orElse(token.HubToken, "ada-laptop"),
		Scope:      scope,
		Repository: own.repository,
		Ref:        own.ref.Ref,
		Commit:     own.ref.commit,
		AsOf:       hub.directory.number,
		Sees:       sees,
		IssuedAt:   now,
		ExpiresAt:  now + int64(life/time.Second),
		TokenID:    newUID(),
	}
	return hub.flawed(claims, token.Flaw)
}

func (hub *Hub) flawed(claims verify.Claims, flaw Flaw) verify.Claims {
	hub.t.Helper()
	life := claims.ExpiresAt - claims.IssuedAt
	switch flaw {
	case "", UnknownKey, ForgedSignature, Unsigned, OtherType, CriticalHeader, EmbeddedKey:
	case Expired:
		claims.IssuedAt -= life + farSeconds
	case NotYetValid:
		claims.IssuedAt += farSeconds
	case OtherIssuer:
		claims.Issuer = "https://other-hub.example"
	case OtherAudience:
		claims.Audience = "https://other-storage.example"
	default:
		hub.t.Fatalf("latchkeytest: the flaw %q is not known; give one of %q", flaw, Flaws)
	}
	claims.ExpiresAt = claims.IssuedAt + life
	return claims
}

// placeOf finds or makes a repository and a ref.
func (hub *Hub) placeOf(repository, ref string) place {
	hub.t.Helper()
	found, err := hub.directory.repository(repository)
	if err != nil {
		hub.t.Fatalf("latchkeytest: %v", err)
	}
	entry, err := hub.directory.ref(found, ref)
	if err != nil {
		hub.t.Fatalf("latchkeytest: %v", err)
	}
	return place{found, entry}
}

func (hub *Hub) sign(claims verify.Claims, flaw Flaw) (string, error) {
	key, payload := hub.key, claimsText(claims)
	switch flaw {
	case Unsigned:
		header := signing.Object("alg", "none", "kid", key.Kid, "typ", tokenType)
		return signing.Encode([]byte(header)) + "." + signing.Encode([]byte(payload)) + ".", nil
	case OtherType:
		return key.Sign(key.Header("jwt"), payload)
	case CriticalHeader:
		crit := signing.List([]string{`"latchkey"`})
		return key.Sign(signing.Object("alg", key.Alg, "kid", key.Kid, "typ", tokenType, "crit", crit, "latchkey", true), payload)
	case UnknownKey, ForgedSignature, EmbeddedKey:
		other, err := signing.NewKey()
		if err != nil {
			return "", err
		}
		if flaw == ForgedSignature {
			other.Kid = key.Kid
		}
		if flaw == EmbeddedKey {
			jwk := json.RawMessage(other.Public())
			return other.Sign(signing.Object("alg", other.Alg, "kid", other.Kid, "typ", tokenType, "jwk", jwk), payload)
		}
		key = other
	}
	return key.Sign(key.Header(tokenType), payload)
}

// claimsText is the one text that a hub writes for a claim set.
func claimsText(claims verify.Claims) string {
	sees := []string{}
	for _, seen := range claims.Sees {
		sees = append(sees, signing.Object("uid", seen.UID, "before", seen.Before))
	}
	repository := signing.Object("type", claims.Repository.Type, "id", claims.Repository.ID, "uid", claims.Repository.UID)
	ref := signing.Object("name", claims.Ref.Name, "uid", claims.Ref.UID)
	return signing.Object(
		"iss", claims.Issuer, "aud", claims.Audience, "sub", claims.Subject,
		"client_id", claims.ClientID, "scope", string(claims.Scope),
		"repo", json.RawMessage(repository), "ref", json.RawMessage(ref),
		"commit", claims.Commit, "as_of", claims.AsOf, "sees", signing.List(sees),
		"iat", claims.IssuedAt, "exp", claims.ExpiresAt, "jti", claims.TokenID,
	)
}

func orElse[Value comparable](value, standard Value) Value {
	var zero Value
	if value == zero {
		return standard
	}
	return value
}
