package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// entriesOf reads the entries of a fake of an earlier edition.
func entriesOf(t *testing.T, edition int) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "editions", fmt.Sprintf("%d.json", edition)))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	entries := map[string][]byte{}
	for key, value := range all {
		entries[key] = value
	}
	return entries
}

// The records of earlier editions are read, their jobs resume, and they are stored in
// this edition.
func TestEveryEditionIsRead(t *testing.T) {
	t.Parallel()
	for of := range edition {
		m := &memory{entries: entriesOf(t, of)}
		// The clock starts before the stored time. Otherwise, at any later date, the job
		// that was in progress would be over.
		s := open(t, Options{Storage: m, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
		all := s.Instances()
		if len(all) != 2 || all[0].Name != "shop" || all[0].Status != StatusRunning || all[0].ConsoleMode != "ro" || len(all[0].Engines) != 3 || all[1].CheckoutURL == "" && all[1].Status != StatusCreating {
			t.Fatalf("of edition %d the instances are %+v", of, all)
		}
		if a, _ := s.App(all[0].ID, "web"); a.Env["KEY"] != "value" || len(a.Builds) != 1+of || all[0].JobID == "" {
			t.Errorf("of edition %d the app is %+v", of, a)
		}
		s.Advance(time.Hour)
		if a, _ := s.App(all[0].ID, "web"); len(a.Builds) != 2+of || a.Builds[0].Status != StatusSuccessful || a.Builds[of].Status != StatusSuccessful {
			t.Errorf("edition %d, the app after its job in progress: got %+v, want a successful build", of, a)
		}
		// The records of edition 1 also have a charge, a mail and a build in progress.
		record, err := s.Billing(t.Context())
		if err != nil || len(record.Subscriptions) != 2 || len(record.Charges) != of || len(s.Mails()) != of {
			t.Errorf("of edition %d the billing is %+v (%v), and the mails are %+v", of, record, err, s.Mails())
		}
		if !s.Authenticate("a-key") || len(s.Webhooks()) != 1 {
			t.Errorf("of edition %d the key or the endpoint is lost", of)
		}
		if got := string(m.entries[editionEntry]); got != fmt.Sprint(edition) {
			t.Errorf("edition %d is kept as %s", of, got)
		}
	}
}

// Entries that another program may have written are refused if they would lead outside
// their folder, or if this program could not work with them.
func TestEntriesThatAreRefused(t *testing.T) {
	t.Parallel()
	good := entriesOf(t, 0)
	var shop, paid string
	for key := range good {
		switch {
		case strings.HasPrefix(key, "Instances/") && strings.Contains(string(good[key]), `"paid"`):
			paid = key
		case strings.HasPrefix(key, "Instances/"):
			shop = key
		}
	}
	id := func(key string) string {
		var in struct{ ID string }
		if err := json.Unmarshal(good[key], &in); err != nil {
			t.Fatal(err)
		}
		return in.ID
	}
	for name, c := range map[string]struct {
		entry, old, new string // the text of an entry, and the replacement of old
		want            string
	}{
		"a newer edition":             {editionEntry, "", "3", "use a newer fake service"},
		"no number of an edition":     {editionEntry, "", `"x"`, "not the number of an edition"},
		"a negative edition":          {editionEntry, "", "-1", "not the number of an edition"},
		"what is not kept":            {"Colours", "", "[]", "Colours is nothing"},
		"an element of what is one":   {"Account/1", "", "{}", "there is one Account"},
		"an unknown member":           {shop, `"Name":`, `"Colour": "", "Name":`, `unknown field "Colour"`},
		"an unknown member of a job":  {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 1, "Kind": {"Name": "updateJob", "Job": {"Colour": 1}}}`, `unknown field "Colour"`},
		"something after a value":     {"Sequence", "", "1 2", "something after"},
		"half a value":                {"Sequence", "", "", "EOF"},
		"a number of another":         {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 2, "Kind": {"Name": "updateJob", "Job": {}}}`, "another number"},
		"a number beyond the last":    {"Sequence", "", "1", "the last number is"},
		"a null instance":             {shop, "", "null", "an instance is null"},
		"a null app":                  {shop, `"Apps": [`, `"Apps": [null, `, "an app is null"},
		"a null engine":               {shop, `"Engines": {`, `"Engines": {"redis": null, `, "invalid engine"},
		"an unknown engine":           {shop, `"Engines": {`, `"Engines": {"mongo": {}, `, "invalid engine"},
		"a folder above":              {shop, id(shop), "../../victim", "id: it takes"},
		"an absolute folder":          {shop, id(shop), "/etc", "id: it takes"},
		"no id":                       {shop, id(shop), "", "id: it takes"},
		"two of an id":                {paid, id(paid), id(shop), "id: there are two"},
		"an app of a folder above":    {shop, `"Name": "web"`, `"Name": "../web"`, "id: it takes"},
		"an app of a reserved form":   {shop, `"Name": "web"`, `"Name": "1web"`, "name: invalid app name"},
		"an app of a revision":        {shop, `"Branch": "main"`, `"Branch": "main~1"`, "the name of a branch"},
		"a header in a path":          {shop, `"HealthPath": "/healthz"`, `"HealthPath": "/\r\nX: y"`, "control characters"},
		"a variable without a name":   {shop, `"KEY": "value"`, `"A=B": "value"`, "no name of a variable"},
		"a database with a quote":     {shop, `"Name": "orders"`, `"Name": "or\"ders"`, "not a database name"},
		"a terminal's escape":         {shop, `"Name": "shop"`, `"Name": "\u001b[2J"`, "control characters"},
		"a block that is none":        {shop, `"203.0.113.0/24"`, `"203.0.113.0/240"`, "neither an address"},
		"a job without its instance":  {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 1, "InstanceID": "i-none", "Status": "running", "Kind": {"Name": "updateJob", "Job": {}}}`, "on the unknown instance"},
		"a job that does nothing":     {"Jobs/000000000001", "", fmt.Sprintf(`{"ID": "job-1", "Sequence": 1, "InstanceID": %q, "Status": "queued"}`, id(shop)), ""},
		"a job to import from above":  {"Jobs/000000000001", "", fmt.Sprintf(`{"ID": "job-1", "Sequence": 1, "InstanceID": %q, "Status": "running", "Kind": {"Name": "appImportJob", "Job": {"App": {"Name": "../x"}}}}`, id(shop)), "invalid app name"},
		"a job to restore from above": {"Jobs/000000000001", "", fmt.Sprintf(`{"ID": "job-1", "Sequence": 1, "InstanceID": %q, "Status": "running", "Kind": {"Name": "restoreJob", "Job": {"BackupID": "../x", "Undo": {"ID": "b"}}}}`, id(shop)), "it takes"},
	} {
		entries := maps.Clone(good)
		text := c.new
		if c.old != "" {
			if !strings.Contains(string(good[c.entry]), c.old) {
				t.Fatalf("%s: %s has no %s", name, c.entry, c.old)
			}
			text = strings.Replace(string(good[c.entry]), c.old, c.new, 1)
		}
		entries[c.entry] = []byte(text)
		r := newRecords(time.Now())
		if err := readEntries(entries, &r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	r := newRecords(time.Now())
	if err := readEntries(good, &r); err != nil {
		t.Error(err)
	}
}
