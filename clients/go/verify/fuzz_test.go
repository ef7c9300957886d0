package verify

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"latchkey/internal/signing"
	"latchkey/internal/spelling"
)

// The seeds of every fuzz test run with the others; `go test -fuzz` goes on from them.

func FuzzAClaimSetIsReadInOneSpellingOnly(f *testing.F) {
	var vectors tokenVectors
	readVectors(f, "tokens.json", &vectors)
	for _, each := range vectors.Cases {
		if parts := strings.Split(each.Token, "."); len(parts) > 1 {
			if payload, ok := decodeText(parts[1]); ok {
				f.Add(payload)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		claims, ok := parseClaims(text)
		if !ok || !utf8.ValidString(text) || halfCharacter.MatchString(text) {
			return
		}
		if writtenClaims(claims) != text {
			t.Errorf("%q is read, and would be written otherwise", text)
		}
	})
}

// halfCharacter is what no text of Go can hold.
var halfCharacter = regexp.MustCompile(`\\ud[89a-f]`)

// writtenClaims is the canonical text, written in another way than it is read.
func writtenClaims(claims Claims) string {
	object := func(members ...any) json.RawMessage { return json.RawMessage(signing.Object(members...)) }
	sees := []string{}
	for _, seen := range claims.Sees {
		sees = append(sees, signing.Object("uid", seen.UID, "before", seen.Before))
	}
	return string(object(
		"iss", claims.Issuer, "aud", claims.Audience, "sub", claims.Subject,
		"client_id", claims.ClientID, "scope", string(claims.Scope),
		"repo", object("type", claims.Repository.Type, "id", claims.Repository.ID, "uid", claims.Repository.UID),
		"ref", object("name", claims.Ref.Name, "uid", claims.Ref.UID),
		"commit", claims.Commit, "as_of", claims.AsOf, "sees", signing.List(sees),
		"iat", claims.IssuedAt, "exp", claims.ExpiresAt, "jti", claims.TokenID,
	))
}

func FuzzATokenThatIsAcceptedIsOneThatWasSigned(f *testing.F) {
	var vectors tokenVectors
	readVectors(f, "tokens.json", &vectors)
	signed := map[string]bool{}
	for _, each := range vectors.Cases {
		f.Add(each.Token)
		if each.Accepted {
			signed[each.Token] = true
		}
	}
	expected := vectors.expectation(f)
	f.Fuzz(func(t *testing.T, token string) {
		if _, _, reason := VerifyToken(token, expected); reason == "" && !signed[token] {
			t.Errorf("%q is accepted", token)
		}
	})
}

// The rules of paths once more, as patterns.
var (
	normalPath  = regexp.MustCompile(`\A/(?:` + pathSegment + `(?:/` + pathSegment + `)*)?\z`)
	dotSegment  = regexp.MustCompile(`/\.{0,2}(?:/|\z)`)
	pathSegment = `(?:[A-Za-z0-9._~!$&'()*+,=:@-]|%(?:2[0-246-9A-Ca-c]|3[AC-Eac-e]|40|5[BDEbde]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f]))+`
	controls    = regexp.MustCompile(`[\x{80}-\x{9f}]`)
)

func FuzzAPathIsNormalAsThePatternsSay(f *testing.F) {
	var vectors struct{ Paths []struct{ Path string } }
	readVectors(f, "scope-rules.json", &vectors)
	for _, each := range vectors.Paths {
		f.Add("POST", each.Path)
	}
	f.Fuzz(func(t *testing.T, method, path string) {
		decoded := spelling.PercentDecoded(path)
		owed := len(path) <= maxPathLength && normalPath.MatchString(path) &&
			(path == "/" || !dotSegment.MatchString(path)) &&
			utf8.ValidString(decoded) && !controls.MatchString(decoded)
		if normal := IsNormalPath(path); normal != owed {
			t.Errorf("%q: %t", path, normal)
		}
		if !owed {
			return
		}
		strict, relaxed := ScopeRules{}.RequiredScope(method, path), ScopeRules{RelaxOtherMethods: true}.RequiredScope(method, path)
		if relaxed == Write && strict != Write {
			t.Errorf("%s %s wants less where less is relaxed", method, path)
		}
	})
}

func FuzzARequestIsAdmittedOrRefused(f *testing.F) {
	vectors, all := readRequestVectors(f)
	gate := vectors.gate(f)
	for _, each := range all[len(vectors.Matrix):] {
		name, value := "Authorization", ""
		for _, header := range each.request.Headers {
			name, value = header.Name, header.Value
		}
		f.Add(each.request.Method, each.request.Target, name, value)
	}
	right := *vectors.Tokens["read"]
	f.Fuzz(func(t *testing.T, method, target, name, value string) {
		request := Request{method, target, []Header{{"Authorization", "Bearer " + right}, {name, value}}}
		admitted, refusal := gate.Check(context.Background(), request)
		if (admitted == nil) == (refusal == nil) {
			t.Fatal("both or neither")
		}
		if refusal != nil && (meanings[refusal.Code].status == 0 || strings.Contains(refusal.Detail, "eyJ")) {
			t.Errorf("%+v", refusal)
		}
		if admitted != nil && (admitted.RequiredScope != Read || !strings.HasPrefix(admitted.Prefix, "/r/bertuid/mainuid")) {
			t.Errorf("%s %s with a read token of another place: %+v", method, target, admitted)
		}
	})
}

func FuzzAKeySetHoldsOnlyKeysOfOurs(f *testing.F) {
	var vectors tokenVectors
	readVectors(f, "tokens.json", &vectors)
	f.Add([]byte(vectors.JWKS))
	f.Add([]byte(`{"keys":[null,[],{"kty":"EC","alg":"ES256","crv":"P-256","x":"AA","y":"AA","kid":"AA"}]}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		keys, err := ReadKeySet(document)
		if err != nil {
			return
		}
		for kid, key := range keys.keys {
			if !isDigest(kid) || key.alg != "ES256" && key.alg != "EdDSA" {
				t.Errorf("%s of %s", key.alg, kid)
			}
			// Must not panic.
			key.isValid("", make([]byte, signatureBytes))
		}
	})
}

func FuzzAListOfRevocationsIsReadInOneSpellingOnly(f *testing.F) {
	var vectors revocationVectors
	readVectors(f, "revocations.json", &vectors)
	for _, each := range vectors.Lists {
		f.Add(vectors.bytesOf(f, each.Name), each.Hash)
	}
	for _, each := range vectors.Heads {
		f.Add([]byte{}, each.Head)
	}
	trustsNobody := func(string) (verifyingKey, bool) { return verifyingKey{}, false }
	f.Fuzz(func(t *testing.T, bytes []byte, text string) {
		if _, _, err := readHead(text, trustsNobody, vectors.Issuer); err == nil {
			t.Errorf("%q is a head that nobody signed", text)
		}
		list, err := ReadRevocationList(bytes)
		if err != nil {
			return
		}
		for index := range list.size() {
			if index > 0 && string(list.hash(index-1)) >= string(list.hash(index)) || list.number(index) > forEver {
				t.Error("the entries do not ascend")
			}
		}
		list.Revokes(Revocable{RefUIDs: []string{text}})
	})
}
