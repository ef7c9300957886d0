package verify

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"latchkey/internal/signing"
)

// readVectors reads a file of the folder that every verifier is held against.
func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	folder := os.Getenv("LATCHKEY_VECTORS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "vectors")
	}
	bytes, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatalf("without the vectors nothing is tested; LATCHKEY_VECTORS names their folder: %v", err)
	}
	if err := json.Unmarshal(bytes, into); err != nil {
		t.Fatal(err)
	}
}

func decoded(t testing.TB, text string) []byte {
	bytes, ok := decodeSegment(text)
	if !ok {
		t.Fatalf("%q is no base64url", text)
	}
	return bytes
}

func keySet(t testing.TB, document []byte) *KeySet {
	t.Helper()
	keys, err := ReadKeySet(document)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

type tokenVectors struct {
	Issuer        string
	Audience      string
	Now           int64
	LeewaySeconds int64
	JWKS          json.RawMessage
	SigningKeys   map[string]signing.Key `json:"signingKeysOfTheseVectors"`
	Cases         []tokenCase
}

type tokenCase struct {
	Name     string
	Token    string
	Accepted bool
	Reason   Reason
	Claims   *struct {
		Iss   string
		Aud   string
		Sub   string
		ID    string `json:"client_id"`
		Scope Scope
		Repo  Repository
		Ref   Ref
		// Commit and the rest as in Claims.
		Commit string
		AsOf   int64 `json:"as_of"`
		Sees   []SeenRef
		Iat    int64
		Exp    int64
		Jti    string
	}
}

func (vectors tokenVectors) expectation(t testing.TB) Expectation {
	return Expectation{
		Keys:          keySet(t, vectors.JWKS),
		Issuer:        vectors.Issuer,
		Audience:      vectors.Audience,
		Now:           vectors.Now,
		LeewaySeconds: vectors.LeewaySeconds,
	}
}

func (each tokenCase) claims() Claims {
	if each.Claims == nil {
		return Claims{}
	}
	c := each.Claims
	return Claims{c.Iss, c.Aud, c.Sub, c.ID, c.Scope, c.Repo, c.Ref, c.Commit, c.AsOf, c.Sees, c.Iat, c.Exp, c.Jti}
}

func TestEveryTokenOfTheVectorsIsCheckedAsTheySay(t *testing.T) {
	var vectors tokenVectors
	readVectors(t, "tokens.json", &vectors)
	expected := vectors.expectation(t)
	accepted := 0
	for _, each := range vectors.Cases {
		claims, kid, reason := VerifyToken(each.Token, expected)
		if (reason == "") != each.Accepted || reason != each.Reason {
			t.Errorf("%s: %q, expected %q", each.Name, reason, each.Reason)
		}
		if text, owed := claimsText(claims), claimsText(each.claims()); text != owed {
			t.Errorf("%s: %s, expected %s", each.Name, text, owed)
		}
		if (kid != "") != each.Accepted {
			t.Errorf("%s: the key is %q", each.Name, kid)
		}
		if each.Accepted {
			accepted++
		}
	}
	if accepted < 20 || len(vectors.Cases)-accepted < 200 {
		t.Errorf("only %d of %d tokens are right", accepted, len(vectors.Cases))
	}
}

// claimsText is for comparing: a list without entries is one without entries, however it is written.
func claimsText(claims Claims) string {
	if len(claims.Sees) == 0 {
		claims.Sees = nil
	}
	text, _ := json.Marshal(claims)
	return string(text)
}

func TestEveryPathAndScopeOfTheVectorsIsCheckedAsTheySay(t *testing.T) {
	var vectors struct {
		Paths []struct {
			Path   string
			Normal bool
		}
		Scopes []struct {
			Method, Path string
			Wants        Scope
		}
	}
	readVectors(t, "scope-rules.json", &vectors)
	for _, each := range vectors.Paths {
		if normal := IsNormalPath(each.Path); normal != each.Normal {
			t.Errorf("path %q: %t, expected %t", each.Path, normal, each.Normal)
		}
	}
	for _, each := range vectors.Scopes {
		if wanted := (ScopeRules{}).RequiredScope(each.Method, each.Path); wanted != each.Wants {
			t.Errorf("%s %s: %s, expected %s", each.Method, each.Path, wanted, each.Wants)
		}
	}
	if len(vectors.Paths) < 400 || len(vectors.Scopes) < 1000 {
		t.Errorf("only %d paths and %d scopes", len(vectors.Paths), len(vectors.Scopes))
	}
}

// requestVector is one request with the answer that it is owed.
type requestVector struct {
	name    string
	request Request
	body    string
	status  int
	code    Code
	grant   *seenGrant
	gets    string
	// nodeCannotSend: the parser of another server refuses it; Go's may do so too.
	nodeCannotSend bool
}

// seenGrant is who is let in, as a handler must hear it.
type seenGrant struct {
	Scope         Scope
	Repository    string
	RepositoryUID string
	Ref           string
	RefUID        string
	Subject       string
}

func seen(grant Grant) seenGrant {
	return seenGrant{grant.Scope, grant.Repository, grant.RepositoryUID, grant.Ref, grant.RefUID, grant.Subject}
}

type requestVectors struct {
	Issuer        string
	CasURL        string
	Now           int64
	LeewaySeconds int
	JWKS          json.RawMessage
	Places        map[string]string
	Tokens        map[string]*string
	Grants        map[string]seenGrant
	Requests      []struct {
		Name, Method, Target string
		Headers              [][2]string
		Body                 string
		Status               int
		Code                 Code
		Grant, Gets          string
		NotThrough           map[string]string
	}
	Matrix [][6]any
}

func readRequestVectors(t testing.TB) (requestVectors, []requestVector) {
	var vectors requestVectors
	readVectors(t, "requests.json", &vectors)
	var all []requestVector
	for _, row := range vectors.Matrix {
		token, method, place, path := row[0].(string), row[1].(string), row[2].(string), row[3].(string)
		each := requestVector{
			name:    strings.Join([]string{token, method, place, path}, " "),
			request: Request{Method: method, Target: vectors.Places[place] + path},
			status:  int(row[4].(float64)),
		}
		if text := vectors.Tokens[token]; text != nil {
			each.request.Headers = []Header{{"Authorization", "Bearer " + *text}}
		}
		if code, isRefused := row[5].(string); isRefused {
			each.code = Code(code)
		} else {
			grant := vectors.Grants[token]
			each.grant, each.gets = &grant, path
			if path == "" {
				each.gets = "/"
			}
		}
		all = append(all, each)
	}
	for _, one := range vectors.Requests {
		each := requestVector{
			name:    one.Name,
			request: Request{Method: one.Method, Target: vectors.filled(one.Target)},
			body:    one.Body,
			status:  one.Status,
			code:    one.Code,
			gets:    one.Gets,
		}
		for _, header := range one.Headers {
			each.request.Headers = append(each.request.Headers, Header{header[0], vectors.filled(header[1])})
		}
		if grant, isAdmitted := vectors.Grants[one.Grant]; isAdmitted {
			each.grant = &grant
		}
		_, each.nodeCannotSend = one.NotThrough["node"]
		all = append(all, each)
	}
	return vectors, all
}

// filled puts tokens in the places of their names.
func (vectors requestVectors) filled(text string) string {
	for name, token := range vectors.Tokens {
		if token != nil {
			text = strings.ReplaceAll(text, "<"+name+">", *token)
		}
	}
	return text
}

func (vectors requestVectors) gate(t testing.TB) *Gate {
	t.Helper()
	gate, err := New(Options{
		Keys:          keySet(t, vectors.JWKS),
		Issuer:        vectors.Issuer,
		CasURL:        vectors.CasURL,
		LeewaySeconds: vectors.LeewaySeconds,
		Clock:         func() int64 { return vectors.Now },
	})
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

func TestEveryRequestOfTheVectorsIsCheckedAsTheySay(t *testing.T) {
	vectors, all := readRequestVectors(t)
	gate := vectors.gate(t)
	if len(all) < 4800 {
		t.Errorf("only %d requests", len(all))
	}
	for _, each := range all {
		admitted, refusal := gate.Check(context.Background(), each.request)
		switch {
		case refusal != nil:
			if refusal.Code != each.code || refusal.Status() != each.status {
				t.Errorf("%s: %s, expected %q", each.name, refusal.Code, each.code)
			}
		case each.grant == nil:
			t.Errorf("%s: admitted, expected %s", each.name, each.code)
		case seen(admitted.Grant) != *each.grant || admitted.Path+admitted.Query != each.gets:
			t.Errorf("%s: %+v at %s, expected %+v at %s", each.name, admitted.Grant, admitted.Path, *each.grant, each.gets)
		}
	}
}

type revocationVectors struct {
	Issuer        string
	Now           int64
	LeewaySeconds int64
	PublishedKeys map[string]json.RawMessage
	KeysOfTokens  json.RawMessage
	Token         string
	TokenKid      string
	Lists         []struct {
		Name, Bytes, Hash string
		Entries           *[]struct {
			Hash   string
			Number uint64
		}
	}
	Heads []struct {
		Name, Head string
		Accepted   bool
	}
	Histories []struct {
		Name  string
		Steps []struct {
			Wait  int64
			Set   int64
			Keys  []string
			Head  json.RawMessage
			Holds struct{ State, List string }
		}
	}
	Deaths []struct {
		List string
		Dead bool
	}
}

func (vectors revocationVectors) bytesOf(t testing.TB, name string) []byte {
	for _, each := range vectors.Lists {
		if each.Name == name {
			bytes, err := base64.StdEncoding.DecodeString(each.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			return bytes
		}
	}
	t.Fatalf("the vectors have no list called %s", name)
	return nil
}

func TestEveryListOfTheVectorsIsReadAsTheySay(t *testing.T) {
	var vectors revocationVectors
	readVectors(t, "revocations.json", &vectors)
	if len(vectors.Lists) < 40 || len(vectors.Deaths) < 30 {
		t.Errorf("only %d lists and %d deaths", len(vectors.Lists), len(vectors.Deaths))
	}
	for _, each := range vectors.Lists {
		bytes := vectors.bytesOf(t, each.Name)
		if digestOf(string(bytes)) != each.Hash {
			t.Errorf("%s: another hash", each.Name)
		}
		list, err := ReadRevocationList(bytes)
		if (err == nil) != (each.Entries != nil) {
			t.Errorf("%s: %v", each.Name, err)
		}
		if err != nil || each.Entries == nil {
			continue
		}
		if list.size() != len(*each.Entries) {
			t.Errorf("%s: %d entries, expected %d", each.Name, list.size(), len(*each.Entries))
		}
		numbers := map[string]uint64{}
		for index := range list.size() {
			numbers[signing.Encode(list.hash(index))] = list.number(index)
		}
		for _, entry := range *each.Entries {
			if number, found := numbers[entry.Hash]; !found || number != entry.Number {
				t.Errorf("%s: %s is %d, expected %d", each.Name, entry.Hash, number, entry.Number)
			}
		}
	}
	keys := keySet(t, vectors.KeysOfTokens)
	parts, _ := readJWS(vectors.Token)
	claims, ok := parseClaims(parts.payload)
	if !ok || parts.kid != vectors.TokenKid || !keys.has(parts.kid) {
		t.Fatal("the token of the vectors cannot be read")
	}
	for _, each := range vectors.Deaths {
		list, err := ReadRevocationList(vectors.bytesOf(t, each.List))
		if err != nil {
			t.Fatal(err)
		}
		if dead := list.Revokes(grantOf(claims, parts.kid).Revocable); dead != each.Dead {
			t.Errorf("%s: dead is %t, expected %t", each.List, dead, each.Dead)
		}
	}
}

// vectorHub answers what the vectors say, to a verifier on clocks that are moved by hand.
type vectorHub struct {
	vectors revocationVectors
	lists   map[string][]byte
	keys    []string
	// head is nil where the hub does not answer.
	head   *string
	wall   int64
	passed time.Duration
}

var errNoAnswer = errors.New("no answer")

func newVectorHub(t testing.TB, vectors revocationVectors) (*vectorHub, *hubRevocations) {
	hub := &vectorHub{
		vectors: vectors,
		lists:   map[string][]byte{},
		keys:    slices.Collect(maps.Keys(vectors.PublishedKeys)),
		wall:    vectors.Now,
	}
	for _, each := range vectors.Lists {
		hub.lists[each.Hash] = vectors.bytesOf(t, each.Name)
	}
	return hub, &hubRevocations{
		documents:     hub,
		issuer:        vectors.Issuer,
		clock:         func() int64 { return hub.wall },
		stopwatch:     func() time.Duration { return hub.passed },
		leewaySeconds: vectors.LeewaySeconds,
		pollSeconds:   defaultPollSeconds,
		onFailure:     func(error) {},
		afterResponse: func() {},
	}
}

func (hub *vectorHub) fetch(_ context.Context, wanted document) ([]byte, error) {
	if hash, isList := strings.CutPrefix(wanted.path, revocationsPath+"/"); isList {
		if list, found := hub.lists[hash]; found {
			return list, nil
		}
		return nil, errNoAnswer
	}
	if hub.head == nil {
		return nil, errNoAnswer
	}
	return []byte(*hub.head), nil
}

func (hub *vectorHub) fetchKeys(context.Context, document) (*KeySet, error) {
	var published [][]byte
	for _, name := range hub.keys {
		published = append(published, hub.vectors.PublishedKeys[name])
	}
	return ReadKeySet([]byte(`{"keys":[` + string(bytes.Join(published, []byte(","))) + `]}`))
}

func TestEveryHeadAndHistoryOfTheVectorsEndsAsTheySay(t *testing.T) {
	var vectors revocationVectors
	readVectors(t, "revocations.json", &vectors)
	if len(vectors.Heads) < 30 || len(vectors.Histories) < 15 {
		t.Errorf("only %d heads and %d histories", len(vectors.Heads), len(vectors.Histories))
	}
	for _, each := range vectors.Heads {
		hub, verifier := newVectorHub(t, vectors)
		hub.head = &each.Head
		<-verifier.begin()
		if accepted := verifier.latest() != nil; accepted != each.Accepted {
			t.Errorf("head %s: %t", each.Name, accepted)
		}
	}
	for _, history := range vectors.Histories {
		hub, verifier := newVectorHub(t, vectors)
		for number, step := range history.Steps {
			hub.passed += time.Duration(step.Wait) * time.Second
			hub.wall += step.Wait + step.Set
			if step.Keys != nil {
				hub.keys = step.Keys
			}
			if step.Head != nil {
				hub.head = nil
				if err := json.Unmarshal(step.Head, &hub.head); err != nil {
					t.Fatal(err)
				}
				<-verifier.begin()
			}
			state, list := "none", []byte(nil)
			if snapshot := verifier.latest(); snapshot != nil {
				state, list = "good", snapshot.list.entries
				if snapshot.isOver() {
					state = "over"
				}
			}
			var owed []byte
			if step.Holds.List != "" {
				owed = vectors.bytesOf(t, step.Holds.List)
			}
			if state != step.Holds.State || !bytes.Equal(list, owed) {
				t.Errorf("%s, step %d: %s, expected %s", history.Name, number, state, step.Holds.State)
			}
		}
	}
}

func TestTheSameHeadAgainCountsFromWhenItFirstCame(t *testing.T) {
	var vectors revocationVectors
	readVectors(t, "revocations.json", &vectors)
	hub, verifier := newVectorHub(t, vectors)
	hub.head = &vectors.Heads[0].Head
	<-verifier.begin()
	// Half a minute passes, and the clock is set back, so that the hub's own time does not end the head.
	for range 2 {
		if verifier.latest().isOver() {
			t.Error("over before its time")
		}
		hub.passed += 30 * time.Second
		<-verifier.begin()
	}
	if !verifier.latest().isOver() {
		t.Error("the same head counts for more than a minute")
	}
}

func TestWhatIsCutForEverIsDeadWhateverItSays(t *testing.T) {
	entry := append(decodedDigest(digestOf("account:ada")), 0, 0x1f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
	list, err := ReadRevocationList(entry)
	if err != nil {
		t.Fatal(err)
	}
	if !list.Revokes(Revocable{Subject: "ada", AsOf: largestNumber}) || list.Revokes(Revocable{Subject: "bob", AsOf: largestNumber}) {
		t.Error("as_of counts against a cut-off for ever")
	}
}
