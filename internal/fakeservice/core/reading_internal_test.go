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

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// entriesOf reads the entries of a fake of an earlier edition.
func entriesOf(t *testing.T, edition int) map[string][]byte {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("testdata", "editions", fmt.Sprintf("%d.json", edition))))(t)
	var all map[string]json.RawMessage
	must.Do(t, json.Unmarshal(text, &all))
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
		// that was in progress would be over. It nearly stands still: the job has five seconds
		// left.
		s := open(t, Options{Storage: m, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Speed: 1e-3})
		all := s.Instances()
		if len(all) != 2 || all[0].Name != "shop" || all[0].Status != StatusRunning || all[0].ConsoleMode != "ro" || len(all[0].Engines) != 3 || all[1].CheckoutURL == "" && all[1].Status != StatusCreating {
			t.Fatalf("the instances of edition %d: got %+v, want shop, which runs with 3 engines and the console mode ro, and one with a checkout or in creation", of, all)
		}
		if a, _ := s.App(all[0].ID, "web"); a.Env["KEY"] != "value" || len(a.Builds) != 1+of || all[0].JobID == "" {
			t.Errorf("the app of edition %d: got %+v and job %q of the instance, want KEY=value, %d builds and a job", of, a, all[0].JobID, 1+of)
		}
		s.Advance(time.Hour)
		if a, _ := s.App(all[0].ID, "web"); len(a.Builds) != 2+of || a.Builds[0].Status != StatusSuccessful || a.Builds[of].Status != StatusSuccessful {
			t.Errorf("edition %d, the app after its job in progress: got %+v, want %d builds, all successful", of, a, 2+of)
		}
		// The records of edition 1 also have a charge, a mail and a build in progress.
		record, err := s.Billing(t.Context())
		if err != nil || len(record.Subscriptions) != 2 || len(record.Charges) != of || len(s.Mails()) != of {
			t.Errorf("edition %d: got billing %+v, error %v and mails %+v, want 2 subscriptions and %d charges and mails", of, record, err, s.Mails(), of)
		}
		if !s.Authenticate("a-key") || len(s.Webhooks()) != 1 {
			t.Errorf("of edition %d the key or the endpoint is lost", of)
		}
		if got := string(m.entries[editionEntry]); got != fmt.Sprint(edition) {
			t.Errorf("the stored edition after reading edition %d: got %s, want %d", of, got, edition)
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
		must.Do(t, json.Unmarshal(good[key], &in))
		return in.ID
	}
	for name, c := range map[string]struct {
		entry, old, new string // the text of an entry, and the replacement of old
		want            string
	}{
		"a newer edition":                {editionEntry, "", "3", "use a newer fake service"},
		"no number of an edition":        {editionEntry, "", `"x"`, "not the number of an edition"},
		"a negative edition":             {editionEntry, "", "-1", "not the number of an edition"},
		"what is not kept":               {"Colours", "", "[]", "Colours is nothing"},
		"an element of what is one":      {"Account/1", "", "{}", "there is one Account"},
		"an unknown member":              {shop, `"Name":`, `"Colour": "", "Name":`, `unknown object member name "Colour"`},
		"an unknown member of a job":     {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 1, "Kind": {"Name": "updateJob", "Job": {"Colour": 1}}}`, `unknown object member name "Colour"`},
		"a member that is there twice":   {shop, `"Name":`, `"Name": "other", "Name":`, `duplicate object member name "Name"`},
		"a member of another case":       {shop, `"Name":`, `"name": "other", "Name":`, `unknown object member name "name"`},
		"something after a value":        {"Sequence", "", "1 2", "after top-level value"},
		"half a value":                   {"Sequence", "", "", "EOF"},
		"a job of no kind":               {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 1}`, "the kind of the job is missing"},
		"a number of another":            {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 2, "Kind": {"Name": "updateJob", "Job": {}}}`, "another number"},
		"a number beyond the last":       {"Sequence", "", "1", "the last number is"},
		"a null instance":                {shop, "", "null", "an instance is null"},
		"a negative sequence":            {"Sequence", "", "-1", "the last number is"},
		"a sequence without a next":      {"Sequence", "", "9223372036854775807", "is not from 0"},
		"a negative number":              {"Jobs/-00000000001", "", `{"ID": "job-1", "Sequence": -1, "Kind": {"Name": "updateJob", "Job": {}}}`, "the last number is"},
		"a time that ends":               {"Now", "", `"9999-12-31T23:59:59Z"`, "the year 9999 is not from"},
		"a time before all":              {"Now", "", `"0001-01-01T00:00:00Z"`, "the year 1 is not from"},
		"an account of a path":           {"Account", "", `{"id": "../../x"}`, "account: id: it takes"},
		"a header in an address":         {"Account", "", `{"id": "a", "email": "a\r\nX: y"}`, "email: it must not have control characters"},
		"an unknown plan":                {shop, `"Plan": "free"`, `"Plan": "gold"`, `there is no plan "gold"`},
		"an engine of less than nothing": {shop, `"MemoryMB": 512`, `"MemoryMB": -1`, "memory_mb: -1 is not from"},
		"a backup of less than nothing":  {shop, `"SizeBytes": 8388608`, `"SizeBytes": -1`, "the size -1 is negative"},
		"two databases of a name":        {shop, `"Databases": [`, `"Databases": [{"Name": "orders"}, `, `two databases "orders"`},
		"a reserved database":            {shop, `"Name": "orders"`, `"Name": "postgres"`, "none of [postgres"},
		"an unknown extension":           {shop, `"Name": "pgcrypto"`, `"Name": "dblink"`, `no extension "dblink"`},
		"an extension of no database":    {shop, `"Database": "orders"`, `"Database": "o\"s"`, "63 lower case letters"},
		"a database of a backup":         {shop, `"Snapshots": {`, `"Snapshots": {"bak-x": {"Databases": [{"Name": "a\"b"}]}, `, "63 lower case letters"},
		"an app at the import's address": {shop, `"Name": "web"`, `"Name": "import"`, "cannot have the name import"},
		"an app of no repository":        {shop, `"Repo": "octo/app"`, `"Repo": "app"`, "owner/repo"},
		"a port beyond the last":         {shop, `"Port": 3000`, `"Port": 99999999`, "port: it must be"},
		"a health path elsewhere":        {shop, `"HealthPath": "/healthz"`, `"HealthPath": "http://evil"`, "it must begin with a slash"},
		"an app of less than nothing":    {shop, "\"Links\": null,\n\t\t\t\t\"MemoryMB\": 512", `"MemoryMB": -1`, "memory_mb: -1 is not from"},
		"a link to no engine":            {shop, `"Links": null`, `"Links": ["zz"]`, "cannot be linked"},
		"a null app":                     {shop, `"Apps": [`, `"Apps": [null, `, "an app is null"},
		"a null engine":                  {shop, `"Engines": {`, `"Engines": {"redis": null, `, "invalid engine"},
		"an unknown engine":              {shop, `"Engines": {`, `"Engines": {"mongo": {}, `, "invalid engine"},
		"a folder above":                 {shop, id(shop), "../../victim", "id: it takes"},
		"an absolute folder":             {shop, id(shop), "/etc", "id: it takes"},
		"no id":                          {shop, id(shop), "", "id: it takes"},
		"two of an id":                   {paid, id(paid), id(shop), "id: there are two"},
		"an app of a folder above":       {shop, `"Name": "web"`, `"Name": "../web"`, "id: it takes"},
		"an app of a reserved form":      {shop, `"Name": "web"`, `"Name": "1web"`, "name: it must be 1 to 40"},
		"an app of a revision":           {shop, `"Branch": "main"`, `"Branch": "main~1"`, "the name of a branch"},
		"a header in a path":             {shop, `"HealthPath": "/healthz"`, `"HealthPath": "/\r\nX: y"`, "control characters"},
		"a variable without a name":      {shop, `"KEY": "value"`, `"A=B": "value"`, "not a name of a variable"},
		"a database with a quote":        {shop, `"Name": "orders"`, `"Name": "or\"ders"`, "63 lower case letters"},
		"a terminal's escape":            {shop, `"Name": "shop"`, `"Name": "\u001b[2J"`, "control characters"},
		"a block that is none":           {shop, `"203.0.113.0/24"`, `"203.0.113.0/240"`, "neither an address"},
		"a job without its instance":     {"Jobs/000000000001", "", `{"ID": "job-1", "Sequence": 1, "InstanceID": "i-none", "Status": "running", "Kind": {"Name": "updateJob", "Job": {}}}`, "on the unknown instance"},
		"a job that does nothing":        {"Jobs/000000000001", "", fmt.Sprintf(`{"ID": "job-1", "Sequence": 1, "InstanceID": %q, "Status": "queued"}`, id(shop)), "the kind of the job is missing"},
		"a job to import from above":     {"Jobs/000000000001", "", fmt.Sprintf(`{"ID": "job-1", "Sequence": 1, "InstanceID": %q, "Status": "running", "Kind": {"Name": "appImportJob", "Job": {"App": {"Name": "../x", "Repo": "octo/app"}}}}`, id(shop)), "it must be 1 to 40"},
		"a job to restore from above":    {"Jobs/000000000001", "", fmt.Sprintf(`{"ID": "job-1", "Sequence": 1, "InstanceID": %q, "Status": "running", "Kind": {"Name": "restoreJob", "Job": {"BackupID": "../x", "Undo": {"ID": "b"}}}}`, id(shop)), "it takes"},
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
			t.Errorf("%s: got error %v, want one with %q", name, err, c.want)
		}
	}
	r := newRecords(time.Now())
	must.Report(t, readEntries(good, &r))
}

// A record that lacks a map is read like one with an empty map.
func TestEntriesWithoutMaps(t *testing.T) {
	t.Parallel()
	entries := entriesOf(t, 0)
	for key, text := range entries {
		if strings.HasPrefix(key, "Instances/") && strings.Contains(string(text), `"paid"`) {
			entries[key] = []byte(strings.Replace(string(text), `"Engines": {}`, `"Engines": null`, 1))
		}
	}
	entries["Pushes"], entries["Credentials"] = []byte("null"), []byte("null")
	entries["Durations"] = []byte(`{"Jobs": null, "FirstBuild": 1, "LaterBuild": 1}`)
	s := open(t, Options{Storage: &memory{entries: entries}, Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	s.SetDuration("create", time.Minute)
	for _, in := range s.Instances() {
		if in.Name != "paid" {
			continue
		}
		must.Do(t, s.FinishJob(in.JobID))
		must.Get(s.SetEngines(in.ID, map[string]EngineBudget{"redis": {}}))(t)
		s.Advance(time.Minute)
		if in, _ := s.Instance(in.ID); len(in.Engines) != 1 {
			t.Errorf("the engines: got %v, want redis", in.Engines)
		}
	}
}
