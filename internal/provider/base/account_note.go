package base

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
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// The private state of each resource records the account and the origin where the object
// was last seen. An absence counts only there. The key of a different account, or the
// service at a different address, does not find an object that still exists and is still
// billed. Every record that the service returns rewrites the note.

// An AccountNote records where an object was last seen.
type AccountNote struct {
	ID     string `json:"id,omitempty"` // the account's id; "" if the service returns none
	Origin string `json:"origin"`       // scheme, host and port of the base URL; "" if unknown
}

// DiffersFrom reports whether two notes name different accounts or origins. Values that
// are not known decide nothing.
func (n AccountNote) DiffersFrom(other AccountNote) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(n.Origin, other.Origin) || differ(n.ID, other.ID)
}

func (n AccountNote) where() string {
	switch {
	case n.ID == "":
		return "an account at " + n.Origin
	case n.Origin == "":
		return "account " + n.ID
	}
	return "account " + n.ID + " at " + n.Origin
}

// An OtherAccountError reports an object that was last seen in a different account, or at
// a different origin, than this run uses.
type OtherAccountError struct {
	Seen, Now AccountNote
	Loopback  bool // now is a service on this machine
}

func (e *OtherAccountError) Error() string {
	return fmt.Sprintf("the state belongs to %s, and this run uses %s", e.Seen.where(), e.Now.where())
}

// NextStep says what to do about it.
func (e *OtherAccountError) NextStep() string {
	text := fmt.Sprintf("What belongs to %[1]s was not changed and stays in the state. It may still exist, and be billed, even if this run does not find it. "+
		"If an apply created anything before this error, that is in %[4]s, and in the state.\n\n"+
		"If the key is the wrong one, use an API key of %[1]s: the provider's base_url and api_key, or the environment variables %[2]s and %[3]s.\n\n"+
		"If the state is to be used with this key from now on, remove each object of the other account from it. This command deletes nothing at the service:\n\nterraform state rm ADDRESS",
		e.Seen.where(), diagnostics.EnvBaseURL, diagnostics.EnvAPIKey, e.Now.where())
	if e.Loopback {
		text += "\n\nA fresh fake service is a new account: start it with --state to keep its account, or begin with a new state."
	}
	return text
}

// An UnknownAccountError reports that an object was not found and that its account cannot
// be compared with the account of this run.
type UnknownAccountError struct{}

func (UnknownAccountError) Error() string {
	return "its account cannot be compared with that of this API key, and no other object of the state was found with the key"
}

// NextStep says what to do about it.
func (UnknownAccountError) NextStep() string {
	return "The object may still exist, and be billed, in another account. Check that base_url and api_key are those that this state was last used with. " +
		"If this run had -target, -parallelism=1 or -refresh=false, run it again without: the other objects of the state are then read at the same time, and any that is found shows that the key is the right one. " +
		"If the object really is gone, remove it from the state. This command deletes nothing at the service:\n\nterraform state rm ADDRESS"
}

// An AccountCheck collects what one process learns about the account of its key and the
// account of the state.
type AccountCheck struct {
	client *client.Client

	mu       sync.Mutex
	found    bool                 // An object that was not imported was found with this key.
	read     bool                 // A found object had a note, so this process reads the objects that it plans.
	changes  bool                 // A change is planned.
	notes    map[AccountNote]bool // Notes of objects that were planned without a read, or compared.
	mismatch *OtherAccountError   // The first mismatch found.
	reported bool                 // An error has reported the mismatch in full.
}

// NewAccountCheck returns the check of a process that has read nothing yet.
func NewAccountCheck(c *client.Client) *AccountCheck {
	return &AccountCheck{client: c, notes: map[AccountNote]bool{}}
}

// Compare returns an *OtherAccountError if a note names a different account or origin
// than this run uses. It returns any other error from reading the account.
func (a *AccountCheck) Compare(ctx context.Context, note AccountNote) error {
	a.mu.Lock()
	a.notes[note] = true // a Create that begins while the account is read also waits for it
	a.mu.Unlock()
	now := AccountNote{Origin: a.client.Origin()}
	var err error
	now.ID, err = a.client.AccountID(ctx)
	if !note.DiffersFrom(now) {
		return err // if non-nil, the account may still be a different one
	}
	return a.MismatchOf(note, now.ID)
}

// MismatchOf returns the error for an object that was last seen elsewhere. It stores the
// first such error for later calls of this process. id is the account of this run, or ""
// if unknown.
func (a *AccountCheck) MismatchOf(note AccountNote, id string) *OtherAccountError {
	other := &OtherAccountError{Seen: note, Now: AccountNote{ID: id, Origin: a.client.Origin()}, Loopback: a.client.IsLoopback()}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mismatch == nil {
		a.mismatch = other
	}
	return other
}

