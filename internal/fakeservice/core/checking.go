package core

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// identifier matches valid ids of records. Ids are used in paths, in host names and in
// the names of folders.
var identifier = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// CheckIdentifier checks the id of a record.
func CheckIdentifier(id string) error {
	if identifier.MatchString(id) {
		return nil
	}
	return errors.New("it takes up to 63 small letters, digits and hyphens, and begins with no hyphen")
}

// check refuses records that would lead outside their folder or that this program cannot
// work with. It accepts values that only a test can set, such as an empty name.
func (r *records) check() error {
	if err := r.Account.check(); err != nil {
		return err
	}
	seen := ids{}
	for _, in := range r.Instances {
		if in == nil {
			return errors.New("an instance is null")
		}
		if err := errors.Join(seen.add("instance", in.ID), in.check(r.Catalog)); err != nil {
			return fmt.Errorf("instance %q: %w", in.ID, err)
		}
	}
	for _, j := range r.Jobs {
		if j == nil {
			return errors.New("a job is null")
		}
		if err := errors.Join(seen.add("job", j.ID), j.check(seen)); err != nil {
			return fmt.Errorf("job %q: %w", j.ID, err)
		}
	}
	for _, w := range r.Webhooks {
		if w == nil {
			return errors.New("a webhook endpoint is null")
		}
		if err := seen.add("webhook endpoint", w.ID); err != nil {
			return fmt.Errorf("webhook endpoint %q: %w", w.ID, err)
		}
	}
	if slices.Contains(r.Events, nil) || slices.Contains(r.Deliveries, nil) || slices.Contains(r.Builds, nil) ||
		slices.Contains(r.Answers, nil) || slices.Contains(r.Keys, nil) || slices.Contains(r.Clients, nil) || slices.Contains(r.Grants, nil) ||
		slices.Contains(r.Subscriptions, nil) || slices.Contains(r.Charges, nil) || slices.Contains(r.Mails, nil) {
		return errors.New("a record is null")
	}
	return r.checkNumbers()
}

// mostRecords is the limit of the number of records that were ever added. Keys have 12
// digits, and the difference is for those to come.
const mostRecords = 1e11

// The limits of the time. JSON has years up to 9999, and the difference is for the years to
// come.
const (
	firstYear = 1970
	lastYear  = 9000
)

// checkNumbers checks the numbers that later records continue from.
func (r *records) checkNumbers() error {
	if r.Sequence < 0 || r.Sequence > mostRecords {
		return fmt.Errorf("the last number %d is not from 0 to %d", r.Sequence, int(mostRecords))
	}
	if year := r.Now.Year(); year < firstYear || year > lastYear {
		return fmt.Errorf("the time: the year %d is not from %d to %d", year, firstYear, lastYear)
	}
	// The next record gets the next number, which must not be in use.
	last := numbered("", r.Sequence)
	var beyond error
	r.entries(func(key string, _ any) {
		if _, number, element := strings.Cut(key, "/"); element && (strings.HasPrefix(number, "-") || "/"+number > last) {
			beyond = fmt.Errorf("%s: the last number is %d", key, r.Sequence)
		}
	})
	return beyond
}

// ids has the ids that were seen, by kind.
type ids map[[2]string]bool

// add adds an id, which must be valid and new.
func (s ids) add(kind, id string) error {
	if err := CheckIdentifier(id); err != nil {
		return fmt.Errorf("id: %w", err)
	}
	if s.has(kind, id) {
		return errors.New("id: there are two")
	}
	s[[2]string{kind, id}] = true
	return nil
}

func (s ids) has(kind, id string) bool { return s[[2]string{kind, id}] }

func (a Account) check() error {
	if err := CheckIdentifier(a.ID); err != nil {
		return fmt.Errorf("account: id: %w", err)
	}
	return CheckEmail(a.Email)
}

// CheckEmail checks the email address of an account, which becomes a header of mails.
func CheckEmail(address string) error { return checkPrintable("email", address) }

