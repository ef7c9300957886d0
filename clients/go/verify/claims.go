package verify

// Scope is the right of a storage token: Read, or Write, which includes Read.
type Scope string

const (
	Read  Scope = "read"
	Write Scope = "write"
)

// Claims are the claims of a storage token.
type Claims struct {
	Issuer   string
	Audience string
	// Subject is the id of the account, or "anonymous".
	Subject string
	// ClientID is the id of the hub token that requested this token; never its secret.
	ClientID   string
	Scope      Scope
	Repository Repository
	Ref        Ref
	// Commit is the commit of the revision when the token was issued.
	Commit string
	// AsOf is the last number of the hub's journal that the decision includes.
	AsOf int64
	// Sees are the inherited refs.
	Sees []SeenRef
	// IssuedAt and ExpiresAt are in Unix seconds.
	IssuedAt  int64
	ExpiresAt int64
	TokenID   string
}

// Repository has a Type ("model"), an ID ("acme/bert") and a UID, which a new repository with the same ID does not get.
type Repository struct {
	Type string
	ID   string
	UID  string
}

// Ref is a full ref name or a commit hash, and its UID.
type Ref struct {
	Name string
	UID  string
}

// SeenRef is an inherited ref. The token reads content that was written under UID with a sequence number below Before.
type SeenRef struct {
	UID    string
	Before int64
}

// largestNumber is the largest that every JSON reader keeps exact: 2^53 - 1.
const largestNumber = 1<<53 - 1

const maxSeenRefs = 8

// parseClaims reads the one text that writes a claim set: its members in their order and in their one spelling. The
// text must be valid UTF-8. encoding/json would take other spellings, other cases of names and members said twice.
func parseClaims(text string) (Claims, bool) {
	s := scanner{rest: text}
	claims := Claims{}
	s.expect(`{"iss":`)
	claims.Issuer = s.text()
	s.expect(`,"aud":`)
	claims.Audience = s.text()
	s.expect(`,"sub":`)
	claims.Subject = s.text()
	s.expect(`,"client_id":`)
	claims.ClientID = s.text()
	s.expect(`,"scope":`)
	claims.Scope = Scope(s.oneOf("read", "write"))
	s.expect(`,"repo":{"type":`)
	claims.Repository.Type = s.oneOf("model", "dataset", "space")
	s.expect(`,"id":`)
	claims.Repository.ID = s.text()
	s.expect(`,"uid":`)
	claims.Repository.UID = s.text()
	s.expect(`},"ref":{"name":`)
	claims.Ref.Name = s.text()
	s.expect(`,"uid":`)
	claims.Ref.UID = s.text()
	s.expect(`},"commit":`)
	claims.Commit = s.text()
	s.expect(`,"as_of":`)
	claims.AsOf = s.number()
	claims.Sees = s.seenRefs()
	s.expect(`,"iat":`)
	claims.IssuedAt = s.number()
	s.expect(`,"exp":`)
	claims.ExpiresAt = s.number()
	s.expect(`,"jti":`)
	claims.TokenID = s.text()
	s.expect(`}`)
	return claims, s.isDone()
}

func (s *scanner) seenRefs() []SeenRef {
	s.expect(`,"sees":[`)
	seen := []SeenRef{}
	if s.accept(`]`) {
		return seen
	}
	for len(seen) < maxSeenRefs {
		s.expect(`{"uid":`)
		uid := s.text()
		s.expect(`,"before":`)
		before := s.number()
		s.expect(`}`)
		seen = append(seen, SeenRef{UID: uid, Before: before})
		if !s.accept(`,`) {
			break
		}
	}
	s.expect(`]`)
	return seen
}
