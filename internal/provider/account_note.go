package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// Each resource keeps in private state the account and the origin where it was last
// seen, and its absence counts only there: the key of another account, or the service at
// another address, does not find an object that still exists and is still billed. A
// record that the service returns rewrites the note.

const (
	// accountNoteKey is where private state keeps the accountNote.
	accountNoteKey = "account"
	// importedKey marks an object that was imported in private state. Any key can import
	// what it finds, so an import says nothing of the account of the other objects.
	importedKey = "imported"
)

// An accountNote says where an object was last seen.
type accountNote struct {
	ID     string `json:"id,omitempty"` // the account's; "" if the service returns none
	Origin string `json:"origin"`       // scheme, host and port of the base URL; "" if not known
}

// differsFrom reports whether two notes are of different accounts or origins. What is
// not known decides nothing.
func (n accountNote) differsFrom(other accountNote) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(n.Origin, other.Origin) || differ(n.ID, other.ID)
}

func (n accountNote) where() string {
	switch {
	case n.ID == "":
		return "an account at " + n.Origin
	case n.Origin == "":
		return "account " + n.ID
	}
	return "account " + n.ID + " at " + n.Origin
}

// An otherAccountError is an object that was last seen in another account than the one
// of this run, or at another origin.
type otherAccountError struct {
	seen, now accountNote
	loopback  bool // now is a service on this machine
}

func (e *otherAccountError) Error() string {
	return fmt.Sprintf("the state belongs to %s, and this run uses %s", e.seen.where(), e.now.where())
}

// nextText says what to do about it.
func (e *otherAccountError) nextText() string {
	text := fmt.Sprintf("What belongs to %[1]s was not changed and stays in the state. It may still exist, and be billed, even if this run does not find it. "+
		"If an apply created anything before this error, that is in %[4]s, and in the state.\n\n"+
		"If the key is the wrong one, use an API key of %[1]s: the provider's base_url and api_key, or the environment variables %[2]s and %[3]s.\n\n"+
		"If the state is to be used with this key from now on, remove each object of the other account from it. This command deletes nothing at the service:\n\nterraform state rm ADDRESS",
		e.seen.where(), envBaseURL, envAPIKey, e.now.where())
	if e.loopback {
		text += "\n\nA fresh fake service is a new account: start it with --state to keep its account, or begin with a new state."
	}
	return text
}

// errUnnoted is an absence of something of which nothing says in which account it was
// last seen.
var errUnnoted = errors.New("its account is not known, and no other object of the state was found with this API key")

// An accountCheck is what one process has found out about the account that its key
// acts as, and that of the state.
type accountCheck struct {
	client *client.Client

	mu       sync.Mutex
	found    bool                 // an object that was not imported was found with this key
	read     bool                 // one of them had a note, so this process reads what it plans
	changes  bool                 // a change is planned
	notes    map[accountNote]bool // of objects that were planned and not read, or compared
	mismatch *otherAccountError   // the first that was found
	reported bool                 // an error has reported it in full
}

func newAccountCheck(c *client.Client) *accountCheck {
	return &accountCheck{client: c, notes: map[accountNote]bool{}}
}

// compare returns an *otherAccountError if a note is of another account or origin than
// this run. Any other error is that of reading the account.
func (a *accountCheck) compare(ctx context.Context, note accountNote) error {
	a.mu.Lock()
	a.notes[note] = true // a Create that begins while the account is read waits for it, too
	a.mu.Unlock()
	now := accountNote{Origin: a.client.Origin()}
	var err error
	now.ID, err = a.client.AccountID(ctx)
	if !note.differsFrom(now) {
		return err // which leaves open whether the account is the same
	}
	return a.mismatchOf(note, now.ID)
}

// mismatchOf is the error of an object that was last seen elsewhere, and keeps it for
// what this process is asked next. id is the account of this run, "" if not known.
func (a *accountCheck) mismatchOf(note accountNote, id string) *otherAccountError {
	other := &otherAccountError{seen: note, now: accountNote{ID: id, Origin: a.client.Origin()}, loopback: a.client.IsLoopback()}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mismatch == nil {
		a.mismatch = other
	}
	return other
}

