package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// The objects that a script made cannot be read. They are gone if the engine or the
// database that the script ran in is confirmed to be gone, or if that database is newer than
// the one that was noted.

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

// isAnew reports whether a database was created later than the noted one. The first one that
// is seen is noted. Services may drop fractions of seconds.
func isAnew(ctx context.Context, private privateNotes, database client.Database, diags *diag.Diagnostics) bool {
	noted, known := privatestate.Load[time.Time](ctx, private, privatestate.DatabaseKey, diags)
	switch {
	case database.CreatedAt.IsZero():
	case !known:
		privatestate.Save(ctx, private, privatestate.DatabaseKey, database.CreatedAt.Time, diags)
	default:
		return database.CreatedAt.Sub(noted) >= time.Second
	}
	return false
}

// privateNotes are the private state of a Read.
type privateNotes interface {
	privatestate.Reader
	privatestate.Writer
}

// warnOfNewDatabase warns of a plan that creates the database of a script and does not run it.
func (r *postgresScriptResource) warnOfNewDatabase(m postgresScriptModel, diags *diag.Diagnostics) {
	name, id := m.Database.ValueString(), m.InstanceID.ValueString()
	if !r.Planned.IsCreating((&postgresDatabaseModel{InstanceID: m.InstanceID, Name: m.Database}).object().Managed()) {
		return
	}
	diags.AddAttributeWarning(path.Root("database"), "The database of a script is created again",
		fmt.Sprintf("The plan creates database %s of instance %s, so what the script made there goes with the former one. "+
			"This apply does not run the script in the new one. Apply again: the next plan runs it.", name, id))
}

// warnOfLostScript warns that what the script made is gone.
func warnOfLostScript(instanceID string, diags *diag.Diagnostics) {
	diags.AddWarning("What a script made on instance "+instanceID+" is gone",
		"The instance, its postgres engine or the script's database is gone or was created again, and everything that the script created went with it. "+
			"So the script was removed from the state. If it is still in the configuration, the next apply runs it again.")
}
