package client

import (
	"context"
	"sync"
)

// flight runs one thing at a time: callers that come while it runs get its result.
type flight[Result any] struct {
	mutex   sync.Mutex
	running *run[Result]
}

type run[Result any] struct {
	done   chan struct{}
	result Result
}

func (flight *flight[Result]) join(work func() Result) *run[Result] {
	flight.mutex.Lock()
	defer flight.mutex.Unlock()
	if flight.running == nil {
		flight.running = &run[Result]{done: make(chan struct{})}
		go flight.run(flight.running, work)
	}
	return flight.running
}

func (flight *flight[Result]) run(run *run[Result], work func() Result) {
	defer func() {
		flight.mutex.Lock()
		flight.running = nil
		flight.mutex.Unlock()
		close(run.done)
	}()
	run.result = work()
}

// wait is one caller's: a caller may leave, and the work goes on.
func (run *run[Result]) wait(ctx context.Context) (Result, error) {
	select {
	case <-run.done:
		return run.result, nil
	case <-ctx.Done():
		var none Result
		return none, ctx.Err()
	}
}
