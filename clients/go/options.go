package verify

import (
	"errors"
	"fmt"
	"log"
	"net/http"
)

// Options is what a Gate is made from.
type Options struct {
	// HubURL is where keys and revocations are; https, unless it is a loopback address.
	HubURL string
	// Issuer is the publicUrl of the hub, which every token must name; HubURL where it is empty.
	Issuer string
	// CasURL is as the hub has it. With {repo} and {ref} every request names both.
	CasURL string
	// Isolation says who keeps repositories and refs apart where CasURL does not name them.
	Isolation Isolation

	Rules ScopeRules
	// LeewaySeconds is how far the clocks of hub and storage may be apart, and how long after its end a token may still
	// begin a request: 1 to 60. 0 is the default of 30; NoLeeway is none.
	LeewaySeconds int
	// PollSeconds is how often Poll asks which tokens were taken back: 1 to 30. 0 is the default of 5.
	PollSeconds int
	// AdmitWhenStale goes on with the last list when the hub has been silent for a minute: a token that is taken back
	// meanwhile then works until it expires.
	AdmitWhenStale bool
	// AllowPlainHTTP fetches keys over a network on which others could replace them.
	AllowPlainHTTP bool

	// Transport is for hubs with a certificate of their own, or behind a proxy.
	Transport http.RoundTripper
	// OnFailure is told why the hub could not be asked; the gate goes on with what it has. By default it is logged.
	OnFailure func(error)

	// Keys are trusted instead of those of HubURL. No revocations are known then: a token is good until it expires.
	Keys *KeySet
	// Clock gives Unix seconds; by default those of the system.
	Clock func() int64
}

// NoLeeway is for Options.LeewaySeconds.
const NoLeeway = -1

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
	if options.Clock == nil {
		options.Clock = systemClock
	}
	if options.OnFailure == nil {
		options.OnFailure = func(err error) { log.Printf("latchkey: %v", err) }
	}
	if options.Issuer == "" {
		options.Issuer = options.HubURL
	}
	return options, errors.Join(checkTrust(options), checkCasURL(options.CasURL), checkNumbers(options), checkRules(options.Rules))
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
	case isPlainHTTP(options.HubURL) && !options.AllowPlainHTTP:
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
