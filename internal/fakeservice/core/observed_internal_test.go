package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever clients create in SQL, the records can be read again.
func TestObservedDatabasesCanBeReadAgain(t *testing.T) {
	t.Parallel()
	st, in := &state{}, &instance{}
	st.observe(in, []Database{{Name: "main"}, {Name: "Odd"}, {Name: "with space"}, {Name: "ok_1"}},
		[]Extension{{Name: "pg_trgm", Database: "main", Version: "1.6"}, {Name: "pgcrypto", Database: "Odd", Version: "1.3"}})
	var got []string
	for _, d := range in.Databases {
		got = append(got, d.Name)
	}
	for _, e := range in.Extensions {
		got = append(got, e.Database+"/"+e.Name)
	}
	if diff := cmp.Diff([]string{"main", "ok_1", "main/pg_trgm"}, got); diff != "" {
		t.Errorf("the observed databases and extensions differ (-want +got):\n%s", diff)
	}
	if err := checkDatabases(in.Databases, in.Extensions); err != nil {
		t.Errorf("checkDatabases: got %v, want no error", err)
	}
}
