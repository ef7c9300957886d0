package verify

// Reason is why a token is invalid, for the log of an operator. It is empty for a valid token.
type Reason string

const (
	Malformed     Reason = "malformed"
	UnknownKey    Reason = "unknown_key"
	Forged        Reason = "forged"
	WrongIssuer   Reason = "wrong_issuer"
	WrongAudience Reason = "wrong_audience"
	NotYetIssued  Reason = "not_yet_issued"
	LivesTooLong  Reason = "lives_too_long"
	Expired       Reason = "expired"
	Revoked       Reason = "revoked"
)

const (
	tokenType      = "at+jwt"
	maxLifeSeconds = 24 * 3600
)

// Expectation is what VerifyToken compares a token with. Now is in Unix seconds.
type Expectation struct {
	Keys          *KeySet
	Issuer        string
	Audience      string
	Now           int64
	LeewaySeconds int64
}

// VerifyToken returns the claims of a valid token and the id of the key that signed it, or the reason why it is invalid. It
// does not check revocations; a Gate does.
func VerifyToken(token string, expected Expectation) (claims Claims, kid string, reason Reason) {
	parts, ok := readJWS(token)
	if !ok || parts.typ != tokenType {
		return Claims{}, "", Malformed
	}
	said, ok := parseClaims(parts.payload)
	if !ok {
		return Claims{}, "", Malformed
	}
	key, known := expected.Keys.keys[parts.kid]
	switch {
	case !known:
		reason = UnknownKey
	case parts.alg != key.alg:
		reason = Malformed
	case !key.isValid(parts.signed, parts.signature):
		reason = Forged
	default:
		reason = contradiction(said, expected)
	}
	if reason != "" {
		return Claims{}, "", reason
	}
	return said, parts.kid, ""
}

func contradiction(claims Claims, expected Expectation) Reason {
	now, leeway := expected.Now, expected.LeewaySeconds
	switch {
	case claims.Issuer != expected.Issuer:
		return WrongIssuer
	case claims.Audience != expected.Audience:
		return WrongAudience
	case claims.IssuedAt > now+leeway:
		return NotYetIssued
	case claims.ExpiresAt-claims.IssuedAt > maxLifeSeconds:
		return LivesTooLong
	case claims.ExpiresAt+leeway <= now:
		return Expired
	}
	return ""
}