// report adds an *otherAccountError to diags: in full the first time, and then in one
// line if each is reported.
func (a *accountCheck) report(e *otherAccountError, each bool, diags *diag.Diagnostics) {
	a.mu.Lock()
	defer a.mu.Unlock()
	const summary = "The state belongs to another account"
	switch {
	case !a.reported:
		diags.AddError(summary, explain(e))
	case each:
		diags.AddError(summary, sentence(e.Error()))
	}
	a.reported = true
}

// known is the mismatch that this process has found, nil for none.
func (a *accountCheck) known() *otherAccountError {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mismatch
}

// hasFound reports whether an object that was not imported was found with this key.
func (a *accountCheck) hasFound() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found
}

// find notes that an object was found with this key. One that has just been imported has
// no note: it does not show whether this process reads what is in the state.
func (a *accountCheck) find(imported, noted bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found, a.read = a.found || !imported, a.read || noted
}

// plan notes an object that is planned, and returns the notes to compare now: all that
// were seen, once a change is planned too. A process that has read an object of the
// state reads what it plans, and each absence is checked there.
func (a *accountCheck) plan(note *accountNote, changes bool) []accountNote {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes = a.changes || changes
	if note != nil && !a.read {
		a.notes[*note] = true
	}
	if !a.changes || a.read {
		return nil
	}
	return slices.Collect(maps.Keys(a.notes))
}

// seen returns the notes that this process has seen, unless it has read what it planned.
func (a *accountCheck) seen() []accountNote {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.read {
		return nil
	}
	return slices.Collect(maps.Keys(a.notes))
}

// privateNotes reads and writes private state.
type privateNotes interface {
	privateReader
	privateWriter
}

// foundByRead notes that the service returned an object of the state for this key, and
// where that was.
func (b *resourceBase) foundByRead(ctx context.Context, private privateNotes, diags *diag.Diagnostics) {
	_, imported := loadPrivate[bool](ctx, private, importedKey, diags)
	_, noted := loadPrivate[accountNote](ctx, private, accountNoteKey, diags)
	b.account.find(imported, noted)
	b.noteAccount(ctx, private, diags)
}

// noteCreated notes at the end of a Create where the object was made.
func (b *resourceBase) noteCreated(ctx context.Context, private privateNotes, diags *diag.Diagnostics) {
	b.client.RetryAccountID(ctx) // if it is not known then, the next read notes it
	b.noteAccount(ctx, private, diags)
}

// isElsewhere reports whether an object was last seen in another account than the one of
// this run. A job that cannot be read does not tell that it is in progress there.
func (b *resourceBase) isElsewhere(ctx context.Context, private privateReader, diags *diag.Diagnostics) bool {
	note, noted := loadPrivate[accountNote](ctx, private, accountNoteKey, diags)
	var other *otherAccountError
	return noted && errors.As(b.account.compare(ctx, note), &other)
}

// noteAccount keeps in private state where an object was seen. It writes nothing if the
// account's id is not known.
func (b *resourceBase) noteAccount(ctx context.Context, private privateNotes, diags *diag.Diagnostics) {
	note, noted := loadPrivate[accountNote](ctx, private, accountNoteKey, diags)
	now, known := b.seenNow(ctx, note)
	if known && (!noted || note != now) {
		savePrivate(ctx, private, accountNoteKey, now, diags)
	}
}

// seenNow is the note of this run. It is false if the account's id is not known, which
// it waits for if the object was noted at another origin, or nowhere: an Update or
// Delete in the next process would be refused by the old note.
func (b *resourceBase) seenNow(ctx context.Context, noted accountNote) (accountNote, bool) {
	id, known := b.client.KnownAccountID()
	if !known && noted.Origin != b.client.Origin() {
		id, known = b.client.WaitForAccountID(ctx)
	}
	return accountNote{ID: id, Origin: b.client.Origin()}, known
}

// An absentObject is what the service says it does not know.
type absentObject struct {
	what string // "Instance web (i-1)"
	// instanceID is the instance that it is on, "" for an instance and for what is the
	// account's.
	instanceID string
	// isValuable, if non-nil, reports whether the object is paid or protected. An object
	// without it is never either.
	isValuable func(context.Context) bool
}

// confirmsGone reports whether an object that a Read did not find may leave the state:
// it was looked for where it was last seen. What lives on an instance that answers
// needs no note. While planning, another account is one error for the whole process.
func (b *resourceBase) confirmsGone(ctx context.Context, private privateReader, o absentObject, diags *diag.Diagnostics) bool {
	err := b.checkAbsence(ctx, private, o, diags)
	var other *otherAccountError
	switch {
	case errors.As(err, &other):
		b.account.report(other, false, diags)
	case err != nil:
		addError(diags, "Unable to confirm that "+o.what+" is gone", err)
	}
	return err == nil && !diags.HasError()
}

