package attributes

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func TestOrderOfRecords(t *testing.T) {
	at := func(day int) client.Time { return client.Time{Time: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)} }
	backups := []client.Backup{{ID: "c", Kind: "daily", CreatedAt: at(1)}, {ID: "b", Kind: "undo"}, {ID: "d", Kind: "daily", CreatedAt: at(3)}, {ID: "a", Kind: "daily", CreatedAt: at(1)}}
	kind, id := func(b client.Backup) string { return b.Kind }, client.Backup.Identifier
	for name, row := range map[string]struct{ got, want []client.Backup }{
		"by one key":     {SortedBy(backups, kind), []client.Backup{backups[0], backups[2], backups[3], backups[1]}},
		"by two keys":    {SortedBy(backups, kind, id), []client.Backup{backups[3], backups[0], backups[2], backups[1]}},
		"newest first":   {NewestFirst(backups, func(b client.Backup) client.Time { return b.CreatedAt }), []client.Backup{backups[2], backups[0], backups[3], backups[1]}},
		"none at all":    {SortedBy([]client.Backup(nil), id), nil},
		"left as it was": {backups, []client.Backup{backups[0], backups[1], backups[2], backups[3]}},
	} {
		if diff := cmp.Diff(row.want, row.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
