package spelling

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

var serviceURL = regexp.MustCompile(`\A(https?)://(\[[0-9a-f:]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::([1-9][0-9]{0,4}))?\z`)

// SplitURL splits off the path, which may be empty.
func SplitURL(text string) (origin, path string) {
	scheme, rest, _ := strings.Cut(text, "://")
	host, _, _ := strings.Cut(rest, "/")
	length := min(len(text), len(scheme)+len("://")+len(host))
	return text[:length], text[length:]
}

// IsServiceURL takes a URL in its normal form only: whoever reads it compares it byte for byte.
func IsServiceURL(text string) bool {
	origin, path := SplitURL(text)
	return isOrigin(origin) && (path == "" || path != "/" && IsPath(path))
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
	if !ConsistsOf(last, IsDigit) && !strings.HasPrefix(last, "0x") {
		return true
	}
	read, err := netip.ParseAddr(host)
	return err == nil && read.String() == host
}

// IsPlainHTTP tells whether others on the way could replace what is fetched.
func IsPlainHTTP(url string) bool {
	origin, _ := SplitURL(url)
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

// IsOnThisMachine tells whether a service URL leads to no other machine.
func IsOnThisMachine(url string) bool {
	origin, _ := SplitURL(url)
	parts := serviceURL.FindStringSubmatch(origin)
	return parts != nil && isLoopback(parts[2])
}