// checkAbsence returns why the absence of an object proves nothing, nil if it does.
func (b *resourceBase) checkAbsence(ctx context.Context, private privateReader, o absentObject, diags *diag.Diagnostics) error {
	note, noted := loadPrivate[accountNote](ctx, private, accountNoteKey, diags)
	var err error
	switch {
	case note.Origin != "":
		err = b.account.compare(ctx, note)
	case b.account.hasFound():
	case noted || o.isValuable != nil && o.isValuable(ctx):
		err = errUnnoted
	}
	if err != nil && o.instanceID != "" {
		if _, instanceErr := b.client.RefreshInstance(ctx, o.instanceID); instanceErr == nil {
			return nil
		}
	}
	return err
}

// mayCreate begins each Create: it is false after an error, and refuses in a process
// that has seen a note of another account. Terraform hands a Create no note of its own,
// even if it replaces an object.
func (b *resourceBase) mayCreate(ctx context.Context, diags *diag.Diagnostics) bool {
	mismatch := b.account.known()
	for _, note := range b.account.seen() {
		if mismatch == nil {
			errors.As(b.account.compare(ctx, note), &mismatch)
		}
	}
	if mismatch != nil {
		b.account.report(mismatch, true, diags)
	}
	return !diags.HasError()
}

// mayChange compares the account before the first request of an Update or Delete. It
// is false when it refused. An account that cannot be read refuses nothing: the key then
// finds what is to be changed, or does not.
func (b *resourceBase) mayChange(ctx context.Context, private privateReader, diags *diag.Diagnostics) bool {
	mismatch := b.account.known()
	if note, noted := loadPrivate[accountNote](ctx, private, accountNoteKey, diags); noted && mismatch == nil {
		if err := b.account.compare(ctx, note); !errors.As(err, &mismatch) {
			return !diags.HasError()
		}
	}
	if mismatch != nil {
		b.account.report(mismatch, true, diags)
	}
	return !diags.HasError()
}

// mayDelete is mayChange for a Delete. A deletion confirms an absence too, so it looks
// first if nothing says that the account is the right one: look reads the object, or
// the instance that it is on.
//
// Terraform hands over no private state when a tainted object is replaced, and if the
// deletion fails it keeps what the deletion returns. So the note is written here: it is
// empty for an object that was not found.
func (b *resourceBase) mayDelete(ctx context.Context, private privateNotes, o absentObject, look func(context.Context) error, diags *diag.Diagnostics) bool {
	if !b.mayChange(ctx, private, diags) {
		return false
	}
	_, noted := loadPrivate[accountNote](ctx, private, accountNoteKey, diags)
	if !noted {
		o.isValuable = func(context.Context) bool { return true }
	}
	err := b.checkAbsence(ctx, private, o, diags)
	if err == nil {
		return !diags.HasError()
	}
	if look(ctx) == nil {
		b.noteAccount(ctx, private, diags)
		return !diags.HasError()
	}
	if !noted {
		savePrivate(ctx, private, accountNoteKey, accountNote{}, diags)
	}
	addError(diags, "Unable to confirm that "+o.what+" is gone", err)
	return false
}

// looksAtInstance reads an instance, for mayDelete.
func (b *resourceBase) looksAtInstance(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := b.client.Instance(ctx, id)
		return err
	}
}

// checkPlannedAccount ends each ModifyPlan. A plan that reads nothing sees notes and
// changes alone: as soon as it has seen both, they are compared.
func (b *resourceBase) checkPlannedAccount(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if b.client == nil {
		return
	}
	var note *accountNote
	if seen, noted := loadPrivate[accountNote](ctx, req.Private, accountNoteKey, &resp.Diagnostics); noted {
		note = &seen
	}
	changes := len(resp.RequiresReplace) > 0 || !req.State.Raw.Equal(resp.Plan.Raw)
	for _, due := range b.account.plan(note, changes) {
		var other *otherAccountError
		if errors.As(b.account.compare(ctx, due), &other) {
			b.account.report(other, false, &resp.Diagnostics)
		}
	}
}
