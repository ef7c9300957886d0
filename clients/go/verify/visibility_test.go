package verify

import (
	"testing"
	"time"
)

// vectorGrant is the part of a grant that decides about rows.
type vectorGrant struct {
	RepositoryUID, RefUID string
	AsOf                  int64
	Sees                  []SeenRef
}

func (given vectorGrant) grant() Grant {
	grant := Grant{RefUID: given.RefUID, Sees: given.Sees}
	grant.RepositoryUID, grant.AsOf = given.RepositoryUID, given.AsOf
	return grant
}

func TestEveryRowOfTheVectorsIsMadeAndShownAsTheySay(t *testing.T) {
	var vectors struct {
		Rows []struct {
			Name            string
			Grant           vectorGrant
			NowMilliseconds int64
			Row             Row
		}
		Visible []struct {
			Name    string
			Grant   vectorGrant
			Row     Row
			Visible bool
		}
	}
	readVectors(t, "visibility.json", &vectors)
	if len(vectors.Rows) < 8 || len(vectors.Visible) < 30 {
		t.Errorf("only %d rows and %d grants", len(vectors.Rows), len(vectors.Visible))
	}
	for _, each := range vectors.Rows {
		if row := RowFor(each.Grant.grant(), time.UnixMilli(each.NowMilliseconds)); row != each.Row {
			t.Errorf("%s: %+v, expected %+v", each.Name, row, each.Row)
		}
	}
	for _, each := range vectors.Visible {
		if visible := Visible(each.Grant.grant(), each.Row); visible != each.Visible {
			t.Errorf("%s: %t, expected %t", each.Name, visible, each.Visible)
		}
	}
}
