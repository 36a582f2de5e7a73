package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// The objects that a script made cannot be read. They are gone if the engine or the
// database that the script ran in is confirmed to be gone, or if an apply has created that
// database since. A later time of its creation proves nothing: it is only a warning.

// refreshDatabase looks for the engine and the database that the script ran in. The instance's
// own database need not be in the list of databases: it comes and goes with the engine.
func (r *postgresScriptResource) refreshDatabase(ctx context.Context, m postgresScriptModel) (client.Database, error) {
	id, name := m.InstanceID.ValueString(), m.Database.ValueString()
	if err := r.Client.RefreshEngine(ctx, id, "postgres"); err != nil || name == "" {
		return client.Database{}, err
	}
	database, err := r.Client.RefreshDatabase(ctx, id, name)
	if !errors.Is(err, client.ErrNotFound) {
		return database, err
	}
	own, ownErr := recordedOwnDatabase(ctx, r.Client, id)
	switch {
	case ownErr != nil:
		return client.Database{}, fmt.Errorf("the name of the instance's own database could not be read: %w", ownErr)
	case own == name, own == "":
		return client.Database{}, nil
	}
	return client.Database{}, err
}

// A databaseNote is what is known of the database that a script ran in.
type databaseNote struct {
	// Creation is the mark of the creation of the database (planning.NoteCreation). It is nil
	// if it is unknown.
	Creation  *string   `json:"creation,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// compare compares the note with what a read shows now. It reports whether an apply has created
// the database since, and whether only the time of its creation is later. Services may drop
// fractions of seconds. next is the note to keep.
func (n databaseNote) compare(now databaseNote) (next databaseNote, isAnother, isLater bool) {
	next = n
	switch {
	case n.Creation == nil:
		next.Creation = now.Creation
	case now.Creation != nil && *now.Creation != "":
		isAnother = *n.Creation != *now.Creation
	}
	isLater = !n.CreatedAt.IsZero() && now.CreatedAt.Sub(n.CreatedAt) >= time.Second
	if n.CreatedAt.IsZero() || isLater {
		next.CreatedAt = now.CreatedAt
	}
	return next, isAnother, isLater
}

// compareDatabase compares a database with the note of the one that the script ran in, and
// returns ErrNotFound if an apply has created it since.
func (r *postgresScriptResource) compareDatabase(
	ctx context.Context, private privatestate.ReadWriter, m postgresScriptModel, database client.Database, diags *diag.Diagnostics,
) error {
	noted, _ := privatestate.Load[databaseNote](ctx, private, privatestate.DatabaseKey, diags)
	now := databaseNote{Creation: r.Planned.Creation(m.databaseObject()), CreatedAt: database.CreatedAt.Time}
	next, isAnother, isLater := noted.compare(now)
	switch {
	case isAnother:
		return fmt.Errorf("the database that the script ran in: %w", client.ErrNotFound)
	case isLater:
		warnOfLaterDatabase(m, noted.CreatedAt, now.CreatedAt, diags)
	}
	if next != (databaseNote{}) {
		privatestate.Save(ctx, private, privatestate.DatabaseKey, next, diags)
	}
	return nil
}

// noteDatabase notes the database that a script has just run in, or may have run in. An
// earlier read may have shown a former database.
func (r *postgresScriptResource) noteDatabase(ctx context.Context, private privatestate.Writer, m postgresScriptModel, diags *diag.Diagnostics) {
	privatestate.Save(ctx, private, privatestate.DatabaseKey, databaseNote{Creation: r.Planned.Creation(m.databaseObject())}, diags)
}

// databaseObject identifies the database that the script runs in.
func (m postgresScriptModel) databaseObject() planning.Object {
	return (&postgresDatabaseModel{InstanceID: m.InstanceID, Name: m.Database}).object().Managed()
}

// warnOfNewDatabase warns of a plan that creates the database of a script and does not run it.
func (r *postgresScriptResource) warnOfNewDatabase(m postgresScriptModel, diags *diag.Diagnostics) {
	name, id := m.Database.ValueString(), m.InstanceID.ValueString()
	if !r.Planned.IsCreating(m.databaseObject()) {
		return
	}
	diags.AddAttributeWarning(path.Root("database"), "The database of a script is created again",
		fmt.Sprintf("The plan creates database %s of instance %s, so what the script made there goes with the former one. "+
			"This apply does not run the script in the new one. Apply again: the next plan runs it.", name, id))
}

// warnOfLaterDatabase warns that the database of a script may be another one than the one that
// the script ran in.
func warnOfLaterDatabase(m postgresScriptModel, noted, now time.Time, diags *diag.Diagnostics) {
	name, id := m.Database.ValueString(), m.InstanceID.ValueString()
	diags.AddAttributeWarning(path.Root("database"), "The database of a script may be another one",
		fmt.Sprintf("The service says that database %s of instance %s was created at %s. An earlier read showed %s. "+
			"If somebody has dropped the database and created it again, what the script made there is gone. "+
			"If it was restored, for example, everything may still be there. So the script stays in the state and does not run. "+
			"Check the database. If what the script made is missing, run the script again. This runs its destroy_sql first, if it has one:\n\nterraform apply -replace=ADDRESS\n\n"+
			"Any other apply saves the new time, and ends this warning.",
			name, id, now.Format(time.RFC3339), noted.Format(time.RFC3339)))
}

// warnOfLostScript warns that what the script made is gone.
func warnOfLostScript(instanceID string, diags *diag.Diagnostics) {
	diags.AddWarning("What a script made on instance "+instanceID+" is gone",
		"The instance, its postgres engine or the script's database is gone or was created again, and everything that the script created went with it. "+
			"So the script was removed from the state. If it is still in the configuration, the next apply runs it again.")
}
