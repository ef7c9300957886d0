package verify

import (
	"regexp"
	"strings"

	"latchkey/internal/spelling"
)

// Request is a storage request exactly as received, for servers other than net/http.
type Request struct {
	Method string
	// Target is the target of the request line: path and query, or the absolute form, neither decoded nor cleaned.
	Target string
	// Headers are all header lines, in order, with repeated names repeated.
	Headers []Header
}

// Header is one header line.
type Header struct {
	Name, Value string
}

// readRequest has the parts of a request that are checked. A request that could be read in two ways has been refused.
type readRequest struct {
	method string
	path   string
	// query has its question mark, or is empty.
	query         string
	authorization []string
}

// read refuses an absolute form that names another host than authority, the storage's own.
func (request Request) read(authority string) (readRequest, *Refusal) {
	path, query, ok := splitTarget(request.Target, authority)
	if !ok {
		return readRequest{}, pathNotNormal
	}
	if namesMethod(query) {
		return readRequest{}, methodInQuery
	}
	authorization, refusal := readHeaders(request)
	return readRequest{request.Method, path, query, authorization}, refusal
}

func splitTarget(target, authority string) (path, query string, ok bool) {
	if !strings.HasPrefix(target, "/") {
		target, ok = withoutAuthority(target, authority)
		if !ok {
			return "", "", false
		}
	}
	path = target
	if mark := strings.IndexByte(target, '?'); mark >= 0 {
		path, query = target[:mark], target[mark:]
	}
	return path, query, IsNormalPath(path) && spelling.ConsistsOf(query, isReadableInQuery)
}

// isReadableInQuery refuses a fragment, a space, a control and a byte outside of ASCII.
func isReadableInQuery(char byte) bool {
	return '!' <= char && char <= '~' && char != '#'
}

var absoluteForm = regexp.MustCompile(`\A[hH][tT][tT][pP][sS]?://([^/?#]*)(/.*)\z`)

// withoutAuthority reads the absolute form, which overrides Host (RFC 9112 §3.2.2).
func withoutAuthority(target, authority string) (string, bool) {
	found := absoluteForm.FindStringSubmatch(target)
	if found == nil || lowerCase(found[1]) != authority {
		return "", false
	}
	return found[2], true
}

// A query that names another method: some frameworks act on that one. The parameter is read as Rails, Laravel, Symfony,
// WordPress and the override middlewares of Express read it. PHP also reads a dot, a space or an opening bracket as "_",
// drops spaces before a name, and ends it at a bracket or NUL.
var methodName = regexp.MustCompile(`\A[\t-\r \x{a0}?]*[_. \[](?i:method)[\t-\r \x{a0}]*(?:[\[\x00]|\z)`)

func namesMethod(query string) bool {
	if !strings.Contains(query, "%") && !strings.Contains(lowerCase(query), "method") {
		return false
	}
	for _, parameter := range strings.FieldsFunc(query, func(char rune) bool { return char == '&' || char == ';' }) {
		name, _, _ := strings.Cut(parameter, "=")
		if methodName.MatchString(fromLatin1(spelling.PercentDecoded(strings.ReplaceAll(name, "+", " ")))) {
			return true
		}
	}
	return false
}

// fromLatin1 takes every byte for a character, so that bytes which are no UTF-8 elsewhere in a name do not hide it.
func fromLatin1(text string) string {
	chars := make([]rune, len(text))
	for index := range len(text) {
		chars[index] = rune(text[index])
	}
	return string(chars)
}

// readHeaders gives the values of Authorization.
func readHeaders(request Request) ([]string, *Refusal) {
	var authorization, framing []string
	for _, header := range request.Headers {
		name := lowerCase(header.Name)
		if refusal := refuseHeader(name); refusal != nil {
			return nil, refusal
		}
		switch name {
		case "authorization":
			authorization = append(authorization, header.Value)
		case "content-length":
			framing = append(framing, header.Value)
		case "transfer-encoding":
			framing = append(framing, codingOf(header.Value))
		case "trailer":
			for named := range strings.SplitSeq(header.Value, ",") {
				if isIdentity(lowerCase(trimSpace(named))) {
					return nil, identityTrailer
				}
			}
		}
	}
	return authorization, refuseFraming(framing, request.Method)
}

// Frameworks act on these; CGI-like servers make "_" of "-" and of everything else that is neither letter nor digit.
// Object stores copy, move or link what such a header names, which is not compared with the token (X-Amz-Copy-Source).
var override = regexp.MustCompile(`\Ax[^a-z0-9](?:(?:http[^a-z0-9]method(?:[^a-z0-9]override)?|method[^a-z0-9]override|original[^a-z0-9]url|rewrite[^a-z0-9]url)\z|(?:[a-z0-9]*[^a-z0-9])*(?:(?:copy|rename|move|symlink)[^a-z0-9](?:source|from|target)|object[^a-z0-9]manifest)(?:[^a-z0-9]|\z))`)

// refuseHeader refuses a header by its name in lower case: somebody behind the gate would believe it.
func refuseHeader(name string) *Refusal {
	switch {
	case isIdentity(name):
		return identityHeader
	case name == "destination" || strings.HasPrefix(name, "x") && override.MatchString(name):
		return overrideHeader
	case name == "upgrade" || name == "http2-settings":
		return upgradeHeader
	}
	return nil
}

func isIdentity(name string) bool {
	rest, begins := strings.CutPrefix(name, "latchkey")
	return begins && (rest == "" || !spelling.IsLetterOrDigit(rest[0]))
}

// codingOf makes sure that a number here is no length. Any other coding would be lost on the way.
func codingOf(value string) string {
	if lowerCase(value) == "chunked" {
		return "chunked"
	}
	return "unknown"
}

// refuseFraming wants one length, or none and chunks (RFC 9112 §6.3).
func refuseFraming(framing []string, method string) *Refusal {
	const maxDigits = 15
	if len(framing) == 0 {
		return nil
	}
	length := framing[0]
	isNumber := length != "" && len(length) <= maxDigits && spelling.ConsistsOf(length, spelling.IsDigit)
	if len(framing) > 1 || length != "chunked" && !isNumber {
		return lengthUnclear
	}
	isEmpty := strings.Trim(length, "0") == ""
	if !isEmpty && (method == "GET" || method == "HEAD") {
		return bodyUnexpected
	}
	return nil
}
