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
	// refresh looks for newer ones if it is time to, and tells whether they were asked for after the call, and came.
	refresh(context.Context) bool
}

// fixedKeys were given once and stay.
type fixedKeys struct{ keys *KeySet }

func (source fixedKeys) known() *KeySet { return source.keys }

func (source fixedKeys) refresh(context.Context) bool { return true }

const (
	// The verifier asks the hub for unknown keys at most once in this time. Regular looks do not count.
	cooldownSeconds = 10
	// Keys older than this are looked for again while they go on serving.
	freshSeconds = 60
	// Keys that could not be confirmed for so long are not trusted any more.
	longestStaleSeconds = 24 * 3600

	keyPatience = 5 * time.Second
)

var keysOfTokens = document{"/.well-known/jwks.json", "application/json", "its keys", 64 << 10}

// hubKeys holds the keys of a hub while it is away, and looks for them again in the background.
type hubKeys struct {
	fetch     func(context.Context) (*KeySet, error)
	clock     clock
	onFailure func(error)

	mutex  sync.Mutex
	held   *KeySet
	heldAt int64
	// The last look for an unknown key, and the last regular one; nil before the first.
	askedAt  *int64
	lookedAt *int64
	trying   *attempt
}

type attempt struct {
	done  chan struct{}
	found bool
}

func (source *hubKeys) known() *KeySet {
	source.mutex.Lock()
	held, age := source.held, source.clock()-source.heldAt
	source.mutex.Unlock()
	if held == nil || age > longestStaleSeconds {
		return nil
	}
	if !isWithin(age, freshSeconds) {
		source.begin(true)
	}
	return held
}

func (source *hubKeys) refresh(ctx context.Context) bool {
	attempt, isMine := source.begin(false)
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

// begin gives the attempt under way, or a new one if it is time for it. Nobody who leaves ends it for the others.
func (source *hubKeys) begin(isRegular bool) (under *attempt, isMine bool) {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if source.trying != nil {
		return source.trying, false
	}
	now := source.clock()
	// The first look is a regular one: a key that comes right after it is asked for at once.
	isRegular = isRegular || source.held == nil
	if isCooling(source.askedAt, now) || (isRegular && isCooling(source.lookedAt, now)) {
		return nil, false
	}
	if isRegular {
		source.lookedAt = &now
	} else {
		source.askedAt = &now
	}
	source.trying = &attempt{done: make(chan struct{})}
	go source.look(source.trying)
	return source.trying, true
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

func isCooling(since *int64, now int64) bool {
	return since != nil && isWithin(now-*since, cooldownSeconds)
}

// isWithin does not hold for a clock that was set back, which must not stop the looking.
func isWithin(passed, seconds int64) bool {
	return passed >= 0 && passed < seconds
}
