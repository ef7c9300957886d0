package signing

import (
	"encoding/json"
	"slices"
	"strings"
)

// Object writes an object of names and values by turns, in their order and without blanks.
func Object(members ...any) string {
	parts := []string{}
	for pair := range slices.Chunk(members, 2) {
		parts = append(parts, text(pair[0])+":"+text(pair[1]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// List writes a list of values that are written already.
func List(values []string) json.RawMessage {
	return json.RawMessage("[" + strings.Join(values, ",") + "]")
}

// text is as ECMAScript writes it: encoding/json escapes more.
func text(value any) string {
	if raw, isRaw := value.(json.RawMessage); isRaw {
		return string(raw)
	}
	content, isText := value.(string)
	if !isText {
		bytes, _ := json.Marshal(value)
		return string(bytes)
	}
	var written strings.Builder
	for _, char := range content {
		switch {
		case strings.ContainsRune("<>&\u2028\u2029\u007f", char):
			written.WriteRune(char)
		default:
			bytes, _ := json.Marshal(string(char))
			written.WriteString(strings.Trim(string(bytes), `"`))
			if char == '"' {
				written.WriteString(`"`)
			}
		}
	}
	return `"` + written.String() + `"`
}
