// Package spelling knows the one spelling of URLs, paths and tokens that verifiers and clients take.
package spelling

import "strings"

// IsToken68 is about RFC 6750 §2.1: a header can carry such a text as it is.
func IsToken68(text string) bool {
	text = strings.TrimRight(text, "=")
	return text != "" && ConsistsOf(text, func(char byte) bool {
		return IsLetterOrDigit(char) || strings.IndexByte("-._~+/", char) >= 0
	})
}

// IsLetterOrDigit is about ASCII.
func IsLetterOrDigit(char byte) bool {
	return IsDigit(char) || 'a' <= char|0x20 && char|0x20 <= 'z'
}

// IsDigit is about ASCII.
func IsDigit(char byte) bool { return '0' <= char && char <= '9' }

// ConsistsOf is true for an empty text.
func ConsistsOf(text string, allowed func(byte) bool) bool {
	for index := 0; index < len(text); index++ {
		if !allowed(text[index]) {
			return false
		}
	}
	return true
}
