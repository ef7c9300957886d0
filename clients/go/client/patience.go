package client

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"latchkey/internal/spelling"
)

// moment is told by two clocks: one is never set, but may stand still while the machine sleeps; the other runs on.
type moment struct{ steady, wall time.Time }

func (settled settings) now() moment {
	return moment{time.Now(), settled.wall().Round(0)}
}

// since is by the clock that has gone further.
func (now moment) since(then moment) time.Duration {
	return max(now.steady.Sub(then.steady), now.wall.Sub(then.wall))
}

const (
	firstWait = 200 * time.Millisecond
	maxWait   = 10 * time.Second
	// Longer than anybody waits, and no overflow of a duration.
	maxDuration = 100 * 365 * 24 * time.Hour
)

// waitAfter doubles with every failure, and begins when the other side wants to be asked again.
func (settled settings) waitAfter(failures int, after time.Duration) time.Duration {
	step := maxWait
	if failures < 10 {
		step = min(firstWait<<failures, maxWait)
	}
	return min(after, maxDuration) + settled.spread(step)
}

// spread leaves half of it to chance, so that clients that began together do not go on together.
func (settled settings) spread(duration time.Duration) time.Duration {
	return time.Duration(float64(duration) * (0.5 + settled.random()/2))
}

// patience is how long one call goes on after its first failure.
type patience struct {
	settings
	failures int
	first    time.Time
}

// wait returns false when there is no time left, and an error when the context ends.
func (patience *patience) wait(ctx context.Context, after time.Duration) (bool, error) {
	now := time.Now()
	if patience.failures == 0 {
		patience.first = now
	}
	wait := patience.waitAfter(patience.failures, after)
	patience.failures++
	if now.Sub(patience.first)+wait > patience.retryTimeout {
		return false, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// isTransient is about 501, too: it says that no later response will be better.
func isTransient(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented
}

// retryAfter reads seconds, or a date by the clock of the server that wrote it (RFC 9110 §10.2.3).
func retryAfter(header http.Header, wall time.Time) time.Duration {
	value := header.Get("Retry-After")
	if value != "" && spelling.ConsistsOf(value, spelling.IsDigit) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxDuration/time.Second) {
			return maxDuration
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	seconds := math.Ceil(min(date.Sub(dateOf(header, wall)), maxDuration).Seconds())
	return max(0, time.Duration(seconds)*time.Second)
}

// dateOf is the time of the server that made the response, and that of this machine if the response has no Date.
func dateOf(header http.Header, wall time.Time) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return wall
	}
	return date
}
