package verify

import (
	"strings"
	"testing"
)

// The vectors have the usual spellings; these are the rest of what ECMAScript writes and does not write.
func TestATextIsReadInTheSpellingOfECMAScriptAndNoOther(t *testing.T) {
	for spelt, owed := range map[string]string{
		`"a"`:                "a",
		`"é\\\"\b\f\n\r\t"`:  "é\\\"\b\f\n\r\t",
		`"\u0000\u001f"`:     "\x00\x1f",
		"\"\x7f\u2028<>&/\"": "\x7f\u2028<>&/",
		`"😀"`:                "😀",
		`"a\ud83d"`:          "a\ufffd",
		`"\ude00\ud83d"`:     "\ufffd\ufffd",
		`"\ud83d😀"`:          "\ufffd😀",
	} {
		s := scanner{rest: spelt}
		if text := s.text(); text != owed || !s.isDone() {
			t.Errorf("%s: %q", spelt, text)
		}
	}
	for _, spelt := range []string{
		``, `"`, `""`, `a`, `"a`, `"a\`, `"a\"`, `"\u"`, `"\u000"`, `"\u0061"`, `"\/"`, `"\x41"`, `"\u000A"`, `"\u000a"`,
		`"\u001F"`, `"\u0008"`, `"\u0022"`, `"\u005c"`, `"\u007f"`, `"\ud83d\ude00"`, `"\uD83D"`, `"\u2028"`, "\"\n\"", "\"a\\tb\x01\"",
		`"\n\u00e9"`, `'a'`,
	} {
		s := scanner{rest: spelt}
		if text := s.text(); s.isDone() {
			t.Errorf("%s is read as %q", spelt, text)
		}
	}
}

func TestANumberIsReadInOneSpellingAndWithinItsBound(t *testing.T) {
	for spelt, owed := range map[string]int64{"0": 0, "7": 7, "9007199254740991": largestNumber} {
		s := scanner{rest: spelt}
		if number := s.number(); number != owed || !s.isDone() {
			t.Errorf("%s: %d", spelt, number)
		}
	}
	for _, spelt := range []string{
		"", "-0", "-1", "+1", "00", "01", "1.0", "1e3", "9007199254740992", "09007199254740991", "90071992547409910", strings.Repeat("9", 400), "٣",
	} {
		s := scanner{rest: spelt}
		if number := s.number(); s.isDone() {
			t.Errorf("%s is read as %d", spelt, number)
		}
	}
}

func TestABearerIsReadFromOneHeaderInOneForm(t *testing.T) {
	for value, owed := range map[string]Code{
		"Bearer a-._~+/b==": "",
		"bEaReR a":          "",
		"Bearer":            StorageTokenInvalid,
		"Bearer ":           StorageTokenInvalid,
		"Bearer =":          StorageTokenInvalid,
		"Bearer a=b":        StorageTokenInvalid,
		"Bearer a\n":        StorageTokenInvalid,
		"Bearer\va":         StorageTokenInvalid,
		"Bearer\xa0a":       StorageTokenInvalid,
		"Bearer\x85a":       StorageTokenMissing,
		"Bearers a":         StorageTokenMissing,
		" Bearer a":         StorageTokenMissing,
		"":                  StorageTokenMissing,
		"Bearer " + strings.Repeat("a", maxTokenLength):   "",
		"Bearer " + strings.Repeat("a", maxTokenLength+1): StorageTokenInvalid,
	} {
		code := Code("")
		if _, refusal := readBearer([]string{value}); refusal != nil {
			code = refusal.Code
		}
		if code != owed {
			t.Errorf("%.20q: %q, expected %q", value, code, owed)
		}
	}
}

func TestAHeaderIsReadInOneSpellingOnly(t *testing.T) {
	kid := strings.Repeat("k", 43)
	right := `{"alg":"ES256","kid":"` + kid + `","typ":"at+jwt"}`
	if alg, id, typ, ok := readHeader(right); alg != "ES256" || id != kid || typ != tokenType || !ok {
		t.Error("a right header is not read")
	}
	for _, text := range []string{
		"", "{}", " " + right, right + "\n", right + right,
		strings.Replace(right, `,"typ"`, `,"crit":["x"],"typ"`, 1),
		strings.Replace(right, `"}`, `","crit":"b64"}`, 1),
		strings.Replace(right, `"}`, `","typ":"at+jwt"}`, 1),
		strings.Replace(right, `"kid"`, `"KID"`, 1),
		strings.Replace(right, "ES256", "", 1),
		strings.Replace(right, "ES256", "ES-256", 1),
		strings.Replace(right, "ES256", `ES256","alg":"none`, 1),
		strings.Replace(right, "at+jwt", "", 1),
		strings.Replace(right, "at+jwt", "AT+JWT", 1),
		strings.Replace(right, kid, kid+"k", 1),
		strings.Replace(right, kid, kid[1:]+"=", 1),
	} {
		if _, _, _, ok := readHeader(text); ok {
			t.Errorf("%q is read", text)
		}
	}
}

func TestLineBreaksInBase64AreNotSkipped(t *testing.T) {
	for _, text := range []string{"YQ\n", "\r\nYQ", "Y\nQ", "YQ==", "YR", "Y", "Y+", " YQ"} {
		if _, ok := decodeSegment(text); ok {
			t.Errorf("%q is decoded", text)
		}
	}
}
