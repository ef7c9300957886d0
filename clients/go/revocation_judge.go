package verify

import (
	"context"
	"sync"
	"time"
)

// revocationJudge judges by the newest snapshot whether a token is still good. Without a source no revocations are known.
type revocationJudge struct {
	source         *hubRevocations
	admitWhenStale bool
	watched        watchers
}

// usable gives the snapshot to judge by, or nil. Fail closed: the token may have been taken back since.
func (judge *revocationJudge) usable() *snapshot {
	snapshot := judge.source.latest()
	if snapshot == nil || snapshot.isOver() && !judge.admitWhenStale {
		return nil
	}
	return snapshot
}

func (judge *revocationJudge) isReady() bool {
	return judge.source == nil || judge.usable() != nil
}

// judge never waits.
func (judge *revocationJudge) judge(isEndedBy func(*RevocationList) bool) *Refusal {
	if judge.source == nil {
		return nil
	}
	snapshot := judge.usable()
	if snapshot == nil {
		return noNews
	}
	if isEndedBy(snapshot.list) {
		return tokenInvalid(Revoked)
	}
	return nil
}

// judgeByNews waits for the hub where its news are older than the normal bound promises.
func (judge *revocationJudge) judgeByNews(ctx context.Context, isEndedBy func(*RevocationList) bool) *Refusal {
	if judge.needsNews() {
		judge.source.refresh(ctx)
	}
	return judge.judge(isEndedBy)
}

func (judge *revocationJudge) needsNews() bool {
	if judge.source == nil {
		return false
	}
	snapshot := judge.source.latest()
	isCurrent := snapshot != nil && snapshot.isCurrent()
	return !isCurrent && !judge.source.isAskedInVain()
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

// watch calls cut once, as soon as judge would refuse. After the function that it gives has returned, cut is not called.
func (judge *revocationJudge) watch(grant *knownGrant, cut func()) (end func()) {
	if judge.source == nil {
		return func() {}
	}
	watched := &judge.watched
	one := &watcher{grant, cut}
	watched.mutex.Lock()
	defer watched.mutex.Unlock()
	if watched.all == nil {
		watched.all = map[*watcher]struct{}{}
	}
	if len(watched.all) == 0 {
		watched.end = make(chan struct{})
		go judge.sweep(watched.end)
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

// sweep judges again each second, because a head ends by itself.
func (judge *revocationJudge) sweep(end <-chan struct{}) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			// It asks first where that helps: a clock that was set forward ends a head, and the hub may have another one.
			if judge.needsNews() {
				judge.source.begin()
			} else {
				judge.cutDead()
			}
		case <-end:
			return
		}
	}
}

// cutDead judges every running request.
func (judge *revocationJudge) cutDead() {
	watched := &judge.watched
	watched.mutex.Lock()
	defer watched.mutex.Unlock()
	for one := range watched.all {
		if judge.judge(one.grant.isEndedBy) != nil {
			watched.remove(one)
			one.cut()
		}
	}
}
