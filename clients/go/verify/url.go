package verify

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

var serviceURL = regexp.MustCompile(`\A(https?)://(\[[0-9a-f:]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::([1-9][0-9]{0,4}))?\z`)

// splitURL splits off the path, which may be empty.
func splitURL(text string) (origin, path string) {
	scheme, rest, _ := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	length := min(len(text), len(scheme)+len("://")+len(host))
	return text[:length], text[length:]
}

// checkServiceURL takes a URL in its normal form only: whoever reads it compares it byte for byte.
func checkServiceURL(name, text string) error {
	origin, path := splitURL(text)
	if isOrigin(origin) && (path == "" || path != "/" && IsNormalPath(path)) {
		return nil
	}
	return fmt.Errorf("%s: %q is not allowed; give an http or https URL in its normal form, without trailing slash, query, fragment or credentials", name, text)
}

func isOrigin(origin string) bool {
	parts := serviceURL.FindStringSubmatch(origin)
	if parts == nil {
		return false
	}
	scheme, host, port := parts[1], parts[2], parts[3]
	number, _ := strconv.Atoi(port)
	isDefault := scheme == "http" && port == "80" || scheme == "https" && port == "443"
	return isHost(host) && !isDefault && number <= 65535
}

// isHost refuses addresses that are not in the one spelling of URLs, such as 127.1.
func isHost(host string) bool {
	if address, isIPv6 := strings.CutPrefix(host, "["); isIPv6 {
		address = strings.TrimSuffix(address, "]")
		read, err := netip.ParseAddr(address)
		return err == nil && read.Is6() && !read.Is4In6() && read.String() == address
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := labels[len(labels)-1]
	if !consistsOf(last, isDigit) && !strings.HasPrefix(last, "0x") {
		return true
	}
	read, err := netip.ParseAddr(host)
	return err == nil && read.String() == host
}

const maxCasURLLength = 2048

// checkCasURL allows placeholders in the path, each at most once.
func checkCasURL(text string) error {
	origin, path := splitURL(text)
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
	origin, _ := splitURL(url)
	_, authority, _ := strings.Cut(origin, "://")
	return authority
}

// isPlainHTTP tells whether others on the way could replace what is fetched.
func isPlainHTTP(url string) bool {
	origin, _ := splitURL(url)
	parts := serviceURL.FindStringSubmatch(origin)
	return parts != nil && parts[1] == "http" && !isLoopback(parts[2])
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && address.IsLoopback()
}
