package verify

import (
	"errors"
	"fmt"
	"strings"

	"latchkey/internal/spelling"
)

// checkServiceURL takes a URL in its normal form only: whoever reads it compares it byte for byte.
func checkServiceURL(name, text string) error {
	if spelling.IsServiceURL(text) {
		return nil
	}
	return fmt.Errorf("%s: %q is not allowed; give an http or https URL in its normal form, without trailing slash, query, fragment or credentials", name, text)
}

const maxCasURLLength = 2048

// checkCasURL allows placeholders in the path, each at most once.
func checkCasURL(text string) error {
	origin, path := spelling.SplitURL(text)
	path = strings.Replace(path, repositoryPlaceholder, "repo", 1)
	path = strings.Replace(path, refPlaceholder, "ref", 1)
	if len(text) > maxCasURLLength {
		return errors.New("CasURL is too long")
	}
	return checkServiceURL("CasURL", origin+path)
}

// audienceOf is what stands before the first placeholder, without a trailing slash.
func audienceOf(casURL string) string {
	before, _, _ := strings.Cut(casURL, "{")
	return strings.TrimRight(before, "/")
}

func authorityOf(url string) string {
	origin, _ := spelling.SplitURL(url)
	_, authority, _ := strings.Cut(origin, "://")
	return authority
}