func (in *instance) check(catalog Catalog) error {
	if in.Name != "" {
		if err := checkName(in.Name); err != nil {
			return err
		}
	}
	if err := checkTags(in.Tags); err != nil {
		return err
	}
	if _, known := catalog.plan(in.Plan); !known {
		return fmt.Errorf("there is no plan %q", in.Plan)
	}
	if !catalog.hasLocation(in.Region) {
		return fmt.Errorf("there is no region %q", in.Region)
	}
	if err := errors.Join(checkSetWord("status", in.Status, instanceStatuses), checkSetWord("console_mode", in.ConsoleMode, consoleModes)); err != nil {
		return err
	}
	for name, engine := range in.Engines {
		if _, known := catalog.Engines[name]; !known || engine == nil {
			return fmt.Errorf("engines: invalid engine %q", name)
		}
		if err := checkMemory(engine.MemoryMB); err != nil {
			return err
		}
	}
	for _, entry := range in.Allowlist {
		if _, err := canonicalAddress(entry); err != nil {
			return err
		}
	}
	seen := ids{}
	for _, a := range in.Apps {
		if a == nil {
			return errors.New("an app is null")
		}
		if err := errors.Join(seen.add("app", a.Name), checkStoredApp(&a.App)); err != nil {
			return fmt.Errorf("app %q: %w", a.Name, err)
		}
	}
	if err := checkDatabases(in.Databases, in.Extensions); err != nil {
		return err
	}
	for _, saved := range in.Snapshots {
		if err := checkDatabases(saved.Databases, saved.Extensions); err != nil {
			return err
		}
	}
	for _, b := range in.Backups {
		if err := seen.add("backup", b.ID); err != nil {
			return fmt.Errorf("backup %q: %w", b.ID, err)
		}
		if err := checkSetWord("kind", b.Kind, backupKinds); err != nil {
			return fmt.Errorf("backup %q: %w", b.ID, err)
		}
		if b.SizeBytes < 0 {
			return fmt.Errorf("backup %q: the size %d is negative", b.ID, b.SizeBytes)
		}
	}
	return nil
}

func checkDatabases(databases []Database, extensions []Extension) error {
	seen := map[string]bool{}
	for _, d := range databases {
		if err := checkDatabase(d.Name); err != nil {
			return err
		}
		if seen[d.Name] {
			return fmt.Errorf("there are two databases %q", d.Name)
		}
		seen[d.Name] = true
	}
	for _, e := range extensions {
		if _, known := extensionVersion(e.Name); !known {
			return fmt.Errorf("there is no extension %q", e.Name)
		}
		if err := checkDatabase(e.Database); err != nil {
			return err
		}
	}
	return nil
}

// checkMemory refuses budgets whose sum could overflow.
func checkMemory(megabytes int) error {
	if megabytes < 0 || megabytes > 1<<30 {
		return invalid("memory_mb", "%d is not from 0 to %d", megabytes, 1<<30)
	}
	return nil
}

// checkStoredApp checks an app by the rules for requests. Zero values, which a test can
// set, are accepted.
func checkStoredApp(a *App) error {
	if err := checkAppNames(cmp.Or(a.Repo, "owner/"+a.Name), a.Name); err != nil {
		return err
	}
	if err := checkMemory(a.MemoryMB); err != nil {
		return err
	}
	if err := checkSetWord("status", a.Status, appStatuses); err != nil {
		return err
	}
	for _, b := range a.Builds {
		if err := checkSetWord("status", b.Status, buildStatuses); err != nil {
			return fmt.Errorf("build %q: %w", b.ID, err)
		}
	}
	return SettingsOf(a).check()
}

// check checks a job in progress. A job that has ended is only shown.
func (j *job) check(seen ids) error {
	if j.Kind.jobKind == nil {
		return errors.New("the kind of the job is missing")
	}
	if err := errors.Join(checkSetWord("operation", j.Operation, JobOperations()), checkSetWord("status", j.Status, jobStatuses)); err != nil {
		return err
	}
	if !j.InProgress() {
		return nil
	}
	if !seen.has("instance", j.InstanceID) {
		return fmt.Errorf("in progress on the unknown instance %q", j.InstanceID)
	}
	switch kind := j.Kind.jobKind.(type) {
	case *appImportJob:
		return checkStoredApp(&kind.App)
	case *databaseCreateJob:
		return checkDatabase(kind.Database)
	case *restoreJob:
		return errors.Join(CheckIdentifier(kind.BackupID), CheckIdentifier(kind.Undo.ID))
	case *resetJob:
		return CheckIdentifier(kind.Undo.ID)
	}
	return nil
}
