package verify

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"latchkey/internal/spelling"
)

// foldText has a line for every character beyond ASCII whose compatibility form (NFKD) in upper case holds ASCII: its
// code point and that form, in which the replacement character stands for everything else. It is made by
// scripts/write-fold-table.ts with the Unicode of the gate, because that of Go's unicode package is another one.
//
//go:embed fold.txt
var foldText string

var foldTable = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	for line := range strings.Lines(foldText) {
		code, form, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		char, err := strconv.ParseInt(code, 16, 32)
		if err != nil {
			panic("verify: fold.txt is broken")
		}
		table[rune(char)] = form
	}
	return table
})

const beyondASCII = "\ufffd"

// fold gives one spelling for all that a router may take for the same: decoded, in upper case, without dots and blanks
// at the end. Characters without a form in ASCII are not told apart, because no rule names one.
func fold(text string) string {
	var folded strings.Builder
	for _, char := range spelling.PercentDecoded(text) {
		switch {
		case 'a' <= char && char <= 'z':
			folded.WriteByte(byte(char) - 'a' + 'A')
		case char < 0x80:
			folded.WriteByte(byte(char))
		default:
			form, found := foldTable()[char]
			if !found {
				form = beyondASCII
			}
			folded.WriteString(form)
		}
	}
	return strings.TrimRight(folded.String(), ". ")
}
