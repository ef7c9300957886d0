package verify

import "time"

// Row is the part of a stored row that decides which tokens read it. Store it beside your content.
type Row struct {
	RepositoryUID string
	RefUID        string
	// WrittenAt is in Unix milliseconds, or the journal number of the writing token if that is higher.
	WrittenAt int64
}

// RowFor returns the row to store with content that this grant writes now. WrittenAt is the higher of the clock and
// Grant.AsOf, so a slow clock does not show content to a fork that was created before the token was issued. If the same
// content is written again under the same ref, keep the row with the lower WrittenAt.
func RowFor(grant Grant, now time.Time) Row {
	return Row{grant.RepositoryUID, grant.RefUID, max(now.UnixMilli(), grant.AsOf)}
}

// Visible reports whether a token with this grant reads the row: the row belongs to its repository, and either to its ref
// or to a ref in Grant.Sees, with a WrittenAt below Before. Answer 404 for all other rows.
func Visible(grant Grant, row Row) bool {
	if row.RepositoryUID != grant.RepositoryUID {
		return false
	}
	if row.RefUID == grant.RefUID {
		return true
	}
	for _, seen := range grant.Sees {
		if seen.UID == row.RefUID && row.WrittenAt < seen.Before {
			return true
		}
	}
	return false
}
