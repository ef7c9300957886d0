package verify

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"latchkey/internal/signing"
)

// With LATCHKEY_VERIFY_LINES=1 the test binary answers the questions of Latchkey's differential test, a line each, and tests
// nothing itself. packages/testing/src/differential/questions.ts says what is asked.
func TestMain(m *testing.M) {
	if os.Getenv("LATCHKEY_VERIFY_LINES") != "1" {
		os.Exit(m.Run())
	}
	if err := answerLines(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type question struct {
	Kind string

	Issuer        string
	CasURL        string
	Isolation     *Isolation
	LeewaySeconds int
	Now           int64
	Rules         struct {
		Write []struct {
			Methods json.RawMessage
			Path    string
		}
		RelaxOtherMethods       bool
		EveryUnsafeMethodWrites bool
	}
	JWKS     json.RawMessage
	HeadJWKS json.RawMessage
	List     string

	Method  string
	Target  string
	Headers []string

	Head     string
	Bytes    string
	Document string
}

func answerLines(from io.Reader, to io.Writer) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 16<<20)
	answers := bufio.NewWriter(to)
	verifier := &lineVerifier{}
	for lines.Scan() {
		var asked question
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return err
		}
		answer, err := verifier.answer(asked)
		if err != nil {
			return err
		}
		line, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := answers.Write(append(line, '\n')); err != nil {
			return err
		}
		if err := answers.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

type lineVerifier struct {
	gate     *Gate
	issuer   string
	headKeys *KeySet
}

type answer = map[string]any

func (verifier *lineVerifier) answer(asked question) (any, error) {
	switch asked.Kind {
	case "gate":
		return answer{}, verifier.set(asked)
	case "request":
		return verifier.request(asked), nil
	case "head":
		return verifier.head(asked), nil
	case "list":
		return listAnswer(asked)
	case "keys":
		kids := []string{}
		if keys, err := ReadKeySet([]byte(asked.Document)); err == nil {
			kids = append(kids, slices.Sorted(maps.Keys(keys.keys))...)
		}
		return answer{"kids": kids}, nil
	}
	return nil, fmt.Errorf("what is a question of the kind %q", asked.Kind)
}

func (verifier *lineVerifier) set(asked question) error {
	keys, err := ReadKeySet(asked.JWKS)
	headKeys, err2 := ReadKeySet(asked.HeadJWKS)
	bytes, err3 := base64.StdEncoding.DecodeString(asked.List)
	list, err4 := ReadRevocationList(bytes)
	options := Options{
		Keys:          keys,
		Issuer:        asked.Issuer,
		CasURL:        asked.CasURL,
		LeewaySeconds: asked.LeewaySeconds,
		Clock:         func() int64 { return asked.Now },
	}
	if asked.LeewaySeconds == 0 {
		options.LeewaySeconds = NoLeeway
	}
	if asked.Isolation != nil {
		options.Isolation = *asked.Isolation
	}
	options.Rules.RelaxOtherMethods = asked.Rules.RelaxOtherMethods
	options.Rules.EveryUnsafeMethodWrites = asked.Rules.EveryUnsafeMethodWrites
	for _, rule := range asked.Rules.Write {
		var methods []string
		if string(rule.Methods) != `"unsafe"` {
			if err := json.Unmarshal(rule.Methods, &methods); err != nil {
				return err
			}
		}
		options.Rules.Write = append(options.Rules.Write, WriteRule{methods, rule.Path})
	}
	gate, err5 := New(options)
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		return err
	}
	gate.revocations.source = listSource(list, asked.Now)
	*verifier = lineVerifier{gate, asked.Issuer, headKeys}
	return nil
}

// listSource has one list that is never late.
func listSource(list *RevocationList, now int64) *hubRevocations {
	source := &hubRevocations{
		clock:     func() int64 { return now },
		stopwatch: func() time.Duration { return 0 },
	}
	in := source.now().after(maxHeadSeconds)
	source.stopPolling()
	source.snapshot.Store(&snapshot{source: source, list: list, isTrusted: true, expires: in.at, ends: in, late: in})
	return source
}

func (verifier *lineVerifier) request(asked question) answer {
	request := Request{Method: wireBytes(asked.Method), Target: wireBytes(asked.Target)}
	for pair := range slices.Chunk(asked.Headers, 2) {
		request.Headers = append(request.Headers, Header{wireBytes(pair[0]), wireBytes(pair[1])})
	}
	admitted, refusal := verifier.gate.Check(context.Background(), request)
	if refusal != nil {
		given := answer{"status": refusal.Status(), "code": refusal.Code}
		if refusal.Reason != "" {
			given["reason"] = refusal.Reason
		}
		return given
	}
	return answer{
		"status":        200,
		"requiredScope": admitted.RequiredScope,
		"path":          admitted.Path,
		"prefix":        admitted.Prefix,
		"query":         admitted.Query,
		"grant":         grantAnswer(admitted.Grant),
	}
}

// wireBytes: every character of a question is one byte of the wire.
func wireBytes(text string) string {
	bytes := []byte{}
	for _, char := range text {
		bytes = append(bytes, byte(char))
	}
	return string(bytes)
}

func grantAnswer(grant Grant) answer {
	sees := []answer{}
	for _, seen := range grant.Sees {
		sees = append(sees, answer{"uid": seen.UID, "before": seen.Before})
	}
	return answer{
		"kid":           grant.KeyID,
		"tokenId":       grant.TokenID,
		"hubToken":      grant.HubToken,
		"subject":       grant.Subject,
		"repositoryUid": grant.RepositoryUID,
		"namespace":     grant.Namespace,
		"refUids":       grant.RefUIDs,
		"asOf":          grant.AsOf,
		"scope":         grant.Scope,
		"repository":    grant.Repository,
		"ref":           grant.Ref,
		"refUid":        grant.RefUID,
		"commit":        grant.Commit,
		"sees":          sees,
		"issuedAt":      grant.IssuedAt,
		"expiresAt":     grant.ExpiresAt,
	}
}

var headReasons = map[error]Reason{
	errHeadMalformed:  Malformed,
	errHeadUnknownKey: UnknownKey,
	errHeadForged:     Forged,
	errHeadIssuer:     WrongIssuer,
}

func (verifier *lineVerifier) head(asked question) answer {
	trusted := func(kid string) (verifyingKey, bool) {
		key, found := verifier.headKeys.keys[kid]
		return key, found
	}
	said, kid, err := readHead(wireBytes(asked.Head), trusted, verifier.issuer)
	if err != nil {
		return answer{"ok": false, "reason": headReasons[err]}
	}
	told := answer{"iss": said.issuer, "seq": said.seq, "list": said.list, "iat": said.issuedAt, "exp": said.expires}
	return answer{"ok": true, "head": told, "kid": kid}
}

func listAnswer(asked question) (answer, error) {
	bytes, err := base64.StdEncoding.DecodeString(asked.Bytes)
	if err != nil {
		return nil, err
	}
	given := answer{"hash": digestOf(string(bytes)), "entries": nil}
	if list, err := ReadRevocationList(bytes); err == nil {
		entries := [][2]any{}
		for index := range list.size() {
			entries = append(entries, [2]any{signing.Encode(list.hash(index)), list.number(index)})
		}
		given["entries"] = entries
	}
	return given, nil
}