// Report adds an *OtherAccountError to diags. The first error of the process is reported
// in full. Later ones are reported in one line, if each is set.
func (a *AccountCheck) Report(e *OtherAccountError, each bool, diags *diag.Diagnostics) {
	a.mu.Lock()
	defer a.mu.Unlock()
	const summary = "The state belongs to another account"
	switch {
	case !a.reported:
		diags.AddError(summary, diagnostics.Explain(e))
	case each:
		diags.AddError(summary, diagnostics.Sentence(e.Error()))
	}
	a.reported = true
}

// known returns the mismatch that this process has found, or nil.
func (a *AccountCheck) known() *OtherAccountError {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mismatch
}

// hasFound reports whether an object that was not imported was found with this key.
func (a *AccountCheck) hasFound() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found
}

// reads reports whether this process reads the objects that it plans.
func (a *AccountCheck) reads() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.read
}

// find records that an object was found with this key. A newly imported object has no
// note, so it does not show whether this process reads the objects of the state.
func (a *AccountCheck) find(imported, noted bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.found, a.read = a.found || !imported, a.read || noted
}

// plan records the note of a planned object and returns the notes to compare now. Once a
// change is planned, these are all notes recorded so far. A process that has read an
// object of the state reads every object before it plans it, and checks each absence
// then. For such a process, plan returns nil.
func (a *AccountCheck) plan(note *AccountNote, changes bool) []AccountNote {
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

// seen returns all notes recorded so far, or nil if this process reads the objects that
// it plans.
func (a *AccountCheck) seen() []AccountNote {
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

// FoundByRead records that the service returned an object of the state for this key, and
// notes the account and the origin. No other account may have an object of this name.
func (b *Resource) FoundByRead(ctx context.Context, private privatestate.ReadWriter, diags *diag.Diagnostics) {
	_, imported := privatestate.Load[bool](ctx, private, privatestate.ImportedKey, diags)
	_, noted := privatestate.Load[AccountNote](ctx, private, privatestate.AccountNoteKey, diags)
	b.Account.find(imported, noted)
	b.NoteAccount(ctx, private, diags)
}

// NoteCreated notes the account and the origin of a new object at the end of a Create.
func (b *Resource) NoteCreated(ctx context.Context, private privatestate.ReadWriter, diags *diag.Diagnostics) {
	b.Client.RetryAccountID(ctx) // if the id is still unknown, the next read writes the note
	b.NoteAccount(ctx, private, diags)
}

// IsElsewhere reports whether an object was last seen in a different account than this
// run uses. If so, a job that this run cannot read is not evidence that the object is
// still being created.
func (b *Resource) IsElsewhere(ctx context.Context, private privatestate.Reader, diags *diag.Diagnostics) bool {
	note, noted := privatestate.Load[AccountNote](ctx, private, privatestate.AccountNoteKey, diags)
	var other *OtherAccountError
	return noted && errors.As(b.Account.Compare(ctx, note), &other)
}

// NoteAccount records in private state where an object was seen. It writes nothing if the
// account's id is unknown.
func (b *Resource) NoteAccount(ctx context.Context, private privatestate.ReadWriter, diags *diag.Diagnostics) {
	note, noted := privatestate.Load[AccountNote](ctx, private, privatestate.AccountNoteKey, diags)
	now, known := b.seenNow(ctx, note)
	if known && (!noted || note != now) {
		privatestate.Save(ctx, private, privatestate.AccountNoteKey, now, diags)
	}
}

// seenNow returns the note for this run, and false if the account's id is unknown. If the
// object has no note, or one of another origin, seenNow waits for the id. Otherwise the
// old note would make an Update or Delete in the next process fail. If the service returns
// no id, the id of a note of the same origin stays.
func (b *Resource) seenNow(ctx context.Context, noted AccountNote) (AccountNote, bool) {
	now := AccountNote{Origin: b.Client.Origin()}
	id, known := b.Client.KnownAccountID()
	if !known && noted.Origin != now.Origin {
		id, known = b.Client.WaitForAccountID(ctx)
	}
	if now.ID = id; id == "" && noted.Origin == now.Origin {
		now.ID = noted.ID
	}
	return now, known
}

// An AbsentObject is an object that the service reported as not found.
type AbsentObject struct {
	What string // "Instance web (i-1)"
	// instanceID is the instance that the object is on. It is "" for an instance, and for
	// objects that belong to the account.
	InstanceID string
	// IsValuable, if non-nil, reports whether the object is paid or protected, or must not
	// be made twice. If nil, it is neither paid nor protected, and may be made again.
	IsValuable func(context.Context) bool
}

// ConfirmsGone reports whether an object that a Read did not find may be removed from the
// state, which requires that it was looked up where it was last seen. An object on an
// instance that the service finds needs no note. While planning, a different account is
// reported once for the whole process.
func (b *Resource) ConfirmsGone(ctx context.Context, private privatestate.Reader, o AbsentObject, diags *diag.Diagnostics) bool {
	err := b.checkAbsence(ctx, private, o, diags)
	var other *OtherAccountError
	switch {
	case errors.As(err, &other):
		b.Account.Report(other, false, diags)
	case err != nil:
		diagnostics.AddClientError(diags, "Unable to confirm that "+o.What+" is gone", err)
	}
	return err == nil && !diags.HasError()
}

// checkAbsence returns nil if the object is known to be gone, or the reason why its
// absence proves nothing. Two accounts cannot be compared if the object has no note, or if
// only one of the note and the service has an account id. If neither has one, the origin
// alone decides.
func (b *Resource) checkAbsence(ctx context.Context, private privatestate.Reader, o AbsentObject, diags *diag.Diagnostics) error {
	note, noted := privatestate.Load[AccountNote](ctx, private, privatestate.AccountNoteKey, diags)
	var err error
	if note.Origin != "" {
		err = b.Account.Compare(ctx, note)
	}
	switch id, _ := b.Client.KnownAccountID(); {
	case err != nil:
	case note.Origin != "" && (note.ID == "") == (id == ""): // the run uses the noted account and origin
	case b.Account.hasFound():
	case noted && note.Origin == "", o.IsValuable != nil && o.IsValuable(ctx):
		err = UnknownAccountError{}
	}
	if err != nil && o.InstanceID != "" {
		if _, instanceErr := b.Client.RefreshInstance(ctx, o.InstanceID); instanceErr == nil {
			return nil
		}
	}
	return err
}

// MayCreate is the first step of each Create. It returns false if diags has an error, and
// it refuses if this process has seen a note of a different account. Terraform passes no
// note to a Create, even if the Create replaces an object.
func (b *Resource) MayCreate(ctx context.Context, diags *diag.Diagnostics) bool {
	mismatch := b.Account.known()
	for _, note := range b.Account.seen() {
		if mismatch == nil {
			errors.As(b.Account.Compare(ctx, note), &mismatch)
		}
	}
	if mismatch != nil {
		b.Account.Report(mismatch, true, diags)
	}
	return !diags.HasError()
}

// MayChange compares the account before the first request of an Update or Delete. It
// returns false if it refuses. If the account cannot be read, it does not refuse: the
// request then shows whether the key finds the object.
func (b *Resource) MayChange(ctx context.Context, private privatestate.Reader, diags *diag.Diagnostics) bool {
	mismatch := b.Account.known()
	if note, noted := privatestate.Load[AccountNote](ctx, private, privatestate.AccountNoteKey, diags); noted && mismatch == nil {
		if err := b.Account.Compare(ctx, note); !errors.As(err, &mismatch) {
			return !diags.HasError()
		}
	}
	if mismatch != nil {
		b.Account.Report(mismatch, true, diags)
	}
	return !diags.HasError()
}

// MayDelete does for a Delete what MayChange does. In addition, a Delete can find that
// its object is gone. If the account is not known to be the right one, MayDelete
// therefore calls look, which reads the object or the instance that it is on.
//
// Terraform passes no private state when it replaces a tainted object. If the deletion
// fails, Terraform keeps the private state that the deletion returns. So MayDelete writes
// the note, which is empty for an object that was not found.
func (b *Resource) MayDelete(ctx context.Context, private privatestate.ReadWriter, o AbsentObject, look func(context.Context) error, diags *diag.Diagnostics) bool {
	if !b.MayChange(ctx, private, diags) {
		return false
	}
	_, noted := privatestate.Load[AccountNote](ctx, private, privatestate.AccountNoteKey, diags)
	if !noted {
		o.IsValuable = func(context.Context) bool { return true }
	}
	err := b.checkAbsence(ctx, private, o, diags)
	if err == nil {
		return !diags.HasError()
	}
	if look(ctx) == nil {
		b.NoteAccount(ctx, private, diags)
		return !diags.HasError()
	}
	if !noted {
		privatestate.Save(ctx, private, privatestate.AccountNoteKey, AccountNote{}, diags)
	}
	diagnostics.AddClientError(diags, "Unable to confirm that "+o.What+" is gone", err)
	return false
}

// LooksAtInstance returns a function for MayDelete that reads an instance.
func (b *Resource) LooksAtInstance(id string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := b.Client.Instance(ctx, id)
		return err
	}
}

// CheckPlannedAccount is the last step of each ModifyPlan. A plan without refresh sees
// only notes and changes. As soon as it has seen both, they are compared.
func (b *Resource) CheckPlannedAccount(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if b.Client == nil {
		return
	}
	var note *AccountNote
	if seen, noted := privatestate.Load[AccountNote](ctx, req.Private, privatestate.AccountNoteKey, &resp.Diagnostics); noted {
		note = &seen
	}
	changes := len(resp.RequiresReplace) > 0 || !req.State.Raw.Equal(resp.Plan.Raw)
	for _, due := range b.Account.plan(note, changes) {
		var other *OtherAccountError
		if errors.As(b.Account.Compare(ctx, due), &other) {
			b.Account.Report(other, false, &resp.Diagnostics)
		}
	}
}
