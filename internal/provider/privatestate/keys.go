package privatestate

// AccountNoteKey is the key of the note of the account and the origin where an object was
// last seen.
const AccountNoteKey = "account"

// CreationKey is the key of the mark of the creation of a database. An imported database has
// none.
const CreationKey = "creation"

// DatabaseKey is the key of the known facts about the database that a script ran in.
const DatabaseKey = "database"

// FormerReposKey is the key for the names that the repository of an app had before it was
// renamed at the code host. A configuration may still have one of them.
const FormerReposKey = "former_repos"

// ImportedKey is the key that marks an imported object. Any API key can import the objects
// that it finds, so an import says nothing about the account of the other objects.
const ImportedKey = "imported"

// KeptRegionKey is the key of the name under which the service keeps an instance's region, if
// that is another than the one that was asked for.
const KeptRegionKey = "kept_region"

// SecretKeysKey is the key for the names of the variables in
// secret_env_wo.
const SecretKeysKey = "secret_env_keys"

// SentKeysKey is the key for the names of the secret variables that an
// imported app has been sent, while it is unknown which of its others are secret.
const SentKeysKey = "sent_env_keys"

// ConfiguredKey is the key for the engines that the configuration has
// had in an apply. The configuration does not own other engines of the record.
const ConfiguredKey = "configured_engines"

// ConnectionKey is the key of a note: an update read a connection record
// that differs from its plan. The next refresh reads the record again.
const ConnectionKey = "connection_moved_on"

// KeptNameKey is the key for the requested name of an object that the service keeps under
// another one.
const KeptNameKey = "kept_name"

// PendingKey is the key of a PendingWork: a creation, a change or a build whose end was not
// seen.
const PendingKey = "pending"

// PlannedKey is the key of the note in planned private state with the id of the instance in
// the state. If Terraform plans a replacement that the provider did not request, its second
// call has no prior state, but this note of the instance that it replaces.
const PlannedKey = "planned"

// ProtectedKey is the key of the note in planned private state that an object is
// protected.
//
// Terraform plans a replacement that the provider did not request (-replace,
// replace_triggered_by) in two calls. The first has the prior state and looks like a plan
// without a replacement. The second has no prior state and looks like a creation, but it
// has the private state that the first call planned. The note therefore lets the second
// call refuse the plan. For a tainted object, neither call has the state or private
// state, so only Delete can refuse.
const ProtectedKey = "protected"

// UnknownSecretKey is the key of the note that the update of a webhook endpoint's secret
// has an unknown outcome.
const UnknownSecretKey = "unknown_secret"

// UnknownUpdateKey is the key of the note that the update of a script has an unknown
// outcome.
const UnknownUpdateKey = "unknown_update"

// Keys lists all keys.
var Keys = []string{
	AccountNoteKey, ConfiguredKey, ConnectionKey, CreationKey, DatabaseKey, FormerReposKey, ImportedKey, KeptNameKey, KeptRegionKey, PendingKey,
	PlannedKey, ProtectedKey, SecretKeysKey, SentKeysKey, UnknownSecretKey, UnknownUpdateKey,
}
