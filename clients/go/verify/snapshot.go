package verify

// snapshot is the revocation list of a hub at one time.
type snapshot struct {
	source *hubRevocations
	list   *RevocationList
	// isTrusted: the hub still publishes the key of the head.
	isTrusted bool
	// expires is by the hub's clock, ends and late by what has passed here: each can be behind.
	expires    int64
	ends, late moment
}

func (source *hubRevocations) snapshotOf(held heldRevocations) *snapshot {
	return &snapshot{
		source:    source,
		list:      held.list,
		isTrusted: source.headKeys.has(held.kid),
		expires:   held.head.expires,
		ends:      held.since.after(held.head.life()),
		late:      held.confirmed.after(source.normalSeconds()),
	}
}

func (snapshot *snapshot) isOver() bool {
	now := snapshot.source.now()
	return !snapshot.isTrusted || now.at >= snapshot.expires || snapshot.ends.isPast(now)
}

// isCurrent: no older than the normal bound promises.
func (snapshot *snapshot) isCurrent() bool {
	return !snapshot.isOver() && !snapshot.late.isPast(snapshot.source.now())
}
