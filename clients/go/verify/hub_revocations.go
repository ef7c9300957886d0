package verify

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultPollSeconds  = 5
	pollPatienceSeconds = 4
	// A key of heads that the hub has withdrawn is forgotten after so long.
	freshHeadKeySeconds = 60
)

const revocationsPath = "/.well-known/storage-revocations"

var (
	headDocument = document{revocationsPath, "application/jwt", "its head of revocations", 4 << 10}
	keysOfHeads  = document{"/.well-known/storage-revocation-keys", "application/json", "its revocation keys", 64 << 10}
)

func listDocument(hash string) document {
	return document{revocationsPath + "/" + hash, "application/octet-stream", "its list of revocations", 4 << 20}
}

// hubDocuments fetches what a hub publishes about revocations. Its results are not verified yet.
type hubDocuments interface {
	fetch(context.Context, document) ([]byte, error)
	fetchKeys(context.Context, document) (*KeySet, error)
}

// heldRevocations is a verified head, its list, and how long they count.
type heldRevocations struct {
	head head
	// kid is of the key that signed the head.
	kid string
	// listed is what the head names, kept what it lacks of earlier lists, and list both: tokens are checked against it.
	listed *RevocationList
	kept   map[string]keptEntry
	list   *RevocationList
	// since is when the first question was sent that brought the head: from then on its life is counted.
	since moment
	// confirmed is when the last one was sent that brought it, or another one of the same number.
	confirmed moment
}

// hubRevocations fetches the revocation list of a hub, and polls it.
type hubRevocations struct {
	documents     hubDocuments
	issuer        string
	clock         clock
	stopwatch     stopwatch
	leewaySeconds int64
	pollSeconds   int64
	onFailure     func(error)
	// afterResponse is called after every question, whatever came of it.
	afterResponse func()

	polling       sync.Once
	cancelPolling context.CancelFunc

	flight   flight
	snapshot atomic.Pointer[snapshot]
	failedAt atomic.Pointer[moment]

	// Only the one question under way uses these.
	held     *heldRevocations
	headKeys *KeySet
	keysSent moment
	told     string
}

func (source *hubRevocations) now() moment {
	return moment{source.stopwatch(), source.clock()}
}

// normalSeconds is how long a revoked token works at most while the hub responds.
func (source *hubRevocations) normalSeconds() int64 {
	return source.pollSeconds + pollPatienceSeconds
}

// latest is the newest snapshot, over or not; nil before the first.
func (source *hubRevocations) latest() *snapshot {
	return source.snapshot.Load()
}

// hasFailedLately tells whether no request needs to wait for another question.
func (source *hubRevocations) hasFailedLately() bool {
	sent := source.failedAt.Load()
	return sent != nil && !sent.after(source.normalSeconds()).isPast(source.now())
}

// begin asks the hub. The question is sent after the call, and callers at one time share it.
func (source *hubRevocations) begin() <-chan struct{} {
	return source.flight.begin(source.ask)
}

func (source *hubRevocations) refresh(ctx context.Context) {
	select {
	case <-source.begin():
	case <-ctx.Done():
	}
}

// startPolling begins to poll in the background. It does nothing after the first call, and nothing after stopPolling.
func (source *hubRevocations) startPolling() {
	source.polling.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		source.cancelPolling = cancel
		go source.poll(ctx)
	})
}

func (source *hubRevocations) stopPolling() {
	source.polling.Do(func() {})
	if source.cancelPolling != nil {
		source.cancelPolling()
	}
}

// poll asks again and again until the context ends; first after a part of the interval, so that gates that start
// together do not ask together.
func (source *hubRevocations) poll(ctx context.Context) {
	interval := time.Duration(source.pollSeconds) * time.Second
	timer := time.NewTimer(rand.N(interval))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			source.begin()
			timer.Reset(interval)
		case <-ctx.Done():
			return
		}
	}
}

