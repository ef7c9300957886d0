package latchkeytest

import (
	"sync"
	"time"
)

// Clock is the clock of a Hub and of gates that are made with its Options.
type Clock struct {
	mutex sync.Mutex
	// stopped is zero for a clock that follows the system.
	stopped time.Time
	ahead   time.Duration
}

func newClock(now time.Time) *Clock { return &Clock{stopped: now} }

// Now is the time of the hub.
func (clock *Clock) Now() time.Time {
	clock.mutex.Lock()
	defer clock.mutex.Unlock()
	if clock.stopped.IsZero() {
		return time.Now().Add(clock.ahead)
	}
	return clock.stopped.Add(clock.ahead)
}

// Advance moves the clock forward, for example beyond the end of a token.
func (clock *Clock) Advance(duration time.Duration) {
	clock.mutex.Lock()
	defer clock.mutex.Unlock()
	clock.ahead += duration
}

func (clock *Clock) seconds() int64 { return clock.Now().Unix() }

// waitFor returns when the clock shows this time in Unix milliseconds. A clock that is stopped waits for nobody.
func (clock *Clock) waitFor(milliseconds int64) {
	for clock.stopped.IsZero() && clock.Now().UnixMilli() < milliseconds {
		time.Sleep(100 * time.Microsecond)
	}
}
