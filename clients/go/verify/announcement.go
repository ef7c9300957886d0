package verify

import "net/http"

// announcer is a transport that says when the hub has changed. The test kit has one, so that no test waits for a poll.
type announcer interface {
	OnChange(refresh func())
}

// listen makes the gate ask the hub whenever the transport says so.
func (gate *Gate) listen(transport http.RoundTripper) {
	if hub, announces := transport.(announcer); announces && gate.revocations.source != nil {
		hub.OnChange(gate.followHub)
	}
}

// followHub returns when the gate has heard the hub. A hub that does not respond counts as one that has been silent for as
// long as a list lasts.
func (gate *Gate) followHub() {
	if keys, areFetched := gate.keys.(*hubKeys); areFetched {
		keys.lookNow()
	}
	source := gate.revocations.source
	failure := source.failedAt.Load()
	<-source.begin()
	if latest := source.latest(); latest != nil && source.failedAt.Load() != failure {
		over := *latest
		over.ends = moment{}
		source.snapshot.Store(&over)
		gate.revocations.cutRevoked()
	}
}
