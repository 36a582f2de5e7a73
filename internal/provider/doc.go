// Package provider is the Terraform provider of the instance hosting service: schemas,
// models, and the client calls that connect them. DESIGN.md has the rules for outcomes
// that it follows.
//
// # Plans
//
// One process plans all resources of a configuration, but Terraform does not pass other
// resources to the provider. For each object without its own id, the process therefore
// remembers whether a resource in the state manages it, and how often a new one was
// planned (planning/planned.go). Both together are an error at plan time. Two new ones
// are only a warning, because a CLI may plan one resource twice; the second creation is
// refused. An object that one resource keeps, and another one destroys or replaces, is an
// error.
//
// An app, a database, a script or a setting is checked against the planned instance
// first. If its engine is off there, that is an error, or a warning for a new app. If it
// is off only in a record that was read, that is a warning.
//
// A replacement that the provider did not ask for (-replace, replace_triggered_by) is
// planned in two calls, the second without the prior state. The first call leaves a note
// in private state, so that the second can refuse it before any dependent is destroyed.
//
// An apply plans its changes again, in another process that looks the same as a plan.
// Only after the first Create, Update or Delete does it drop the plan's warnings about
// existing resources (base/begin_apply.go). Errors are always reported.
//
// # Replacements
//
// With create_before_destroy, an app or database is created while the old one still has
// its name, and is refused. The process has read nothing, so it cannot distinguish this
// from an object that Terraform does not manage, and the error names both solutions. It
// is accepted if a person has deleted the old one. An object without an id, such as a
// setting, is taken over by its successor. In both cases the deletion of the old object
// must leave the successor's alone. Otherwise it could delete the new database, or open
// the instance to the internet although the state says that it is closed.
//
// # Account notes
//
// A state without notes comes from an earlier edition. An absent instance that is paid or
// protected leaves such a state only if the same key finds another object of the state.
// Imported objects do not count. Terraform passes no private state to the deletion of a
// replaced tainted object. So a deletion without a note removes nothing that this key
// does not find, and writes the note.
//
// # Creations
//
// A creation sends as few requests as possible; the stories of internal/simulation count them.
// The list before it shows which instances existed. The POST, its job, the record (host,
// engines, tags) and the connection record (certificate, auth address) each have
// something that no other response has.
//
// A creation that failed leaves deletion_protection null, because the state is all that
// Delete sees of a tainted object. Null makes Delete read the records again.
//
// # Values
//
// Lists of records are sorted, because the service promises no order and an index must
// keep its meaning. Lists of words, such as tags, are sets. A result of a list resource
// contains everything that an import keeps, so generated configuration plans empty. It
// never contains variables or secrets. A time that timetypes.RFC3339 would refuse is
// null.
//
// If the service stores a value in its own form, such as a rounded budget, the apply
// returns what the plan promised and a warning names both forms (base/kept_values.go).
//
// A record does not say which tags are the provider's default_tags. An instance's own
// tags are those in its configuration, and those added since tags_all was last written.
//
// An update of an app notes in private state, before the PATCH, that a build must be
// deployed and which variables are secret. If the answer is lost, the next run must
// neither take the old version for the new one nor read a secret into the state.
//
// deploy_commit is an argument separate from commit: if commit were optional and
// computed, generated configuration would pin it. If a different commit is built, an
// update fails, but a creation only warns, since an error would replace the app.
//
// # Scripts
//
// A script whose answer was lost may have run. A creation then ends tainted, and the
// state has a mark in sql and sql_wo_version, because the deletion of a tainted object
// gets no private state. A destroy does not show whether the object is tainted, so only
// an update in place, after terraform untaint, removes the mark. A change leaves a note,
// and every plan is refused until a person has decided. If the console cannot be restored
// after a script, that is a warning: an error would run the script again. Statements of a
// write-only script, and each string in them, are secrets, because Postgres quotes values
// in its errors.
//
// # Calls that change nothing
//
// Most calls of a plan change nothing. The server calls the resource's own Read or
// ModifyPlan, and answers with the request's state if that changes and reports nothing
// (unchanged.go). Otherwise the framework answers.
// TestUnchangedServerAnswersAsTheFramework compares random cases with the framework.
package provider
