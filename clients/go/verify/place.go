package verify

import (
	"errors"
	"regexp"
	"strings"

	"latchkey/internal/spelling"
)

// Isolation says how repositories and refs are kept apart if CasURL does not have both {repo} and {ref}.
type Isolation string

const (
	// IsolationByStorage means that your handler compares the uids of the grant itself.
	IsolationByStorage Isolation = "upstream"
	// IsolationNone means that there is one tenant: every token of the hub reaches everything.
	IsolationNone Isolation = "none"
)

// place is where a request leads. A part of the prefix that the casUrl does not name is not compared.
type place struct {
	prefix, path string
	repository   *string
	ref          *string
}

// placing reads the path of the casUrl off a request: its fixed segments must be there, its placeholders are the uids.
type placing struct {
	segments []string
}

const (
	repositoryPlaceholder = "{repo}"
	refPlaceholder        = "{ref}"
)

func newPlacing(casURL string, isolation Isolation) (placing, error) {
	namesBoth := strings.Contains(casURL, repositoryPlaceholder) && strings.Contains(casURL, refPlaceholder)
	isStated := isolation == IsolationByStorage || isolation == IsolationNone
	if !isStated && (isolation != "" || !namesBoth) {
		return placing{}, errors.New(`nothing tells repositories and refs apart: put {repo} and {ref} into CasURL, or say that the storage does it (IsolationByStorage) or that there is one tenant (IsolationNone)`)
	}
	_, path := spelling.SplitURL(casURL)
	segments := strings.Split(path, "/")[1:]
	for _, segment := range segments {
		isPlaceholder := segment == repositoryPlaceholder || segment == refPlaceholder
		if !isPlaceholder && strings.ContainsAny(segment, "{}") {
			return placing{}, errors.New("CasURL: {repo} and {ref} must each be a whole segment, as in https://cas.example/r/{repo}/{ref}")
		}
	}
	return placing{segments}, nil
}

func (placing placing) placeOf(path string) (place, bool) {
	found := place{}
	rest := path
	for _, wanted := range placing.segments {
		if rest == "" || rest[0] != '/' {
			return place{}, false
		}
		end := len(rest)
		if slash := strings.IndexByte(rest[1:], '/'); slash >= 0 {
			end = slash + 1
		}
		segment := rest[1:end]
		rest = rest[end:]
		switch {
		case wanted == repositoryPlaceholder && segment != "":
			found.repository = &segment
		case wanted == refPlaceholder && segment != "":
			uid := refUIDIn(segment)
			found.ref = &uid
		case wanted != segment:
			return place{}, false
		}
	}
	found.prefix, found.path = path[:len(path)-len(rest)], rest
	if rest == "" {
		found.path = "/"
	}
	return found, true
}

var epoch = regexp.MustCompile(`-[1-9][0-9]{0,14}\z`)

// refUIDIn cuts off the epoch: the hub gives a ref another address when content was removed, and earlier ones go on.
func refUIDIn(segment string) string {
	if at := epoch.FindStringIndex(segment); at != nil {
		return segment[:at[0]]
	}
	return segment
}
