package verify

import (
	"context"
	"sync"
	"time"
)

// revocationCheck finds out from the newest snapshot whether a token is revoked. Without a source no revocations are known.
type revocationCheck struct {
	source     *hubRevocations
	allowStale bool
	watched    watchers
}

// usable gives the snapshot to check against, or nil. Fail closed: the token may have been revoked since.
func (check *revocationCheck) usable() *snapshot {
	snapshot := check.source.latest()
	if snapshot == nil || snapshot.isOver() && !check.allowStale {
		return nil
	}
	return snapshot
}

func (check *revocationCheck) isReady() bool {
	return check.source == nil || check.usable() != nil
}

// check never waits.
func (check *revocationCheck) check(isRevokedBy func(*RevocationList) bool) *Refusal {
	if check.source == nil {
		return nil
	}
	snapshot := check.usable()
	if snapshot == nil {
		return revocationsStale
	}
	if isRevokedBy(snapshot.list) {
		return tokenInvalid(Revoked)
	}
	return nil
}

// checkFresh waits for the hub if the list is older than the normal bound promises.
func (check *revocationCheck) checkFresh(ctx context.Context, isRevokedBy func(*RevocationList) bool) *Refusal {
	if check.needsRefresh() {
		check.source.refresh(ctx)
	}
	return check.check(isRevokedBy)
}

func (check *revocationCheck) needsRefresh() bool {
	if check.source == nil {
		return false
	}
	snapshot := check.source.latest()
	isCurrent := snapshot != nil && snapshot.isCurrent()
	return !isCurrent && !check.source.hasFailedLately()
}

// A running request that outlives the hub's last head is cut within this time.
const sweepInterval = time.Second

// watchers are the requests under way.
type watchers struct {
	mutex sync.Mutex
	all   map[*watcher]struct{}
	end   chan struct{}
}

type watcher struct {
	grant *knownGrant
	cut   func()
}

// watch calls cut once, as soon as check refuses. After the returned function has returned, cut is not called.
func (check *revocationCheck) watch(grant *knownGrant, cut func()) (end func()) {
	if check.source == nil {
		return func() {}
	}
	watched := &check.watched
	one := &watcher{grant, cut}
	watched.mutex.Lock()
	defer watched.mutex.Unlock()
	if watched.all == nil {
		watched.all = map[*watcher]struct{}{}
	}
	if len(watched.all) == 0 {
		watched.end = make(chan struct{})
		go check.sweep(watched.end)
	}
	watched.all[one] = struct{}{}
	return func() {
		watched.mutex.Lock()
		defer watched.mutex.Unlock()
		watched.remove(one)
	}
}

func (watched *watchers) remove(one *watcher) {
	if _, found := watched.all[one]; !found {
		return
	}
	delete(watched.all, one)
	if len(watched.all) == 0 {
		close(watched.end)
	}
}

// sweep checks again each second, because a head ends by itself.
func (check *revocationCheck) sweep(end <-chan struct{}) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			// It asks first where that helps: a clock that was set forward ends a head, and the hub may have another one.
			if check.needsRefresh() {
				check.source.begin()
			} else {
				check.cutRevoked()
			}
		case <-end:
			return
		}
	}
}

// cutRevoked checks every running request.
func (check *revocationCheck) cutRevoked() {
	watched := &check.watched
	watched.mutex.Lock()
	defer watched.mutex.Unlock()
	for one := range watched.all {
		if check.check(one.grant.isRevokedBy) != nil {
			watched.remove(one)
			one.cut()
		}
	}
}
