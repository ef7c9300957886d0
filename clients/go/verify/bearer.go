package verify

import (
	"strings"

	"latchkey/internal/spelling"
)

const scheme = "bearer "

// readBearer reads the credential of a request from all its Authorization headers: two of them are ambiguous.
// RFC 6750 §2.1: "Bearer", one space, one token68; the scheme in any case (RFC 9110 §11.1).
func readBearer(values []string) (string, *Refusal) {
	if len(values) == 0 {
		return "", tokenMissing
	}
	if len(values) > 1 {
		return "", tokenInvalid(Malformed)
	}
	value := values[0]
	if len(value) < len(scheme) || lowerCase(value[:len(scheme)]) != scheme {
		if namesBearer(value) {
			return "", tokenInvalid(Malformed)
		}
		return "", tokenMissing
	}
	token := value[len(scheme):]
	if len(token) > maxTokenLength || !spelling.IsToken68(token) {
		return "", tokenInvalid(Malformed)
	}
	return token, nil
}

func namesBearer(value string) bool {
	const word = "bearer"
	if len(value) < len(word) || lowerCase(value[:len(word)]) != word {
		return false
	}
	return len(value) == len(word) || isSpace(value[len(word)])
}

// isSpace is about bytes of ISO 8859-1, as headers have them.
func isSpace(char byte) bool {
	return '\t' <= char && char <= '\r' || char == ' ' || char == 0xa0
}

func trimSpace(text string) string {
	for text != "" && isSpace(text[0]) {
		text = text[1:]
	}
	for text != "" && isSpace(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// lowerCase is about ASCII alone: no other letter may pass for one of it.
func lowerCase(text string) string {
	return strings.Map(func(char rune) rune {
		if 'A' <= char && char <= 'Z' {
			return char + 'a' - 'A'
		}
		return char
	}, text)
}
