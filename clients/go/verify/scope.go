package verify

import (
	"fmt"
	"slices"
	"strings"
)

// WriteRule is a route that needs Write in addition to the built-in ones.
type WriteRule struct {
	// Methods lists the methods of the route. Without methods, the rule is about all except GET, HEAD and OPTIONS.
	Methods []string
	// Path is a pattern such as "/v1/locks/*": * is one segment, ** at the end is any number of segments. Case is ignored.
	Path string
}

// ScopeRules says which scope a request needs. Its zero value has the built-in rules only.
type ScopeRules struct {
	// Write lists further routes that need Write.
	Write []WriteRule
	// RelaxOtherMethods allows a read token to use PUT, PATCH, DELETE and other methods outside of shards and xorbs.
	RelaxOtherMethods bool
	// EveryUnsafeMethodWrites requires Write for all methods except GET, HEAD and OPTIONS, on every path. You cannot
	// combine it with RelaxOtherMethods.
	EveryUnsafeMethodWrites bool
}

// RequiredScope returns the scope that a request needs. The path must be normal, and without the prefix that names repository and
// ref.
func (rules ScopeRules) RequiredScope(method, path string) Scope {
	for _, rule := range rules.Write {
		if rule.concerns(method) && rule.matches(path) {
			return Write
		}
	}
	if !isUnsafe(method) {
		return Read
	}
	// Clients send telemetry and questions with POST.
	isFree := method == "POST" || rules.RelaxOtherMethods
	if isFree && !rules.EveryUnsafeMethodWrites && !namesShardOrXorb(path) {
		return Read
	}
	return Write
}

// isUnsafe compares as it stands: "get" is not GET.
func isUnsafe(method string) bool {
	return method != "GET" && method != "HEAD" && method != "OPTIONS"
}

// namesShardOrXorb folds the path as a whole, so that a character whose compatibility form is a slash begins a segment too.
func namesShardOrXorb(path string) bool {
	folded := fold(path)
	return strings.Contains(folded, "/SHARD") || strings.Contains(folded, "/XORB")
}

func (rule WriteRule) concerns(method string) bool {
	if len(rule.Methods) == 0 {
		return isUnsafe(method)
	}
	return slices.ContainsFunc(rule.Methods, func(known string) bool { return strings.EqualFold(known, method) })
}

func (rule WriteRule) matches(path string) bool {
	wanted := strings.Split(rule.Path[1:], "/")
	given := strings.Split(path[1:], "/")
	if last := len(wanted) - 1; wanted[last] == "**" {
		wanted = wanted[:last]
		given = given[:min(len(given), len(wanted))]
	}
	return slices.EqualFunc(wanted, given, func(part, segment string) bool {
		return part == "*" || fold(part) == fold(segment)
	})
}

// check refuses a rule that matches no path, or one of which fold cannot tell what it matches.
func (rule WriteRule) check() error {
	path := rule.Path
	if before, isOpen := strings.CutSuffix(path, "/**"); isOpen {
		path = before + "/x"
	}
	segments := strings.Split(path, "/")
	for index, segment := range segments {
		if segment == "*" {
			segments[index] = "x"
		}
	}
	path = strings.Join(segments, "/")
	if !IsNormalPath(path) || strings.Contains(path, "*") {
		return fmt.Errorf("Rules: %q matches no path; give one in its normal form, with * for a segment and ** for the rest", rule.Path)
	}
	if strings.Contains(fold(path), beyondASCII) {
		return fmt.Errorf("Rules: %q has characters that are not told apart here; put * in the place of that segment", rule.Path)
	}
	return nil
}
