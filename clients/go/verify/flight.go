package verify

import "sync"

// flight runs one thing at a time, with one that is queued behind it. A run serves only callers that were there before
// it began, so what it finds out is never older than the call.
type flight struct {
	mutex           sync.Mutex
	running, queued chan struct{}
}

func (flight *flight) begin(run func()) <-chan struct{} {
	flight.mutex.Lock()
	defer flight.mutex.Unlock()
	if flight.running == nil {
		flight.running = make(chan struct{})
		go flight.run(flight.running, run)
		return flight.running
	}
	if flight.queued == nil {
		flight.queued = make(chan struct{})
	}
	return flight.queued
}

func (flight *flight) run(done chan struct{}, run func()) {
	run()
	flight.mutex.Lock()
	defer flight.mutex.Unlock()
	close(done)
	flight.running, flight.queued = flight.queued, nil
	if flight.running != nil {
		go flight.run(flight.running, run)
	}
}
