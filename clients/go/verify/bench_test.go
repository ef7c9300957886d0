package verify

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"latchkey/internal/signing"
)

// Each algorithm's bare verification of a token beside all of ours of the same token.
func BenchmarkES256(b *testing.B) { benchmarkToken(b, "ES256") }

func BenchmarkEdDSA(b *testing.B) { benchmarkToken(b, "EdDSA") }

func benchmarkToken(b *testing.B, alg string) {
	var vectors tokenVectors
	readVectors(b, "tokens.json", &vectors)
	expected := vectors.expectation(b)
	token := ""
	for _, each := range vectors.Cases {
		if strings.HasPrefix(each.Name, alg) && each.Accepted {
			token = each.Token
		}
	}
	bare := bareVerification(b, vectors.SigningKeys[alg], token)
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if !bare() {
				b.Fatal("the signature is wrong")
			}
		}
	})
	b.Run("verified", func(b *testing.B) {
		for b.Loop() {
			if _, _, reason := VerifyToken(token, expected); reason != "" {
				b.Fatal(reason)
			}
		}
	})
}

// bareVerification is the package of the standard library alone: hash and signature of a token that was split before.
func bareVerification(b *testing.B, key signing.Key, token string) func() bool {
	end := strings.LastIndexByte(token, '.')
	signed, signature := []byte(token[:end]), decoded(b, token[end+1:])
	if key.Alg == "EdDSA" {
		public := ed25519.PublicKey(decoded(b, key.X))
		return func() bool { return ed25519.Verify(public, signed, signature) }
	}
	point := append(append([]byte{4}, decoded(b, key.X)...), decoded(b, key.Y)...)
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		b.Fatal(err)
	}
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	return func() bool {
		digest := sha256.Sum256(signed)
		return ecdsa.Verify(public, digest[:], r, s)
	}
}

// A whole request with a token that was seen before: its path, its headers, its scope, its place.
func BenchmarkCheckOfASeenToken(b *testing.B) {
	vectors, _ := readRequestVectors(b)
	gate := vectors.gate(b)
	request := Request{
		Method:  "GET",
		Target:  vectors.Places["own"] + "/v1/chunks/default/abc",
		Headers: []Header{{"Host", "cas.example"}, {"Accept", "*/*"}, {"Authorization", "Bearer " + *vectors.Tokens["read"]}},
	}
	for b.Loop() {
		if _, refusal := gate.Check(b.Context(), request); refusal != nil {
			b.Fatal(refusal.Code)
		}
	}
}

// The same through the middleware, beside the handler alone.
func BenchmarkGuard(b *testing.B) {
	vectors, _ := readRequestVectors(b)
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for name, guarded := range map[string]http.Handler{"bare": handler, "guarded": vectors.gate(b).Guard(handler)} {
		b.Run(name, func(b *testing.B) {
			request := httptest.NewRequest(http.MethodGet, vectors.Places["own"]+"/v1/chunks/default/abc", nil)
			request.Header.Set("Authorization", "Bearer "+*vectors.Tokens["read"])
			for b.Loop() {
				guarded.ServeHTTP(httptest.NewRecorder(), request)
			}
		})
	}
}
