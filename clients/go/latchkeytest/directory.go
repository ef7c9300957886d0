package latchkeytest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"latchkey/verify"
)

// directory has the uids of repositories and refs, and the journal in which each of them began. A number of the journal is
// higher than all before it, and no lower than the clock in milliseconds.
type directory struct {
	clock        *Clock
	number       int64
	repositories map[string]verify.Repository
	refs         map[[2]string]refEntry
	forks        map[[2]string]int64
}

type refEntry struct {
	verify.Ref
	commit string
}

// place is a repository and one of its refs.
type place struct {
	repository verify.Repository
	ref        refEntry
}

func newDirectory(clock *Clock) directory {
	made := directory{
		clock:        clock,
		repositories: map[string]verify.Repository{},
		refs:         map[[2]string]refEntry{},
		forks:        map[[2]string]int64{},
	}
	made.append()
	return made
}

func (directory *directory) append() {
	directory.number = max(directory.number+1, directory.clock.Now().UnixMilli())
}

var (
	repositoryName = regexp.MustCompile(`\A(model|dataset|space)s/([A-Za-z0-9._-]{1,96}/[A-Za-z0-9._-]{1,96})\z`)
	commitHash     = regexp.MustCompile(`\A(?:[0-9a-f]{40}|[0-9a-f]{64})\z`)
)

func (directory *directory) repository(name string) (verify.Repository, error) {
	if known, found := directory.repositories[name]; found {
		return known, nil
	}
	parts := repositoryName.FindStringSubmatch(name)
	if parts == nil {
		return verify.Repository{}, fmt.Errorf("the repository %q is not allowed; give it as in models/acme/bert", name)
	}
	made := verify.Repository{Type: parts[1], ID: parts[2], UID: newUID()}
	directory.repositories[name] = made
	directory.append()
	return made, nil
}

// ref takes a full name, a full hash of a commit, or the name of a branch.
func (directory *directory) ref(repository verify.Repository, name string) (refEntry, error) {
	if strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\x00\r\n") {
		return refEntry{}, fmt.Errorf("the ref %q is not allowed; give a branch, a full ref such as refs/tags/v1, or a full commit hash", name)
	}
	full, commit := fullName(name), randomHash()
	if full == name && commitHash.MatchString(name) {
		commit = name
	}
	key := [2]string{repository.UID, full}
	if known, found := directory.refs[key]; found {
		return known, nil
	}
	made := refEntry{verify.Ref{Name: full, UID: newUID()}, commit}
	directory.refs[key] = made
	directory.append()
	return made, nil
}

func fullName(ref string) string {
	if strings.HasPrefix(ref, "refs/") || commitHash.MatchString(ref) {
		return ref
	}
	return "refs/heads/" + ref
}

// seen is what a ref inherits from another one: the content from before the two were first named together. It returns when
// rows that are written from now on are newer than that.
func (directory *directory) seen(ref, inherited refEntry) verify.SeenRef {
	key := [2]string{ref.UID, inherited.UID}
	before, found := directory.forks[key]
	if !found {
		directory.number = max(directory.number+1, directory.clock.Now().UnixMilli()+1)
		before = directory.number
		directory.forks[key] = before
		directory.clock.waitFor(before)
	}
	return verify.SeenRef{UID: inherited.UID, Before: before}
}

func newUID() string { return strings.ToLower(rand.Text()) }

func randomHash() string {
	bytes := make([]byte, 20)
	_, _ = rand.Read(bytes)
	return hex.EncodeToString(bytes)
}
