package client

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// source has the tokens of one scope: one is held, shared by all callers, and replaced before it expires.
type source struct {
	*hub
	scope      Scope
	asking     flight[outcome]
	requesting flight[outcome]

	mutex sync.Mutex
	held  *held
	// isUsed is whether a caller has had the held token.
	isUsed bool
	// casURL is that of the last token.
	casURL string
	timer  *time.Timer
}

type held struct {
	received
	spentAfter time.Duration
}

// maxLead is long enough before a token is spent for a slow hub.
const maxLead = 30 * time.Second

func (source *source) get(ctx context.Context) (Token, error) {
	if source.closing.Err() != nil {
		return Token{}, closedError()
	}
	if err := ctx.Err(); err != nil {
		return Token{}, err
	}
	if token, isGood := source.use(); isGood {
		return token, nil
	}
	result, err := source.asking.join(source.ask).wait(ctx)
	if err != nil {
		return Token{}, source.unlessClosed(err)
	}
	return result.token, result.err
}

// use gives the token that is held, if it is good.
func (source *source) use() (Token, bool) {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if !source.isGood() {
		return Token{}, false
	}
	source.isUsed = true
	return source.held.token, true
}

// isGood needs the lock.
func (source *source) isGood() bool {
	held := source.held
	return held != nil && source.now().since(held.since) < held.spentAfter && held.identity == source.credential.currentIdentity()
}

// ask goes on for as long as a caller has patience.
func (source *source) ask() outcome {
	patience := patience{settings: source.settings}
	for {
		// Another run may have ended since the caller looked.
		if token, isGood := source.use(); isGood {
			return outcome{received: received{token: token}}
		}
		result := source.attempt()
		after, isTransient := againAfter(result.err)
		if !isTransient {
			source.use()
			return result
		}
		goesOn, err := patience.wait(source.closing, after)
		if err != nil {
			return outcome{err: closedError()}
		}
		if !goesOn {
			return result
		}
	}
}

// attempt is shared with the refresh in the background.
func (source *source) attempt() outcome {
	run := source.requesting.join(func() outcome {
		result := source.request(source.scope)
		if result.err == nil {
			source.hold(result.received)
		}
		return result
	})
	<-run.done
	return run.result
}

func (source *source) hold(received received) {
	// The hub's Date leaves out up to a second.
	buffer := max(time.Second, source.refreshBuffer)
	// A token that lives shorter than the buffer is used for half of its life.
	spentAfter := received.life - min(buffer, received.life/2)
	lead := source.spread(min(maxLead, spentAfter/10))
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if source.closing.Err() != nil {
		return
	}
	source.held = &held{received, spentAfter}
	source.casURL = received.token.CasURL
	source.isUsed = false
	source.refreshAfter(spentAfter-lead-source.now().since(received.since), 0)
}

// refreshAfter needs the lock.
func (source *source) refreshAfter(wait time.Duration, failures int) {
	if source.timer != nil {
		source.timer.Stop()
	}
	source.timer = time.AfterFunc(max(0, wait), func() { source.refresh(failures) })
}

// refresh replaces a token in use. One that nobody has used is let go.
func (source *source) refresh(failures int) {
	source.mutex.Lock()
	isWanted := source.isUsed && source.isGood()
	source.mutex.Unlock()
	if !isWanted {
		return
	}
	result := source.attempt()
	after, isTransient := againAfter(result.err)
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if isTransient && source.closing.Err() == nil {
		source.refreshAfter(source.waitAfter(failures, after), failures+1)
	}
}

// drop holds this token no longer: the storage did not take it.
func (source *source) drop(token Token) {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if source.held != nil && source.held.token == token {
		source.held = nil
	}
}

func (source *source) lastCasURL() string {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	return source.casURL
}

func (source *source) close() {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	source.held = nil
	if source.timer != nil {
		source.timer.Stop()
	}
}

// againAfter is about failures of the hub that may pass.
func againAfter(err error) (after time.Duration, mayPass bool) {
	var failure *Error
	if !errors.As(err, &failure) {
		return 0, false
	}
	return failure.RetryAfter, failure.Code == HubUnreachable || failure.Status != http.StatusOK && isTransient(failure.Status)
}
