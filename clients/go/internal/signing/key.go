// Package signing makes what a hub signs, for tests. No verifier may ever trust its keys.
package signing

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// Key is a private key as a JWK.
type Key struct{ Alg, Crv, Kty, Kid, X, Y, D string }

const coordinateBytes = 32

// NewKey makes a random key of ES256.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, err
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		return Key{}, err
	}
	secret, err := private.Bytes()
	if err != nil {
		return Key{}, err
	}
	x, y := Encode(point[1:1+coordinateBytes]), Encode(point[1+coordinateBytes:])
	kid := Digest(fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":%q,"y":%q}`, x, y))
	return Key{"ES256", "P-256", "EC", kid, x, y, Encode(secret)}, nil
}

// Public is the part of the key that a hub publishes.
func (key Key) Public() string {
	return fmt.Sprintf(`{"alg":%q,"crv":%q,"kty":%q,"kid":%q,"x":%q,"y":%q}`, key.Alg, key.Crv, key.Kty, key.Kid, key.X, key.Y)
}

// Header is the one spelling of a header.
func (key Key) Header(typ string) string {
	return Object("alg", key.Alg, "kid", key.Kid, "typ", typ)
}

// Sign makes a JWS of any header and payload.
func (key Key) Sign(header, payload string) (string, error) {
	signed := Encode([]byte(header)) + "." + Encode([]byte(payload))
	secret, err := Decode(key.D)
	if err != nil {
		return "", err
	}
	if key.Alg == "EdDSA" {
		private := ed25519.NewKeyFromSeed(secret)
		return signed + "." + Encode(ed25519.Sign(private, []byte(signed))), nil
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, private, digest[:])
	if err != nil {
		return "", err
	}
	signature := append(r.FillBytes(make([]byte, coordinateBytes)), s.FillBytes(make([]byte, coordinateBytes))...)
	return signed + "." + Encode(signature), nil
}

// Encode writes bytes in base64url without padding.
func Encode(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }

// Decode reads what Encode writes.
func Decode(text string) ([]byte, error) { return base64.RawURLEncoding.DecodeString(text) }

// Digest is the SHA-256 of a text in base64url.
func Digest(text string) string {
	digest := sha256.Sum256([]byte(text))
	return Encode(digest[:])
}
