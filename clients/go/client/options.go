package client

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"latchkey/internal/spelling"
	"latchkey/verify"
)

// Scope is what a token permits.
type Scope = verify.Scope

// A write token also reads.
const (
	Read  = verify.Read
	Write = verify.Write
)

// Options configure a Client. HubURL and Repository are required.
type Options struct {
	// HubURL is the URL of the hub: https, or http on this machine.
	HubURL string
	// HubToken is the hub token. Without it and HubTokenFunc the client is anonymous, for public repositories.
	HubToken Secret
	// HubTokenFunc returns the hub token, for example from a file. The client calls it again after a 401 of the hub. Its
	// context ends when the client is closed.
	HubTokenFunc func(context.Context) (string, error)
	// Repository is for example models/acme/bert.
	Repository string
	// Revision is a branch, a tag, another ref, or a full commit hash; by default main.
	Revision string
	// RefreshBuffer is the time before exp at which a token counts as expired; by default 30 seconds.
	RefreshBuffer time.Duration
	// RetryTimeout is the time after the first failure in which a call is retried; by default one minute. With NoRetry, no
	// call is retried.
	RetryTimeout time.Duration
	// AllowPlainHTTP allows http to other machines. Anyone on the way can then read all tokens.
	AllowPlainHTTP bool
	// Transport sends all requests; by default http.DefaultTransport.
	Transport http.RoundTripper
}

// NoRetry is a RetryTimeout: no call is retried.
const NoRetry time.Duration = -1

// settings are options that were checked.
type settings struct {
	hubURL, repository, revision string
	refreshBuffer, retryTimeout  time.Duration
	allowPlainHTTP               bool
	transport                    http.RoundTripper
	// wall is the clock of this machine, which may be wrong.
	wall func() time.Time
	// random spreads what many clients would otherwise do at once.
	random func() float64
}

var repositoryName = regexp.MustCompile(`\A(?:model|dataset|space)s/([A-Za-z0-9._-]{1,96})/([A-Za-z0-9._-]{1,96})\z`)

const (
	standardBuffer  = 30 * time.Second
	standardTimeout = time.Minute
)

func (options Options) settle() (settings, error) {
	hubURL := strings.TrimSuffix(options.HubURL, "/")
	switch {
	case !spelling.IsServiceURL(hubURL):
		return settings{}, badOption("HubURL", "give an http or https URL without query or credentials")
	case spelling.IsPlainHTTP(hubURL) && !options.AllowPlainHTTP:
		return settings{}, badOption("HubURL", "use https, or set AllowPlainHTTP")
	case !isRepository(options.Repository):
		return settings{}, badOption("Repository", "give it as in models/acme/bert")
	case !isRevision(options.Revision):
		return settings{}, badOption("Revision", "give a branch, a tag or a commit hash")
	case options.RefreshBuffer < 0:
		return settings{}, badOption("RefreshBuffer", "give a positive duration")
	case !options.HubToken.IsZero() && options.HubTokenFunc != nil:
		return settings{}, badOption("HubTokenFunc", "give it or HubToken, not both")
	case !options.HubToken.IsZero() && !spelling.IsToken68(options.HubToken.Reveal()):
		return settings{}, badHubToken()
	}
	settled := settings{
		hubURL:         hubURL,
		repository:     options.Repository,
		revision:       options.Revision,
		refreshBuffer:  options.RefreshBuffer,
		retryTimeout:   options.RetryTimeout,
		allowPlainHTTP: options.AllowPlainHTTP,
		transport:      options.Transport,
		wall:           time.Now,
		random:         rand.Float64,
	}
	if settled.revision == "" {
		settled.revision = "main"
	}
	if settled.refreshBuffer == 0 {
		settled.refreshBuffer = standardBuffer
	}
	if settled.retryTimeout == 0 {
		settled.retryTimeout = standardTimeout
	}
	if settled.transport == nil {
		settled.transport = http.DefaultTransport
	}
	return settled, nil
}

func badHubToken() *Error {
	return badOption("HubToken", "give it alone, without spaces or line ends; leave it out if you have none")
}

func isRepository(name string) bool {
	parts := repositoryName.FindStringSubmatch(name)
	return parts != nil && strings.Trim(parts[1], ".") != "" && strings.Trim(parts[2], ".") != ""
}

// isRevision refuses dots, because URLs are repaired around them.
func isRevision(name string) bool {
	return name != "." && name != ".." && utf8.ValidString(name)
}

// tokenPath encodes the revision as one segment.
func (settled settings) tokenPath(scope Scope) string {
	// What remains as it is: RFC 3986 unreserved. A plus sign would be a space to some.
	revision := strings.ReplaceAll(url.QueryEscape(settled.revision), "+", "%20")
	return "/api/" + settled.repository + "/storage-" + string(scope) + "-token/" + revision
}
