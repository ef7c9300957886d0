package verify

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"unicode/utf8"
)

// KeySet holds the public keys that a verifier trusts. It never changes.
type KeySet struct {
	keys map[string]verifyingKey
}

// verifyingKey owns its algorithm; a token never chooses one.
type verifyingKey struct {
	alg     string
	isValid func(signed string, signature []byte) bool
}

func (set *KeySet) has(kid string) bool {
	_, found := set.keys[kid]
	return found
}

var byteOrderMark = []byte("\ufeff")

// ReadKeySet reads a JWKS document. It keeps ES256 and EdDSA keys whose kid is their own thumbprint (RFC 7638), and ignores
// all others.
func ReadKeySet(document []byte) (*KeySet, error) {
	if !utf8.Valid(document) {
		return nil, errors.New("the keys are no UTF-8")
	}
	document = bytes.TrimPrefix(document, byteOrderMark)
	// Into maps: a struct would match names in any case. Numbers stay text, because a huge one is no error elsewhere.
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var read any
	// A decoder alone would ignore whatever follows the first value.
	if !json.Valid(document) || decoder.Decode(&read) != nil {
		return nil, errors.New("the keys are no JSON")
	}
	set := &KeySet{keys: map[string]verifyingKey{}}
	members, _ := read.(map[string]any)
	published, _ := members["keys"].([]any)
	for _, value := range published {
		if jwk, isObject := value.(map[string]any); isObject {
			set.add(jwk)
		}
	}
	return set, nil
}

func (set *KeySet) add(jwk map[string]any) {
	// Whoever published a private key has no secret left to sign with.
	if _, isPrivate := jwk["d"]; isPrivate {
		return
	}
	kty, crv, alg := textIn(jwk, "kty"), textIn(jwk, "crv"), textIn(jwk, "alg")
	x, y := textIn(jwk, "x"), textIn(jwk, "y")
	var key verifyingKey
	var members string
	var ok bool
	switch {
	case alg == "ES256" && crv == "P-256" && kty == "EC":
		key.isValid, ok = es256(x, y)
		members = fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, x, y)
	case alg == "EdDSA" && crv == "Ed25519" && kty == "OKP":
		key.isValid, ok = ed25519Key(x)
		members = fmt.Sprintf(`{"crv":"Ed25519","kty":"OKP","x":"%s"}`, x)
	}
	key.alg = alg
	if kid := textIn(jwk, "kid"); ok && kid == digestOf(members) {
		set.keys[kid] = key
	}
}

func textIn(jwk map[string]any, name string) string {
	text, _ := jwk[name].(string)
	return text
}

// digestOf is the SHA-256 of a text in base64url.
func digestOf(text string) string {
	digest := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}

const coordinateBytes = 32

func coordinate(text string) ([]byte, bool) {
	bytes, ok := decodeSegment(text)
	return bytes, ok && len(bytes) == coordinateBytes
}

// es256 gives nothing for a point that is not on the curve.
func es256(x, y string) (func(string, []byte) bool, bool) {
	first, isFirst := coordinate(x)
	second, isSecond := coordinate(y)
	if !isFirst || !isSecond {
		return nil, false
	}
	point := append([]byte{4}, append(first, second...)...)
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return nil, false
	}
	return func(signed string, signature []byte) bool {
		digest := sha256.Sum256([]byte(signed))
		r := new(big.Int).SetBytes(signature[:signatureBytes/2])
		s := new(big.Int).SetBytes(signature[signatureBytes/2:])
		return ecdsa.Verify(key, digest[:], r, s)
	}, true
}

func ed25519Key(x string) (func(string, []byte) bool, bool) {
	key, ok := coordinate(x)
	if !ok {
		return nil, false
	}
	return func(signed string, signature []byte) bool {
		return ed25519.Verify(key, []byte(signed), signature)
	}, true
}
