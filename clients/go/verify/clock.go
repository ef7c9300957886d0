package verify

import "time"

// clock gives Unix seconds; it can be set back.
type clock func() int64

// stopwatch goes on steadily, but stands still while the machine sleeps.
type stopwatch func() time.Duration

func systemClock() int64 { return time.Now().Unix() }

func systemStopwatch() stopwatch {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// moment is told by both, because either can be behind.
type moment struct {
	passed time.Duration
	at     int64
}

// after is when so many seconds have passed, by one of the two. A clock of whole seconds counts up to one too many.
func (from moment) after(seconds int64) moment {
	return moment{from.passed + time.Duration(seconds)*time.Second, from.at + seconds + 1}
}

func (from moment) isPast(now moment) bool {
	return now.passed >= from.passed || now.at >= from.at
}