func (source *hubRevocations) ask() {
	sent := source.now()
	ctx, cancel := context.WithTimeout(context.Background(), pollPatienceSeconds*time.Second)
	defer cancel()
	newest, err := source.fetchNewest(ctx, sent)
	if err == nil {
		source.held = newest
	} else {
		source.failedAt.Store(&sent)
	}
	source.tell(err)
	if source.held != nil {
		source.snapshot.Store(source.snapshotOf(*source.held))
	}
	source.afterResponse()
}

// tell makes of a hub that is away for an hour one line in a log, not hundreds.
func (source *hubRevocations) tell(err error) {
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	if err != nil && reason != source.told {
		source.onFailure(err)
	}
	source.told = reason
}

// fetchNewest fails, and then nothing changes and nothing counts for longer.
func (source *hubRevocations) fetchNewest(ctx context.Context, sent moment) (*heldRevocations, error) {
	head, kid, err := source.newestHead(ctx)
	if err != nil {
		return nil, err
	}
	if err := head.fault(source.clock(), source.leewaySeconds); err != nil {
		return nil, err
	}
	// Where the hub has withdrawn the key of the held head, its number does not count: whoever had the key could have
	// signed one so high that every later head would be ignored.
	if held := source.held; held != nil && source.headKeys.has(held.kid) {
		if head.seq < held.head.seq {
			return nil, errHeadOlder
		}
		if head.seq == held.head.seq && head.issuedAt <= held.head.issuedAt {
			confirmed := *held
			confirmed.confirmed = sent
			return &confirmed, nil
		}
	}
	list, err := source.listOf(ctx, head)
	if err != nil {
		return nil, err
	}
	if list.namesKey(kid) {
		return nil, errHeadOwnKey
	}
	newest := &heldRevocations{head: head, kid: kid, listed: list, list: list, since: sent, confirmed: sent}
	if held := source.held; held != nil {
		newest.kept = held.keepEntries(list, head.issuedAt, source.headKeys.has)
		isSame := held.listed == list && len(held.kept) == len(newest.kept)
		if isSame {
			newest.list = held.list
		} else {
			newest.list = list.with(newest.kept)
		}
	}
	return newest, nil
}

func (source *hubRevocations) newestHead(ctx context.Context) (head, string, error) {
	text, err := source.documents.fetch(ctx, headDocument)
	if err != nil {
		return head{}, "", err
	}
	isOld := source.headKeys == nil || source.keysSent.after(freshHeadKeySeconds).isPast(source.now())
	if isOld {
		if err := source.fetchHeadKeys(ctx); err != nil {
			return head{}, "", err
		}
	}
	said, kid, err := readHead(string(text), source.trusted, source.issuer)
	if !errors.Is(err, errHeadUnknownKey) {
		return said, kid, err
	}
	// An unknown key may be a new one. One more document in a question is no load, so there is no cooldown to wait for.
	if err := source.fetchHeadKeys(ctx); err != nil {
		return head{}, "", err
	}
	return readHead(string(text), source.trusted, source.issuer)
}

func (source *hubRevocations) fetchHeadKeys(ctx context.Context) error {
	sent := source.now()
	keys, err := source.documents.fetchKeys(ctx, keysOfHeads)
	if err != nil {
		return err
	}
	source.headKeys, source.keysSent = keys, sent
	return nil
}

// trusted gives a key that may sign heads.
func (source *hubRevocations) trusted(kid string) (verifyingKey, bool) {
	key, published := source.headKeys.keys[kid]
	held := source.held
	// A list revokes keys only as long as its own key is good: an attacker with a leaked key could revoke all others.
	isCut := held != nil && source.headKeys.has(held.kid) && held.listed.namesKey(kid)
	return key, published && !isCut
}

// listOf gives the same pointer for the same list, so that a token that was checked against it need not be checked again.
func (source *hubRevocations) listOf(ctx context.Context, head head) (*RevocationList, error) {
	if source.held != nil && source.held.head.list == head.list {
		return source.held.listed, nil
	}
	bytes, err := source.documents.fetch(ctx, listDocument(head.list))
	if err != nil {
		return nil, err
	}
	if digestOf(string(bytes)) != head.list {
		return nil, errListOther
	}
	return ReadRevocationList(bytes)
}
