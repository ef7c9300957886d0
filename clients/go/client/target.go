package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"latchkey/internal/spelling"
	"latchkey/verify"
)

// target is a place below casUrl.
type target struct {
	path  string
	query string
	// base is the casUrl that an absolute URL names. It is empty for a URL that is a path.
	base string
}

func (target target) String() string {
	if target.query == "" {
		return target.path
	}
	return target.path + "?" + target.query
}

// NewRequest returns a request for a path below casUrl, for Do or an http.Client with this transport. The path may have a query. It
// must be percent-encoded, and in its normal form: NewRequest repairs nothing. See http.NewRequest for the body.
func NewRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	path, query, hasQuery := strings.Cut(path, "?")
	if !isTarget(path, query) {
		return nil, pathRefused()
	}
	address := path
	if hasQuery {
		address += "?" + query
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, badOption("method", "give the name of a method, and a context")
	}
	return request, nil
}

func isTarget(path, query string) bool {
	return verify.IsNormalPath(path) && spelling.ConsistsOf(query, isQuery)
}

// isQuery refuses what some servers repair.
func isQuery(char byte) bool {
	return '!' <= char && char <= '~' && strings.IndexByte("\"#'<>", char) < 0
}

func pathRefused() *Error {
	return &Error{
		Code:    PathRefused,
		Message: "The path is not in its normal form: one slash first, no part empty or dots, the rest percent-encoded.",
	}
}

// targetOf reads the URL of a request. It is foreign if it leads to another place than a casUrl of this client.
func (client *Client) targetOf(address *url.URL) (found target, isForeign bool, err error) {
	path := address.EscapedPath()
	isUnclear := address.Opaque != "" || address.User != nil || address.Fragment != "" || address.RawPath != "" && address.RawPath != path
	if address.Scheme == "" && address.Host == "" {
		if isUnclear || !isTarget(path, address.RawQuery) {
			return target{}, false, pathRefused()
		}
		return target{path: path, query: address.RawQuery}, false, nil
	}
	if address.Scheme == "" {
		return target{}, false, pathRefused()
	}
	for _, source := range client.tokens {
		base := source.lastCasURL()
		rest, isBelow := strings.CutPrefix(address.Scheme+"://"+address.Host+path, base)
		if base == "" || !isBelow || rest != "" && rest[0] != '/' {
			continue
		}
		if isUnclear || !isTarget(rest, address.RawQuery) {
			return target{}, false, pathRefused()
		}
		return target{rest, address.RawQuery, base}, false, nil
	}
	return target{}, true, nil
}

// at is the URL below the casUrl of a token: what is parsed must be what was written, or the token could go astray.
func (target target) at(casURL string) (*url.URL, error) {
	if target.base != "" && target.base != casURL {
		return nil, &Error{Code: PathRefused, Message: "The casUrl of the storage has changed: ask Token for the new one, or give the path alone."}
	}
	whole := casURL + target.String()
	address, err := url.Parse(whole)
	if err != nil || address.String() != whole {
		return nil, pathRefused()
	}
	return address, nil
}

func requiredScope(facts facts) Scope {
	return verify.ScopeRules{}.RequiredScope(facts.method, facts.path)
}
