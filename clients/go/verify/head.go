package verify

import "errors"

// head is the hub's signed word about which list counts, up to which journal number, until when.
type head struct {
	issuer   string
	seq      int64
	list     string
	issuedAt int64
	expires  int64
}

const (
	headType       = "latchkey-revocations+jwt"
	maxHeadSeconds = 60
	// A hub whose clock is further ahead would hide its later lists for years.
	farthestAheadMs = 24 * 3600 * 1000
)

var (
	errHeadMalformed  = errors.New("the hub answered with something else than a head of revocations")
	errHeadUnknownKey = errors.New("the hub's head of revocations is signed with a key that the hub does not publish")
	errHeadForged     = errors.New("the signature of the hub's head of revocations is wrong")
	errHeadIssuer     = errors.New("the hub's head of revocations names another issuer: its publicUrl and the Issuer of the gate differ")
	errHeadFuture     = errors.New("the hub's head of revocations was signed in the future; check the clocks of hub and gate")
	errHeadOver       = errors.New("the hub's head of revocations is over already; check the clocks of hub and gate, and for a cache between them")
	errHeadAhead      = errors.New("the hub's journal is more than a day ahead of this machine's clock; set the clocks of both")
	errHeadOlder      = errors.New("the hub's head of revocations is older than the one before it")
	errHeadOwnKey     = errors.New("the hub's head of revocations is signed with a key that its own list cuts off")
	errListOther      = errors.New("the hub's list of revocations is not the one its head names")
)

// readHead verifies a head. Whether it is over, or older than another one, is for the caller to decide. The keys are
// never those of tokens.
func readHead(text string, keyOf func(kid string) (verifyingKey, bool), issuer string) (head, string, error) {
	parts, ok := readJWS(text)
	if !ok || parts.typ != headType {
		return head{}, "", errHeadMalformed
	}
	said, ok := parseHead(parts.payload)
	if !ok {
		return head{}, "", errHeadMalformed
	}
	key, known := keyOf(parts.kid)
	switch {
	case !known:
		return head{}, "", errHeadUnknownKey
	case parts.alg != key.alg:
		return head{}, "", errHeadMalformed
	case !key.isValid(parts.signed, parts.signature):
		return head{}, "", errHeadForged
	case said.issuer != issuer:
		return head{}, "", errHeadIssuer
	}
	return said, parts.kid, nil
}

// parseHead reads fixed members in a fixed order, as parseClaims does.
func parseHead(text string) (head, bool) {
	s := scanner{rest: text}
	said := head{}
	s.expect(`{"iss":`)
	said.issuer = s.anyText()
	s.expect(`,"seq":`)
	said.seq = s.number()
	s.expect(`,"list":`)
	said.list = s.text()
	s.expect(`,"iat":`)
	said.issuedAt = s.integer()
	s.expect(`,"exp":`)
	said.expires = s.integer()
	s.expect(`}`)
	return said, s.isDone() && isDigest(said.list) && 0 < said.life() && said.life() <= maxHeadSeconds
}

func (said head) life() int64 { return said.expires - said.issuedAt }

// fault is why a head does not count now.
func (said head) fault(now, leewaySeconds int64) error {
	switch {
	case said.issuedAt > now+leewaySeconds:
		return errHeadFuture
	// No leeway: for so long a revoked token could be used.
	case said.expires <= now:
		return errHeadOver
	case said.seq > now*1000+farthestAheadMs:
		return errHeadAhead
	}
	return nil
}
