// Package verify judges storage requests as Latchkey's gate does: is this storage token right for this method, this
// path, this repository and this ref, now? It is for storages written in Go that no gate stands in front of.
package verify

import "context"

// Gate judges requests: a request in, a grant or a refusal out. It is safe for use by many goroutines.
type Gate struct {
	authority string
	placing   placing
	rules     ScopeRules
	keys      keySource
	bearer    *bearerVerifier
	judging   *revocationJudge
}

// Admitted is a request that may pass.
type Admitted struct {
	Grant Grant
	// Path is without the prefix that named repository and ref.
	Path   string
	Prefix string
	// Query has its question mark, or is empty.
	Query string
	// Wanted is the scope that the request needed.
	Wanted Scope

	known *knownGrant
}

// New fails when nothing would be guarded, or not as the options say.
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
		judging: &revocationJudge{source: revocations, admitWhenStale: settled.AdmitWhenStale},
	}
	if revocations != nil {
		revocations.afterAnswer = gate.afterAnswer
	}
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

// afterAnswer: a gate that asks for news without any request keeps its keys fresh, too.
func (gate *Gate) afterAnswer() {
	gate.findSuccessor()
	gate.judging.cutDead()
}

// findSuccessor: where the hub has cut off a key, it signs with another one by now, which is fetched before a token comes
// with it.
func (gate *Gate) findSuccessor() {
	held, snapshot := gate.keys.known(), gate.judging.source.latest()
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

// Check judges a request. It waits only where keys or revocations must be asked for, and no longer than the context.
// One of the two results is nil.
func (gate *Gate) Check(ctx context.Context, given Request) (*Admitted, *Refusal) {
	request, refusal := given.read(gate.authority)
	if refusal != nil {
		return nil, refusal
	}
	place, isPlace := gate.placing.placeOf(request.path)
	judged := request.path
	if isPlace {
		judged = place.path
	}
	wanted := gate.rules.Wanted(request.method, judged)

	grant, refusal := gate.bearer.verify(ctx, request.authorization)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := gate.judging.judgeByNews(ctx, grant.isEndedBy); refusal != nil {
		return nil, refusal
	}
	switch {
	case wanted == Write && grant.Scope != Write:
		return nil, scopeTooSmall
	case !isPlace:
		return nil, placeUnknown
	case place.repository != nil && *place.repository != grant.RepositoryUID:
		return nil, anotherRepo
	case place.ref != nil && *place.ref != grant.RefUID:
		return nil, anotherRef
	}
	return &Admitted{
		Grant:  grant.copy(),
		Path:   place.path,
		Prefix: place.prefix,
		Query:  request.query,
		Wanted: wanted,
		known:  grant,
	}, nil
}

// Judge gives the refusal, if a token was taken back or that cannot be known, by the newest news and without waiting:
// for work that takes long, and for what the storage signed on behalf of a token.
func (gate *Gate) Judge(token Revocable) *Refusal {
	return gate.judging.judge(func(list *RevocationList) bool { return list.Ends(token) })
}

// Ready tells whether there are keys to verify with, and the hub has said which tokens were taken back.
func (gate *Gate) Ready() bool {
	return gate.keys.known() != nil && gate.judging.isReady()
}

// Refresh asks the hub for its keys and revocations, for instance before the first request.
func (gate *Gate) Refresh(ctx context.Context) {
	if gate.judging.source != nil {
		gate.judging.source.refresh(ctx)
	}
	gate.keys.refresh(ctx)
}

// Poll asks the hub every PollSeconds which tokens were taken back, until the context ends, so that no request waits for
// it. Call it in a goroutine of its own.
func (gate *Gate) Poll(ctx context.Context) {
	if gate.judging.source == nil {
		<-ctx.Done()
		return
	}
	gate.judging.source.poll(ctx)
}
