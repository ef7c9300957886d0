package verify

// snapshot is the cut-offs of a hub as of one moment.
type snapshot struct {
	source *hubRevocations
	list   *RevocationList
	// isTrusted: the hub still publishes the key of the head.
	isTrusted bool
	// expires is by the hub's clock, ends and late by what has passed here: each can be behind.
	expires    int64
	ends, late moment
}

func (source *hubRevocations) snapshotOf(news heldRevocations) *snapshot {
	return &snapshot{
		source:    source,
		list:      news.list,
		isTrusted: source.headKeys.has(news.kid),
		expires:   news.head.expires,
		ends:      news.since.after(news.head.life()),
		late:      news.confirmed.after(source.normalSeconds()),
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
