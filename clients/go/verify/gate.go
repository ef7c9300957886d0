package verify

import "context"

// Gate checks requests: it admits a request with a grant, or refuses it with an error code. It is safe for use by many
// goroutines. A gate with a HubURL polls the hub in the background from its first use until Close.
type Gate struct {
	authority   string
	placing     placing
	rules       ScopeRules
	keys        keySource
	bearer      *bearerVerifier
	revocations *revocationCheck
}

// Admission is a request that the gate has admitted.
type Admission struct {
	// Grant is what the verified storage token allows.
	Grant Grant
	// Path is the path without the prefix that names repository and ref: "/v1/chunks/abc".
	Path string
	// Prefix is the part of the path that names repository and ref.
	Prefix string
	// Query begins with its question mark, or is empty.
	Query string
	// RequiredScope is the scope that the request needs.
	RequiredScope Scope

	known *knownGrant
}

// New makes a gate. It fails if an option is missing, contradicts another one, or would leave the storage open.
func New(options Options) (*Gate, error) {
	settled, err := settle(options)
	if err != nil {
		return nil, err
	}
	placing, err := newPlacing(settled.CasURL, settled.Isolation)
	if err != nil {
		return nil, err
	}
	audience := audienceOf(settled.CasURL)
	keys, revocations := sources(settled)
	gate := &Gate{
		authority: authorityOf(audience),
		placing:   placing,
		rules:     settled.Rules,
		keys:      keys,
		bearer: &bearerVerifier{
			keys:          keys,
			issuer:        settled.Issuer,
			audience:      audience,
			leewaySeconds: int64(settled.LeewaySeconds),
			clock:         settled.Clock,
			seen:          newRecent[*knownGrant](maxSeen),
		},
		revocations: &revocationCheck{source: revocations, allowStale: settled.WhenStale == Allow},
	}
	if revocations != nil {
		revocations.afterResponse = gate.afterResponse
	}
	gate.listen(settled.Transport)
	return gate, nil
}

func sources(options Options) (keySource, *hubRevocations) {
	if options.Keys != nil {
		return fixedKeys{options.Keys}, nil
	}
	hub := newHub(options.HubURL, options.Transport)
	keys := &hubKeys{
		fetch:     func(ctx context.Context) (*KeySet, error) { return hub.fetchKeys(ctx, keysOfTokens) },
		clock:     options.Clock,
		onFailure: options.OnFailure,
	}
	revocations := &hubRevocations{
		documents:     hub,
		issuer:        options.Issuer,
		clock:         options.Clock,
		stopwatch:     systemStopwatch(),
		leewaySeconds: int64(options.LeewaySeconds),
		pollSeconds:   int64(options.PollSeconds),
		onFailure:     options.OnFailure,
	}
	return keys, revocations
}

// afterResponse keeps the keys fresh as well when the gate only polls and gets no requests.
func (gate *Gate) afterResponse() {
	gate.findSuccessor()
	gate.revocations.cutRevoked()
}

// findSuccessor fetches the new key when the hub has revoked a key: the hub signs with another one by now, and a token comes
// with it.
func (gate *Gate) findSuccessor() {
	held, snapshot := gate.keys.known(), gate.revocations.source.latest()
	if held == nil || snapshot == nil {
		return
	}
	for kid := range held.keys {
		if snapshot.list.namesKey(kid) {
			gate.keys.begin()
			return
		}
	}
}

// Check checks a request of any server. It waits for the hub only if keys or the revocation list are missing or old, and
// no longer than the context. Exactly one of the two results is nil.
func (gate *Gate) Check(ctx context.Context, given Request) (*Admission, *Refusal) {
	gate.start()
	request, refusal := given.read(gate.authority)
	if refusal != nil {
		return nil, refusal
	}
	place, isPlace := gate.placing.placeOf(request.path)
	checkedPath := request.path
	if isPlace {
		checkedPath = place.path
	}
	requiredScope := gate.rules.RequiredScope(request.method, checkedPath)

	grant, refusal := gate.bearer.verify(ctx, request.authorization)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := gate.revocations.checkFresh(ctx, grant.isRevokedBy); refusal != nil {
		return nil, refusal
	}
	switch {
	case requiredScope == Write && grant.Scope != Write:
		return nil, scopeTooSmall
	case !isPlace:
		return nil, placeUnknown
	case place.repository != nil && *place.repository != grant.RepositoryUID:
		return nil, anotherRepo
	case place.ref != nil && *place.ref != grant.RefUID:
		return nil, anotherRef
	}
	return &Admission{
		Grant:         grant.copy(),
		Path:          place.path,
		Prefix:        place.prefix,
		Query:         request.query,
		RequiredScope: requiredScope,
		known:         grant,
	}, nil
}

// CheckGrant checks a token that was admitted before against the newest revocation list, without waiting. It returns nil if
// the token is still good, and a Refusal if the token is revoked or the list is stale. Use it during long work, and for
// everything that your storage signs on behalf of a token, for example URLs.
func (gate *Gate) CheckGrant(token Revocable) *Refusal {
	gate.start()
	return gate.revocations.check(func(list *RevocationList) bool { return list.Revokes(token) })
}

// Ready reports whether the gate has keys and a revocation list that is not stale, for a health check. If the keys are
// missing, it starts to fetch them.
func (gate *Gate) Ready() bool {
	gate.start()
	if gate.keys.known() == nil {
		gate.keys.begin()
		return false
	}
	return gate.revocations.isReady()
}

// Refresh fetches the revocation list and the keys, for example before the first request. It returns when the hub has
// responded, or when the context ends.
func (gate *Gate) Refresh(ctx context.Context) {
	gate.start()
	if gate.revocations.source != nil {
		gate.revocations.source.refresh(ctx)
	}
	gate.keys.refresh(ctx)
}

// Close stops the polling. A closed gate still checks requests, and then a request whose list is old waits for the hub.
func (gate *Gate) Close() {
	if gate.revocations.source != nil {
		gate.revocations.source.stopPolling()
	}
}

// start begins the polling, once.
func (gate *Gate) start() {
	if gate.revocations.source != nil {
		gate.revocations.source.startPolling()
	}
}
