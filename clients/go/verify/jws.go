package verify

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"latchkey/internal/spelling"
)

// maxTokenLength is more than a token or a head of ours ever has.
const maxTokenLength = 4096

const signatureBytes = 64

// jws is a signed document in its compact form (RFC 7515), of which nothing is verified yet.
type jws struct {
	alg, kid, typ string
	payload       string
	// signed is what the signature is over.
	signed    string
	signature []byte
}

// readJWS takes only the one spelling that our own signers write.
func readJWS(text string) (jws, bool) {
	if len(text) > maxTokenLength || strings.Count(text, ".") != 2 {
		return jws{}, false
	}
	end := strings.LastIndexByte(text, '.')
	signed := text[:end]
	header, payload, _ := strings.Cut(signed, ".")
	head, isHead := decodeText(header)
	said, isText := decodeText(payload)
	signature, isSpeltOnce := decodeSegment(text[end+1:])
	if !isHead || !isText || !isSpeltOnce || len(signature) != signatureBytes {
		return jws{}, false
	}
	alg, kid, typ, isOurs := readHeader(head)
	return jws{alg, kid, typ, said, signed, signature}, isOurs
}

var strictBase64 = base64.RawURLEncoding.Strict()

// decodeSegment refuses other endings of the same bytes, and the line breaks that encoding/base64 skips even in Strict.
func decodeSegment(segment string) ([]byte, bool) {
	if strings.ContainsAny(segment, "\r\n") {
		return nil, false
	}
	bytes, err := strictBase64.DecodeString(segment)
	return bytes, err == nil
}

// decodeText refuses bytes that are no UTF-8: two spellings of them would be read as one text.
func decodeText(segment string) (string, bool) {
	bytes, ok := decodeSegment(segment)
	return string(bytes), ok && utf8.Valid(bytes)
}

// readHeader takes exactly {"alg":"…","kid":"…","typ":"…"}: no other member, no other order, no crit.
func readHeader(text string) (alg, kid, typ string, ok bool) {
	rest, begins := strings.CutPrefix(text, `{"alg":"`)
	rest, ends := strings.CutSuffix(rest, `"}`)
	alg, rest, hasKid := strings.Cut(rest, `","kid":"`)
	kid, typ, hasTyp := strings.Cut(rest, `","typ":"`)
	isHeader := begins && ends && hasKid && hasTyp &&
		alg != "" && spelling.ConsistsOf(alg, isWord) && isDigest(kid) && typ != "" && spelling.ConsistsOf(typ, isTypChar)
	return alg, kid, typ, isHeader
}

// isDigest tells whether a text can be a SHA-256 in base64url.
func isDigest(text string) bool {
	return len(text) == 43 && spelling.ConsistsOf(text, isBase64URL)
}

func isBase64URL(char byte) bool { return isWord(char) || char == '-' }

func isTypChar(char byte) bool { return 'a' <= char && char <= 'z' || char == '+' || char == '-' }

func isWord(char byte) bool { return spelling.IsLetterOrDigit(char) || char == '_' }
