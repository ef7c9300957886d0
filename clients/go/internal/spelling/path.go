package spelling

import (
	"strings"
	"unicode/utf8"
)

// IsPath reports whether all routers read this raw path in the same way, however long it is.
func IsPath(path string) bool {
	if path == "/" {
		return true
	}
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if segment == "" || segment == "." || segment == ".." || !isReadable(segment) {
			return false
		}
	}
	return !strings.Contains(path, "%") || decodesWell(path)
}

// RFC 3986 pchar without ";", after which some routers stop reading.
const plainSigns = "._~!$&'()*+,=:@-"

// Encoded signs that no router takes for a letter, a separator, a dot or the end of the path.
const encodedSigns = " !\"$&'()*+,:<=>@[]^`{|}"

func isReadable(segment string) bool {
	for index := 0; index < len(segment); index++ {
		char := segment[index]
		if IsLetterOrDigit(char) || strings.IndexByte(plainSigns, char) >= 0 {
			continue
		}
		decoded, ok := encodedByte(segment[index:])
		if !ok || decoded < 0x80 && strings.IndexByte(encodedSigns, decoded) < 0 {
			return false
		}
		index += 2
	}
	return true
}

// encodedByte reads %XX at the beginning of a text.
func encodedByte(text string) (byte, bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	high, isHigh := hexDigit(text[1])
	low, isLow := hexDigit(text[2])
	return high<<4 | low, isHigh && isLow
}

func hexDigit(char byte) (byte, bool) {
	switch lower := char | 0x20; {
	case IsDigit(char):
		return char - '0', true
	case 'a' <= lower && lower <= 'f':
		return lower - 'a' + 10, true
	}
	return 0, false
}

// decodesWell tells whether what is encoded is UTF-8, without the controls beyond ASCII.
func decodesWell(path string) bool {
	text := PercentDecoded(path)
	if !utf8.ValidString(text) {
		return false
	}
	for _, char := range text {
		if 0x80 <= char && char <= 0x9f {
			return false
		}
	}
	return true
}

// PercentDecoded leaves what is no escape as it is.
func PercentDecoded(text string) string {
	var decoded strings.Builder
	for index := 0; index < len(text); index++ {
		char, isEncoded := encodedByte(text[index:])
		if isEncoded {
			index += 2
		} else {
			char = text[index]
		}
		decoded.WriteByte(char)
	}
	return decoded.String()
}
