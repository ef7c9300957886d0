package verify

import (
	"context"
	"sync"
	"time"
)

// keySource is where the gate's keys come from.
type keySource interface {
	// known gives the keys to trust now, or nil while there are none. It never waits.
	known() *KeySet
	// refresh looks for newer ones as soon as it may, and tells whether they were asked for after the call, and came.
	refresh(context.Context) bool
	// begin does so without waiting.
	begin()
}

// fixedKeys were given once and stay.
type fixedKeys struct{ keys *KeySet }

func (source fixedKeys) known() *KeySet { return source.keys }

func (source fixedKeys) refresh(context.Context) bool { return true }

func (source fixedKeys) begin() {}

const (
	// The verifier asks the hub for unknown keys at most once in this time. Tokens that come meanwhile wait for the next
	// look: a refusal would let anybody keep a new key unknown with a made-up one.
	unknownKeySeconds = 1
	// The verifier begins regular looks, and the first one, at most once in this time.
	cooldownSeconds = 10
	// Keys older than this are looked for again while they go on serving.
	freshSeconds = 60
	// Keys that could not be confirmed for so long are not trusted any more.
	maxStaleSeconds = 24 * 3600

	keyPatience = 5 * time.Second
)

var keysOfTokens = document{"/.well-known/jwks.json", "application/json", "its keys", 64 << 10}

// hubKeys holds the keys of a hub while it is away, and looks for them again in the background.
type hubKeys struct {
	fetch     func(context.Context) (*KeySet, error)
	clock     clock
	onFailure func(error)
	// wait is in real time, whatever the clock says; nil is time.Sleep.
	wait func(time.Duration)

	mutex  sync.Mutex
	held   *KeySet
	heldAt int64
	// The last look for an unknown key, and the last regular one; nil before the first.
	askedAt  *int64
	lookedAt *int64
	trying   *attempt
	// next waits until it may begin. It serves every token that comes before that.
	next *attempt
}

type attempt struct {
	done  chan struct{}
	found bool
}

func (source *hubKeys) known() *KeySet {
	source.mutex.Lock()
	held, age := source.held, source.clock()-source.heldAt
	source.mutex.Unlock()
	if held == nil || age > maxStaleSeconds {
		return nil
	}
	if !isWithin(age, freshSeconds) {
		source.beginLook(true)
	}
	return held
}

func (source *hubKeys) begin() { source.beginLook(false) }

func (source *hubKeys) refresh(ctx context.Context) bool {
	attempt, isMine := source.beginLook(false)
	if attempt == nil {
		return false
	}
	select {
	case <-attempt.done:
		return isMine && attempt.found
	case <-ctx.Done():
		return false
	}
}

// beginLook gives the attempt under way, the one that waits until it may begin, or a new one. Nobody who leaves ends it for the
// others. It is mine where it begins after the call.
func (source *hubKeys) beginLook(isRegular bool) (under *attempt, isMine bool) {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if source.trying != nil {
		return source.trying, false
	}
	if source.next != nil {
		return source.next, true
	}
	now := source.clock()
	// The first look is a regular one: a key that comes right after it is asked for at once.
	if isRegular || source.held == nil {
		if isCooling(source.askedAt, now, cooldownSeconds) || isCooling(source.lookedAt, now, cooldownSeconds) {
			return nil, false
		}
		source.lookedAt = &now
		source.trying = &attempt{done: make(chan struct{})}
		go source.look(source.trying)
		return source.trying, true
	}
	if isCooling(source.askedAt, now, unknownKeySeconds) {
		source.next = &attempt{done: make(chan struct{})}
		go source.lookLater(source.next)
		return source.next, true
	}
	source.askedAt = &now
	source.trying = &attempt{done: make(chan struct{})}
	go source.look(source.trying)
	return source.trying, true
}

// lookNow fetches the keys, and returns when they have come or failed to. It leaves out the pauses before and after.
func (source *hubKeys) lookNow() {
	source.forgetLooks()
	if attempt, _ := source.beginLook(false); attempt != nil {
		<-attempt.done
	}
	source.forgetLooks()
}

func (source *hubKeys) forgetLooks() {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	source.askedAt, source.lookedAt = nil, nil
}

func (source *hubKeys) lookLater(attempt *attempt) {
	wait := source.wait
	if wait == nil {
		wait = time.Sleep
	}
	wait(unknownKeySeconds * time.Second)
	source.mutex.Lock()
	now := source.clock()
	source.askedAt, source.next, source.trying = &now, nil, attempt
	source.mutex.Unlock()
	source.look(attempt)
}

func (source *hubKeys) look(attempt *attempt) {
	ctx, cancel := context.WithTimeout(context.Background(), keyPatience)
	defer cancel()
	keys, err := source.fetch(ctx)
	source.mutex.Lock()
	if err == nil {
		source.held, source.heldAt = keys, source.clock()
		attempt.found = true
	}
	source.trying = nil
	source.mutex.Unlock()
	if err != nil {
		source.onFailure(err)
	}
	close(attempt.done)
}

func isCooling(since *int64, now, seconds int64) bool {
	return since != nil && isWithin(now-*since, seconds)
}

// isWithin does not hold for a clock that was set back, which must not stop the looking.
func isWithin(passed, seconds int64) bool {
	return passed >= 0 && passed < seconds
}
