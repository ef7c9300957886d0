package verify

import "net/http"

// Code is a stable error code. It is an open type: later versions may add codes. docs/reference/errors.md lists them.
type Code string

const (
	BadRequest          Code = "bad_request"
	StorageTokenMissing Code = "storage_token_missing"
	StorageTokenInvalid Code = "storage_token_invalid"
	InsufficientScope   Code = "insufficient_scope"
	RepositoryMismatch  Code = "repository_mismatch"
	RefMismatch         Code = "ref_mismatch"
	NotFound            Code = "not_found"
	GateNotReady        Code = "gate_not_ready"
)

// Refusal is the error of a request that the gate does not admit. It holds no part of the token.
type Refusal struct {
	// Code is the error code that the response has.
	Code Code
	// Detail is a sentence for the client.
	Detail string
	// Reason is why a token is invalid, for the log of the operator. It is never sent.
	Reason Reason
}

type meaning struct {
	status int
	title  string
	// challenge is the error of RFC 6750 §3.1.
	challenge string
}

var meanings = map[Code]meaning{
	BadRequest:          {http.StatusBadRequest, "The request cannot be understood", "invalid_request"},
	StorageTokenMissing: {http.StatusUnauthorized, "A storage token is required", ""},
	StorageTokenInvalid: {http.StatusUnauthorized, "The storage token is not valid", "invalid_token"},
	InsufficientScope:   {http.StatusForbidden, "The storage token may only read", "insufficient_scope"},
	RepositoryMismatch:  {http.StatusForbidden, "The storage token is for another repository", "insufficient_scope"},
	RefMismatch:         {http.StatusForbidden, "The storage token is for another ref", "insufficient_scope"},
	NotFound:            {http.StatusNotFound, "The path has no route", ""},
	GateNotReady:        {http.StatusServiceUnavailable, "The gate cannot check tokens now", ""},
}

// Status is the HTTP status of the response.
func (refusal Refusal) Status() int {
	if meaning, known := meanings[refusal.Code]; known {
		return meaning.status
	}
	return http.StatusInternalServerError
}

var (
	pathNotNormal   = refuse(BadRequest, `The path must be in its normal form: no empty, "." or ".." segments, no trailing slash, no encoded letters, digits, slashes or dots, no ";" and nothing but ASCII. Send it as the storage documents it.`)
	methodInQuery   = refuse(BadRequest, "A _method parameter in the query, which names another method than the request, is not accepted. Leave it out.")
	identityHeader  = refuse(BadRequest, "Headers that begin with Latchkey- are set by the gate alone. Leave them out.")
	identityTrailer = refuse(BadRequest, "Trailers that begin with Latchkey- are set by nobody. Leave them out.")
	overrideHeader  = refuse(BadRequest, "Headers that name another method or URL than the request are not accepted. Leave them out.")
	upgradeHeader   = refuse(BadRequest, "The gate does not change protocols. Leave the Upgrade header out.")
	lengthUnclear   = refuse(BadRequest, "The length of the body is given twice or cannot be read. Give it once.")
	bodyUnexpected  = refuse(BadRequest, "A GET or HEAD request has no body here. Leave it out.")

	tokenMissing     = refuse(StorageTokenMissing, `The request has no storage token. Ask the hub for one and send it as "Authorization: Bearer <token>"; it is read from nowhere else.`)
	scopeTooSmall    = refuse(InsufficientScope, "This storage token may only read. Ask the hub for a write token.")
	placeUnknown     = refuse(NotFound, "The path names no repository and ref. Build it from casUrl as the hub gave it.")
	anotherRepo      = refuse(RepositoryMismatch, "This storage token is for another repository. Ask the hub for one of this repository, and use it at its own casUrl.")
	anotherRef       = refuse(RefMismatch, "This storage token is for another ref. Ask the hub for one of this ref, and use it at its own casUrl.")
	noKeys           = refuse(GateNotReady, "The gate does not have the keys of the hub yet, so it cannot verify tokens. Try again in a moment.")
	keyNotConfirmed  = refuse(GateNotReady, "The storage token is signed with a key that the gate does not know, and the gate could not reach the hub to look for it. Try again in a moment.")
	revocationsStale = refuse(GateNotReady, "The gate does not know which storage tokens are revoked, because its revocation list is stale. Try again in a moment.")
	sentenceOfReason = map[Reason]string{
		Malformed:     "The storage token is not one that a hub has issued. Send accessToken as it came.",
		UnknownKey:    "The storage token is signed with a key that the hub does not publish.",
		Forged:        "The signature of the storage token is wrong. Send accessToken as it came.",
		WrongIssuer:   "The storage token was issued by another hub than the one this gate trusts. If there is only one, its publicUrl and the issuer of the gate differ: tell the operator.",
		WrongAudience: "The storage token was issued for another storage. Use it at the casUrl that came with it; if you did, hub and gate differ in casUrl: tell the operator.",
		NotYetIssued:  "The storage token was issued in the future. Check the clocks of hub and storage.",
		LivesTooLong:  "The storage token lives for longer than a day, which no hub allows. Ask the hub for a new one.",
		Expired:       "The storage token has expired. Ask the hub for a new one, 30 seconds before exp.",
		Revoked:       "The storage token has been revoked. Ask the hub for a new one.",
	}
)

func refuse(code Code, detail string) *Refusal {
	return &Refusal{Code: code, Detail: detail}
}

func tokenInvalid(reason Reason) *Refusal {
	return &Refusal{Code: StorageTokenInvalid, Detail: sentenceOfReason[reason], Reason: reason}
}
