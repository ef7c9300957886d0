package verify

import (
	"errors"
	"fmt"
	"log"
	"net/http"

	"latchkey/internal/spelling"
)

// Options configures a Gate. HubURL and CasURL are enough for most storages.
type Options struct {
	// HubURL is the URL of the hub, from which the gate fetches keys and revocations: https, unless it is a loopback address.
	HubURL string
	// Issuer is the publicUrl of the hub, which every token names as iss. It defaults to HubURL.
	Issuer string
	// CasURL is the casUrl of the hub's configuration, such as https://cas.example/r/{repo}/{ref}.
	CasURL string
	// Isolation says how repositories and refs are kept apart if CasURL has no {repo} and {ref}.
	Isolation Isolation

	// Rules add routes that need a write token.
	Rules ScopeRules
	// LeewaySeconds is how far the clocks of hub and storage may be apart, and how long after its end a token may still
	// begin a request: 1 to 60. 0 is the default of 30; NoLeeway is none.
	LeewaySeconds int
	// PollSeconds is how often the gate fetches the revocation list: 1 to 30. 0 is the default of 5.
	PollSeconds int
	// WhenStale says whether the gate rejects requests (Reject, the default) or allows them by the last list (Allow) when
	// the hub has not responded for a minute. With Allow, a token that is revoked in the meantime works until it expires.
	WhenStale WhenStale
	// AllowPlainHTTP allows an http URL that is not a loopback address. Others on the network could then replace the keys.
	AllowPlainHTTP bool

	// Transport sends the requests to the hub, for example through a proxy or with a private certificate authority.
	Transport http.RoundTripper
	// OnFailure is called with the reason when a request to the hub fails. The gate continues with the keys and the list
	// that it has. By default it writes a log line.
	OnFailure func(error)

	// Keys replaces HubURL with keys of your own. The gate then knows no revocations: a token is valid until it expires.
	Keys *KeySet
	// Clock returns Unix seconds; by default those of the system.
	Clock func() int64
}

// NoLeeway is the value of Options.LeewaySeconds for no leeway at all.
const NoLeeway = -1

// WhenStale is what a gate does with requests while its revocation list is stale.
type WhenStale string

const (
	// Reject returns 503 gate_not_ready. It is the default.
	Reject WhenStale = "reject"
	// Allow checks requests against the last list.
	Allow WhenStale = "allow"
)

func settle(options Options) (Options, error) {
	switch options.LeewaySeconds {
	case 0:
		options.LeewaySeconds = 30
	case NoLeeway:
		options.LeewaySeconds = 0
	}
	if options.PollSeconds == 0 {
		options.PollSeconds = defaultPollSeconds
	}
	if options.WhenStale == "" {
		options.WhenStale = Reject
	}
	if options.Clock == nil {
		options.Clock = systemClock
	}
	if options.OnFailure == nil {
		options.OnFailure = func(err error) { log.Printf("latchkey: %v", err) }
	}
	if options.Issuer == "" {
		options.Issuer = options.HubURL
	}
	return options, errors.Join(checkTrust(options), checkCasURL(options.CasURL), checkNumbers(options), checkWhenStale(options.WhenStale), checkRules(options.Rules))
}

func checkTrust(options Options) error {
	switch {
	case options.Keys != nil && options.HubURL != "":
		return errors.New("Keys and HubURL: give one of them")
	case options.Keys != nil && options.Issuer == "":
		return errors.New("Issuer is missing: give the publicUrl of the hub")
	case options.Keys != nil:
		return nil
	case options.HubURL == "":
		return errors.New("HubURL is missing: give the URL of the hub, or its Keys and Issuer")
	case spelling.IsPlainHTTP(options.HubURL) && !options.AllowPlainHTTP:
		return fmt.Errorf("HubURL: %s is plain http, so others on the way could replace the keys; use https or a loopback address, or say AllowPlainHTTP", options.HubURL)
	}
	return errors.Join(checkServiceURL("HubURL", options.HubURL), checkServiceURL("Issuer", options.Issuer))
}

func checkNumbers(options Options) error {
	if options.LeewaySeconds < 0 || options.LeewaySeconds > 60 {
		return fmt.Errorf("LeewaySeconds: %d is not allowed; give 1 to 60, or NoLeeway", options.LeewaySeconds)
	}
	if options.PollSeconds < 1 || options.PollSeconds > 30 {
		return fmt.Errorf("PollSeconds: %d is not allowed; give 1 to 30", options.PollSeconds)
	}
	return nil
}

func checkWhenStale(when WhenStale) error {
	if when != Reject && when != Allow {
		return fmt.Errorf("WhenStale: %q is not allowed; give Reject or Allow", when)
	}
	return nil
}

func checkRules(rules ScopeRules) error {
	var all []error
	if rules.RelaxOtherMethods && rules.EveryUnsafeMethodWrites {
		all = append(all, errors.New("Rules: EveryUnsafeMethodWrites and RelaxOtherMethods exclude each other; give one of them"))
	}
	for _, rule := range rules.Write {
		all = append(all, rule.check())
	}
	return errors.Join(all...)
}
