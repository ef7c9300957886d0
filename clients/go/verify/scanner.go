package verify

import (
	"strings"
	"unicode/utf8"
)

// scanner reads JSON in the one spelling that ECMAScript's JSON.stringify writes. After the first thing that is not as
// expected it has failed for good, and whatever it gave is worth nothing.
type scanner struct {
	rest   string
	failed bool
}

func (s *scanner) fail() {
	s.failed = true
	s.rest = ""
}

func (s *scanner) isDone() bool {
	return !s.failed && s.rest == ""
}

func (s *scanner) accept(literal string) bool {
	rest, found := strings.CutPrefix(s.rest, literal)
	if found {
		s.rest = rest
	}
	return found
}

func (s *scanner) expect(literal string) {
	if !s.accept(literal) {
		s.fail()
	}
}

func (s *scanner) oneOf(words ...string) string {
	text := s.text()
	for _, word := range words {
		if text == word {
			return text
		}
	}
	s.fail()
	return ""
}

// number reads a whole number from 0 to the largest, without sign, leading zero, fraction or exponent.
func (s *scanner) number() int64 {
	const maxDigits = 16
	digits := 0
	value := int64(0)
	for digits < len(s.rest) && digits <= maxDigits && '0' <= s.rest[digits] && s.rest[digits] <= '9' {
		value = value*10 + int64(s.rest[digits]-'0')
		digits++
	}
	isSpeltOnce := digits == 1 || digits > 1 && s.rest[0] != '0'
	if !isSpeltOnce || digits > maxDigits || value > largestNumber {
		s.fail()
		return 0
	}
	s.rest = s.rest[digits:]
	return value
}

// integer reads a number that may be negative.
func (s *scanner) integer() int64 {
	if !s.accept("-") {
		return s.number()
	}
	value := s.number()
	if value == 0 {
		s.fail()
	}
	return -value
}

// text reads a string that is not empty.
func (s *scanner) text() string {
	text := s.anyText()
	if text == "" {
		s.fail()
	}
	return text
}

func (s *scanner) anyText() string {
	s.expect(`"`)
	plain := 0
	for plain < len(s.rest) && isPlain(s.rest[plain]) {
		plain++
	}
	text := s.rest[:plain]
	s.rest = s.rest[plain:]
	if strings.HasPrefix(s.rest, `\`) {
		text += s.escapedText()
	}
	s.expect(`"`)
	return text
}

func isPlain(char byte) bool {
	return char >= ' ' && char != '"' && char != '\\'
}

// escapedText reads on from the first escape to the closing quote.
func (s *scanner) escapedText() string {
	var text strings.Builder
	last := rune(0)
	for s.rest != "" && s.rest[0] != '"' {
		if s.rest[0] != '\\' {
			if !isPlain(s.rest[0]) {
				s.fail()
				return ""
			}
			text.WriteByte(s.rest[0])
			s.rest = s.rest[1:]
			last = 0
			continue
		}
		char := s.escape()
		if isHighSurrogate(last) && isLowSurrogate(char) {
			// Together they are a character, which is written unescaped.
			s.fail()
			return ""
		}
		last = char
		// Half of a character cannot be written in UTF-8: it is the replacement character here, as in the hash of an entry.
		text.WriteRune(char)
	}
	return text.String()
}

const shortEscapes = "\b\t\n\f\r\"\\"

// escape reads one escape, if it is the one that the character is written with.
func (s *scanner) escape() rune {
	for index, name := range `btnfr"\` {
		if s.accept(`\` + string(name)) {
			return rune(shortEscapes[index])
		}
	}
	const length = len(`\u0000`)
	if len(s.rest) < length || s.rest[:2] != `\u` {
		s.fail()
		return utf8.RuneError
	}
	char := rune(0)
	for _, digit := range s.rest[2:length] {
		value := strings.IndexRune("0123456789abcdef", digit)
		if value < 0 {
			s.fail()
			return utf8.RuneError
		}
		char = char<<4 | rune(value)
	}
	isControl := char < ' ' && !strings.ContainsRune(shortEscapes, char)
	if !isControl && !isHighSurrogate(char) && !isLowSurrogate(char) {
		s.fail()
		return utf8.RuneError
	}
	s.rest = s.rest[length:]
	return char
}

func isHighSurrogate(char rune) bool {
	return 0xd800 <= char && char <= 0xdbff
}

func isLowSurrogate(char rune) bool {
	return 0xdc00 <= char && char <= 0xdfff
}
