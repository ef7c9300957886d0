package client

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"latchkey/internal/spelling"
)

// Token is a storage token. Send it as "Authorization: Bearer", and only to URLs below CasURL.
type Token struct {
	// Scope is Read or Write.
	Scope Scope
	// AccessToken is the token. It prints as [secret].
	AccessToken Secret
	// ExpiresAt is by the clock of the hub.
	ExpiresAt time.Time
	// CasURL is the URL of the storage, without a trailing slash.
	CasURL string
}

const (
	maxMember = 64000
	// Later ones are meant in milliseconds, and would never be refreshed.
	latestExp = 100_000_000_000
)

// readToken believes a response only as far as it is checked. It returns what is wrong, or nothing.
func (settled settings) readToken(body []byte, scope Scope, now int64) (Token, string) {
	members := membersOf(body)
	text := textOf(members["accessToken"])
	exp, isWhole := wholeNumber(members["exp"])
	casURL := strings.TrimSuffix(textOf(members["casUrl"]), "/")
	switch {
	case len(text) > maxMember || !spelling.IsToken68(text):
		return Token{}, "accessToken is no bearer token"
	case !isWhole || exp > latestExp:
		return Token{}, "exp is not in seconds"
	case exp <= now:
		return Token{}, "exp is not in the future"
	}
	if wrong := settled.faultOf(casURL); wrong != "" {
		return Token{}, "casUrl " + wrong
	}
	return Token{scope, NewSecret(text), time.Unix(exp, 0), casURL}, ""
}

// faultOf is about a casUrl: a hub on another machine has no business with services of this one.
func (settled settings) faultOf(casURL string) string {
	switch {
	case len(casURL) > maxMember || !spelling.IsServiceURL(casURL):
		return "is no URL in its normal form"
	case settled.allowPlainHTTP:
		return ""
	case spelling.IsPlainHTTP(casURL):
		return "is plain http, and AllowPlainHTTP is not set"
	case spelling.IsOnThisMachine(casURL) && !spelling.IsOnThisMachine(settled.hubURL):
		return "is on this machine, and the hub is not"
	}
	return ""
}

// knownShape is also that of a code that is newer than this client.
var knownShape = regexp.MustCompile(`\A[a-z_]{1,40}\z`)

// refusal reads a problem document. A 401 without one has the code invalid.
func (answer answer) refusal(facts facts, secret Secret, wall time.Time, invalid Code) *Error {
	members := answer.members()
	code := textOf(members["code"])
	if !knownShape.MatchString(code) || !secret.IsZero() && strings.Contains(code, secret.Reveal()) {
		code = string(codeOf(answer.status, invalid))
	}
	message := clean(textOf(members["detail"]), secret)
	if message == "" {
		message = fmt.Sprintf("The response has the status %d.", answer.status)
	}
	failure := facts.error(Code(code), message)
	failure.Status = answer.status
	failure.RequestID = clean(answer.header.Get("X-Request-Id"), secret)
	failure.RetryAfter = retryAfter(answer.header, wall)
	return failure
}

// codeOf is for what stands in front of a server and knows nothing of its codes.
func codeOf(status int, invalid Code) Code {
	switch status {
	case http.StatusUnauthorized:
		return invalid
	case http.StatusForbidden:
		return "permission_denied"
	case http.StatusNotFound:
		return "not_found"
	case http.StatusTooManyRequests:
		return "rate_limited"
	}
	if status >= 500 {
		return "internal_error"
	}
	return "bad_request"
}

const maxText = 500

// clean gives one line of bounded length. A secret that a server repeats is cut out.
func clean(text string, secret Secret) string {
	if !secret.IsZero() {
		text = strings.ReplaceAll(text, secret.Reveal(), printed)
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	line := strings.Join(strings.FieldsFunc(text, func(char rune) bool {
		return unicode.In(char, unicode.C, unicode.Zl, unicode.Zp)
	}), " ")
	line = strings.TrimSpace(line)
	for len(line) > maxText {
		_, size := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-size]
	}
	return line
}
