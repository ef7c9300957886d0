package verify

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"testing"
)

// jwk is a private key of the vectors, which no verifier may ever trust.
type jwk struct{ Alg, Crv, Kty, Kid, X, Y, D string }

func encoded(bytes []byte) string {
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func decoded(t testing.TB, text string) []byte {
	bytes, ok := decodeSegment(text)
	if !ok {
		t.Fatalf("%q is no base64url", text)
	}
	return bytes
}

// sign makes a JWS of any header and payload.
func (key jwk) sign(t testing.TB, header, payload string) string {
	t.Helper()
	signed := encoded([]byte(header)) + "." + encoded([]byte(payload))
	if key.Alg == "EdDSA" {
		private := ed25519.NewKeyFromSeed(decoded(t, key.D))
		return signed + "." + encoded(ed25519.Sign(private, []byte(signed)))
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), decoded(t, key.D))
	if err != nil {
		t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, private, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + encoded(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

func (key jwk) header(typ string) string {
	return `{"alg":"` + key.Alg + `","kid":"` + key.Kid + `","typ":"` + typ + `"}`
}

func (key jwk) token(t testing.TB, payload string) string {
	return key.sign(t, key.header(tokenType), payload)
}
