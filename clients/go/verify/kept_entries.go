package verify

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"sort"
)

const (
	// finalFrom: no journal reaches this number. A list adds to it when a final entry was made.
	finalFrom = 1 << 52
	// entryLifeSeconds is the longest life of a token, the largest leeway of a gate, and an hour.
	entryLifeSeconds = 24*3600 + 60 + 3600
	// maxKept is as many as a list can have.
	maxKept = 100_000
)

// keptEntry is of an earlier list, and missing in the newest: a hub whose database was rolled back does not know what it
// has revoked.
type keptEntry struct {
	number int64
	// kid is of the key that signed the last head whose list had the entry.
	kid string
}

// endOfEntry is the second from which on an entry is not needed: every token that it could revoke has expired.
func endOfEntry(number int64) int64 {
	if number == forEver {
		return forEver
	}
	made := number
	if number >= finalFrom {
		made -= finalFrom
	}
	return (made+999)/1000 + entryLifeSeconds
}

// keepEntries gives the entries that the new list lacks. The entries of a key that the hub has withdrawn go with it: they
// may be a thief's.
func (held *heldRevocations) keepEntries(listed *RevocationList, at int64, isPublished func(kid string) bool) map[string]keptEntry {
	kept := map[string]keptEntry{}
	keep := func(hash string, entry keptEntry) {
		number, found := listed.numberOf([]byte(hash))
		isListed := found && number >= entry.number
		if isListed || kept[hash].number >= entry.number && kept[hash].kid != "" {
			return
		}
		if endOfEntry(entry.number) > at && isPublished(entry.kid) {
			kept[hash] = entry
		}
	}
	for hash, entry := range held.kept {
		keep(hash, entry)
	}
	if held.listed != listed {
		for index := range held.listed.size() {
			keep(string(held.listed.hash(index)), keptEntry{int64(held.listed.number(index)), held.kid})
		}
	}
	if len(kept) > maxKept {
		dropOldest(kept)
	}
	return kept
}

func dropOldest(kept map[string]keptEntry) {
	hashes := slices.Collect(maps.Keys(kept))
	sort.Slice(hashes, func(one, other int) bool {
		return endOfEntry(kept[hashes[one]].number) > endOfEntry(kept[hashes[other]].number)
	})
	for _, hash := range hashes[maxKept:] {
		delete(kept, hash)
	}
}

// with gives the list and the kept entries as one list; the same pointer where nothing is kept.
func (list *RevocationList) with(kept map[string]keptEntry) *RevocationList {
	if len(kept) == 0 {
		return list
	}
	entries := make([][]byte, 0, list.size()+len(kept))
	for index := range list.size() {
		if _, isKept := kept[string(list.hash(index))]; !isKept {
			entries = append(entries, list.entries[index*entryBytes:][:entryBytes])
		}
	}
	for hash, entry := range kept {
		entries = append(entries, binary.BigEndian.AppendUint64([]byte(hash), uint64(entry.number)))
	}
	slices.SortFunc(entries, bytes.Compare)
	return &RevocationList{bytes.Join(entries, nil)}
}
