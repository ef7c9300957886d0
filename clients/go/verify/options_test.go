package verify

import (
	"strings"
	"testing"
)

func TestAGateThatWouldGuardNothingDoesNotStart(t *testing.T) {
	right := Options{HubURL: "https://hub.example", CasURL: "https://cas.example/r/{repo}/{ref}"}
	if _, err := New(right); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Options){
		"HubURL is missing":            func(o *Options) { o.HubURL = "" },
		"plain http":                   func(o *Options) { o.HubURL = "http://hub.example" },
		"HubURL: ":                     func(o *Options) { o.HubURL = "https://hub.example/" },
		"HubURL: \"https://HUB":        func(o *Options) { o.HubURL = "https://HUB.example" },
		"HubURL: \"https://a:b@":       func(o *Options) { o.HubURL = "https://a:b@hub.example" },
		"HubURL: \"https://127.1\"":    func(o *Options) { o.HubURL = "https://127.1" },
		"HubURL: \"https://hub:443":    func(o *Options) { o.HubURL = "https://hub:443" },
		"HubURL: \"ftp":                func(o *Options) { o.HubURL = "ftp://hub.example" },
		"Issuer: ":                     func(o *Options) { o.Issuer = "https://hub.example?x" },
		"give one of them":             func(o *Options) { o.Keys = &KeySet{} },
		"Issuer is missing":            func(o *Options) { o.Keys, o.HubURL = &KeySet{}, "" },
		"CasURL: \"\"":                 func(o *Options) { o.CasURL = "" },
		"whole segment":                func(o *Options) { o.CasURL = "https://cas.example/r-{repo}/{ref}" },
		"CasURL: \"https://cas.exampl": func(o *Options) { o.CasURL = "https://cas.example/{repo}/{repo}/{ref}" },
		"CasURL: \"https://{ref}":      func(o *Options) { o.CasURL = "https://{ref}/{repo}" },
		"nothing tells":                func(o *Options) { o.CasURL = "https://cas.example/{repo}" },
		"nothing tells repositories":   func(o *Options) { o.Isolation = "nobody" },
		"too long":                     func(o *Options) { o.CasURL += strings.Repeat("/x", 1024) },
		"LeewaySeconds":                func(o *Options) { o.LeewaySeconds = 61 },
		"PollSeconds":                  func(o *Options) { o.PollSeconds = 31 },
		"matches no path":              func(o *Options) { o.Rules.Write = []WriteRule{{Path: "/v1//x"}} },
		"\"/v1/x*\" matches no path":   func(o *Options) { o.Rules.Write = []WriteRule{{Path: "/v1/x*"}} },
		"\"/v1/**/x\" matches no path": func(o *Options) { o.Rules.Write = []WriteRule{{Path: "/v1/**/x"}} },
		"exclude each other":           func(o *Options) { o.Rules.RelaxOtherMethods, o.Rules.EveryUnsafeMethodWrites = true, true },
		"not told apart":               func(o *Options) { o.Rules.Write = []WriteRule{{Path: "/v1/%C3%A9"}} },
	} {
		options := right
		change(&options)
		gate, err := New(options)
		if gate != nil || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheUsualURLsAreTaken(t *testing.T) {
	for _, hub := range []string{
		"http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080", "https://hub.example/latchkey",
		"https://hub_1.internal.:8443", "https://192.0.2.7", "https://[2001:db8::1]",
	} {
		if _, err := New(Options{HubURL: hub, CasURL: "http://127.0.0.1:8081/{ref}/x/{repo}"}); err != nil {
			t.Errorf("%s: %v", hub, err)
		}
	}
	for _, isolation := range []Isolation{IsolationByStorage, IsolationNone} {
		if _, err := New(Options{HubURL: "https://hub.example", CasURL: "https://cas.example", Isolation: isolation}); err != nil {
			t.Errorf("%s: %v", isolation, err)
		}
	}
}

func TestAPlaceIsReadOffThePathAsTheCasURLSays(t *testing.T) {
	text := func(of *string) string {
		if of == nil {
			return "-"
		}
		return *of
	}
	for _, each := range []struct {
		casURL, path string
		owed         string
	}{
		{"https://cas.example/r/{repo}/{ref}", "/r/a/b-7/c/d", "a b /c/d"},
		{"https://cas.example/r/{repo}/{ref}", "/r/a/b", "a b /"},
		{"https://cas.example/r/{repo}/{ref}", "/r/a", ""},
		{"https://cas.example/r/{repo}/{ref}", "/x/r/a/b", ""},
		{"https://cas.example/{ref}/x/{repo}", "/b/x/a/c", "a b /c"},
		{"https://cas.example/{ref}/x/{repo}", "/b/y/a/c", ""},
		{"https://cas.example/{repo}", "/a/b", "a - /b"},
		{"https://cas.example", "/a/b", "- - /a/b"},
		{"https://cas.example/cas", "/cas", "- - /"},
		{"https://cas.example/cas", "/cash", ""},
		{"https://cas.example/cas", "/", ""},
	} {
		placing, err := newPlacing(each.casURL, IsolationByStorage)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		if place, ok := placing.placeOf(each.path); ok {
			found = text(place.repository) + " " + text(place.ref) + " " + place.path
			if place.prefix+strings.TrimSuffix(place.path, "/") != strings.TrimSuffix(each.path, "/") {
				t.Errorf("%s at %s: the prefix is %s", each.path, each.casURL, place.prefix)
			}
		}
		if found != each.owed {
			t.Errorf("%s at %s: %q, expected %q", each.path, each.casURL, found, each.owed)
		}
	}
}

func TestARowOfTheOperatorDemandsWriteAndNeverAllowsLess(t *testing.T) {
	rules := ScopeRules{Write: []WriteRule{
		{Methods: []string{"post"}, Path: "/v1/locks/*"},
		{Path: "/v1/Jobs/**"},
		{Methods: []string{"GET"}, Path: "/secrets"},
		{Path: "/v1/Stra%C3%9Fe"},
	}}
	relaxed := ScopeRules{Write: rules.Write, RelaxOtherMethods: true}
	everyUnsafe := ScopeRules{EveryUnsafeMethodWrites: true}
	for _, each := range []struct {
		method, path      string
		strict, isRelaxed Scope
	}{
		{"POST", "/v1/locks/a", Write, Write},
		{"POST", "/V1/LOCKS/a", Write, Write},
		{"POST", "/v1/locks./a", Write, Write},
		{"POST", "/v1/%EF%BC%ACocks/a", Write, Write},
		{"POST", "/v1/locks", Read, Read},
		{"POST", "/v1/locks/a/b", Read, Read},
		{"POST", "/v1/jobs", Write, Write},
		{"POST", "/v1/jobs/a/b", Write, Write},
		{"POST", "/v1/job", Read, Read},
		{"GET", "/v1/jobs", Read, Read},
		{"POST", "/v1/strasse", Write, Write},
		{"POST", "/v1/%C5%BFtra%C3%9Fe", Write, Write},
		{"GET", "/secrets", Write, Write},
		{"HEAD", "/secrets", Read, Read},
		{"PUT", "/v1/other", Write, Read},
		{"PUT", "/v1/xorbs/a", Write, Write},
		{"POST", "/v1/shards", Write, Write},
	} {
		if wanted := rules.RequiredScope(each.method, each.path); wanted != each.strict {
			t.Errorf("%s %s: %s", each.method, each.path, wanted)
		}
		if wanted := relaxed.RequiredScope(each.method, each.path); wanted != each.isRelaxed {
			t.Errorf("%s %s, relaxed: %s", each.method, each.path, wanted)
		}
		if wanted := everyUnsafe.RequiredScope(each.method, each.path); (wanted == Write) != isUnsafe(each.method) {
			t.Errorf("%s %s, every unsafe method: %s", each.method, each.path, wanted)
		}
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	cache := newRecent[int](2)
	key := func(number byte) digest { return digest{number} }
	cache.set(key(1), 1)
	cache.set(key(2), 2)
	cache.get(key(1))
	cache.set(key(3), 3)
	cache.set(key(1), 10)
	for number, owed := range map[byte]int{1: 10, 2: 0, 3: 3} {
		if value, _ := cache.get(key(number)); value != owed {
			t.Errorf("%d: %d", number, value)
		}
	}
	if len(cache.byKey) != 2 || cache.order.Len() != 2 {
		t.Error("more is remembered than was allowed")
	}
}
