package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// jobRow has what every job of a kind has in common.
type jobRow struct {
	operation string
	// length is the usual duration (SERVICE.md#jobs).
	length time.Duration
	// event is emitted when the job is done. Without a name there is none.
	event string
	// kind is an empty jobKind of the type.
	kind jobKind
}

// jobTable has every kind of job. A job is stored with the name of its kind's type.
var jobTable = []jobRow{
	{"create", 480 * time.Second, "ready", &createJob{}},
	{"update", 5 * time.Second, "label", &updateJob{}},
	{"delete", 30 * time.Second, "", &deleteJob{}},
	{"engines", 30 * time.Second, "engines", &enginesJob{}},
	{"allowlist", 20 * time.Second, "allowlist", &allowlistJob{}},
	{"console", 5 * time.Second, "console", &consoleJob{}},
	{"auth_settings", 5 * time.Second, "engine_settings", &authSettingsJob{}},
	{"rotate", 20 * time.Second, "rotate", &rotateJob{}},
	{"resize", 60 * time.Second, "resize", &resizeJob{}},
	{"reset", 60 * time.Second, "reset", &resetJob{}},
	{"restore", 120 * time.Second, "restore", &restoreJob{}},
	{"engine_restart", 20 * time.Second, "engine_settings", &engineRestartJob{}},
	{"database_create", 5 * time.Second, "pg_database_created", &databaseCreateJob{}},
	{"database_drop", 5 * time.Second, "pg_database_dropped", &databaseDropJob{}},
	{"extension_set", 5 * time.Second, "engine_settings", &extensionSetJob{}},
	{"extension_drop", 5 * time.Second, "engine_settings", &extensionDropJob{}},
	{"app_import", 20 * time.Second, "engine_settings", &appImportJob{}},
	{"app_update", 5 * time.Second, "engine_settings", &appUpdateJob{}},
	{"app_delete", 10 * time.Second, "engine_settings", &appDeleteJob{}},
	{"app_redeploy", 5 * time.Second, "engine_settings", &appRedeployJob{}},
	{"app_restart", 10 * time.Second, "engine_settings", &appRestartJob{}},
	{kind: &foreignJob{}},
}

// kindName returns the name of a kind's type.
func kindName(kind jobKind) string { return reflect.Indirect(reflect.ValueOf(kind)).Type().Name() }

// findJobRow returns the first row that matches, or an empty one.
func findJobRow(matches func(jobRow) bool) jobRow {
	if at := slices.IndexFunc(jobTable, matches); at >= 0 {
		return jobTable[at]
	}
	return jobRow{}
}

// rowOfKind returns the row of the kind with that name, or an empty one.
func rowOfKind(name string) jobRow {
	return findJobRow(func(row jobRow) bool { return kindName(row.kind) == name })
}

// storedKind is a jobKind that is stored with its name.
type storedKind struct{ jobKind }

// namedKind is the stored form of a kind.
type namedKind struct {
	Name string
	Job  json.RawMessage
}

// MarshalJSON writes the kind with its name. It fails if jobTable lacks the type, because
// then the kind could not be read again.
func (k storedKind) MarshalJSON() ([]byte, error) {
	name := kindName(k.jobKind)
	if rowOfKind(name).kind == nil {
		return nil, fmt.Errorf("jobTable lacks %s, so it could not be read again", name)
	}
	text, err := json.Marshal(k.jobKind)
	if err != nil {
		return nil, err
	}
	return json.Marshal(namedKind{name, text})
}

// UnmarshalJSON reads a kind that MarshalJSON wrote.
func (k *storedKind) UnmarshalJSON(text []byte) error {
	var named namedKind
	if err := Decode(text, &named); err != nil {
		return err
	}
	row := rowOfKind(named.Name)
	if row.kind == nil {
		return fmt.Errorf("there is no kind of job %q", named.Name)
	}
	k.jobKind = reflect.New(reflect.TypeOf(row.kind).Elem()).Interface().(jobKind)
	return Decode(named.Job, k.jobKind)
}

// defaultDurations returns the usual durations (SERVICE.md#jobs).
func defaultDurations() durations {
	d := durations{Jobs: map[string]time.Duration{}, FirstBuild: 180 * time.Second, LaterBuild: 120 * time.Second}
	for _, row := range jobTable {
		if row.operation != "" {
			d.Jobs[row.operation] = row.length
		}
	}
	return d
}
