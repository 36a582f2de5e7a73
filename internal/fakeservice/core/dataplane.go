package core

import (
	"context"
	"slices"
)

// DataPlane runs the machines that the control plane keeps records of. Without one, a
// Service answers every call with records only.
//
// All methods but Endpoints may take real time and are called while the store is
// unlocked. Calls about one instance may be concurrent, because a daily backup may run
// during a job. An implementation runs them one after the other, and asks the
// ControlPlane for the desired machine when the turn of a call has come, not before.
// Errors never contain a secret, because their text is shown. A *Failure also has a code.
//
// Every call may be repeated. A call that the end of the program interrupted is made
// again after Resume. It then completes the work, however much of it was done.
type DataPlane interface {
	Querier

	// Attach sets the ControlPlane that the data plane asks and reports to. It is called
	// once, before anything else.
	Attach(ControlPlane)
	// Resume restarts the machines of an earlier program from the data it left, as the
	// ControlPlane describes them now. They keep their data, their hosts, their ports and
	// addresses if these are free, and the builds of their apps. Resume is called once,
	// right after Attach, if records are stored. It deletes the data of instances that
	// instanceIDs does not contain. An instance in instanceIDs without data is left to
	// the job that applies it.
	//
	// When Resume returns, Endpoints is correct, and Postgres and the auth engine answer.
	// The apps are starting. As usual, the ControlPlane receives a call for each app,
	// including those that cannot start. A machine that cannot run does not keep the
	// others from running. The error names such machines; they keep their data, and Apply
	// tries again.
	Resume(ctx context.Context, instanceIDs []string) error
	// Apply brings a machine to its desired state. The engines that are on run with the
	// machine's credentials, limits and settings. The engines that are off are removed
	// with their data. Applying the same machine again changes nothing.
	Apply(ctx context.Context, instanceID string) error
	// Remove removes a machine with its data and its backups. It succeeds if the machine
	// does not exist.
	Remove(ctx context.Context, instanceID string) error
	// Restart restarts one engine. The engine keeps its data.
	Restart(ctx context.Context, instanceID, engine string) error
	// Reset empties one engine, or all of them if engine is "", as if they were new.
	Reset(ctx context.Context, instanceID, engine string) error

	// Backup saves the data of the machine under an id and returns the size in bytes. A
	// complete backup with this id is kept, so that a repeated call never saves data that
	// later work has begun to change.
	Backup(ctx context.Context, instanceID, backupID string) (int64, error)
	// Restore restores the data of a backup. The machine keeps its settings and
	// credentials.
	Restore(ctx context.Context, instanceID, backupID string) error
	// DropBackup deletes a backup. It succeeds if the backup does not exist.
	DropBackup(ctx context.Context, instanceID, backupID string) error

	// Save copies the machine to a folder: its data, its deployed builds and its backups.
	// It replaces the folder, which is then complete or does not exist. The machine keeps
	// running.
	Save(ctx context.Context, instanceID, folder string) error
	// CheckSaved checks a folder that Save should have written, as far as that is possible
	// without a machine.
	CheckSaved(folder string) error
	// Load makes a machine from a folder that Save wrote, possibly for a different id or
	// by a different DataPlane. If the machine exists, it keeps its host and loses
	// everything else. The ControlPlane determines its engines, credentials and settings,
	// and which of its apps run.
	Load(ctx context.Context, instanceID, folder string) error

	// Verify checks a machine as its clients use it: TLS, the login and a request at each
	// engine that runs, and the health path of each deployed app. It returns what failed.
	Verify(ctx context.Context, instanceID string) ([]Finding, error)

	// Databases lists the existing databases and the service's extensions in them. Their
	// creation times are unknown.
	Databases(ctx context.Context, instanceID string) ([]Database, []Extension, error)
	// CreateDatabase succeeds if the database exists, because an interrupted call may
	// have created it. A caller that must refuse a taken name checks first.
	CreateDatabase(ctx context.Context, instanceID, name string) error
	// DropDatabase drops a database. It succeeds if the database does not exist.
	DropDatabase(ctx context.Context, instanceID, name string) error
	// SetExtension turns an extension on and returns the version that runs.
	SetExtension(ctx context.Context, instanceID, database, name string) (version string, err error)
	// DropExtension turns an extension off. It succeeds if the extension is off.
	DropExtension(ctx context.Context, instanceID, database, name string) error

	// Repositories returns the repositories that the code-hosting integration sees, as
	// owner/repo. It returns immediately.
	Repositories() []string
	// Inspect reports how the branch of a repository would be built, without building
	// anything. If the branch cannot be read, the error is a *Failure.
	Inspect(ctx context.Context, repo, branch string) (Inspection, error)
	// Build builds the branch of an app and stores the result under an id. It replaces an
	// earlier result with that id. It may run concurrently with other calls about the
	// instance. It returns the commit that was built, if known, even for a failed build.
	// A *BuildFailure contains the end of the log.
	Build(ctx context.Context, instanceID string, a App, buildID string) (commit string, err error)
	// Deploy replaces the running version of an app by a build. It does not wait until
	// the app answers: it calls the ControlPlane then. If the machine no longer has the
	// app, the build is discarded. A build that is running already keeps running, and the
	// ControlPlane receives its status again.
	Deploy(ctx context.Context, instanceID, name, buildID string) error
	// RestartApp restarts a deployed app with its current settings. It waits until the
	// app answers or has failed.
	RestartApp(ctx context.Context, instanceID, name string) error
	// RemoveApp removes an app with its data and its builds. It succeeds if the app does
	// not exist.
	RemoveApp(ctx context.Context, instanceID, name string) error

	// Processes returns the processes of a machine. AppLog returns the end of an app's
	// output, and BuildLog the end of the log of a build so far. They return immediately.
	Processes(instanceID string) []Process
	AppLog(instanceID, name string) string
	BuildLog(buildID string) string
	// Endpoints returns the addresses of a machine. It is called while the store is
	// locked, so it must return immediately and must not call the ControlPlane.
	Endpoints(instanceID string) Endpoints
	// Close stops everything. It leaves no process and no temporary folder, but keeps the
	// data that Resume needs.
	Close() error
}

// ControlPlane describes the desired machines to the data plane, and receives events that
// happen there, such as a visitor's sign-up. A Service is a ControlPlane.
type ControlPlane interface {
	// DesiredMachine returns the desired state of a machine at this moment. It returns an
	// error if the instance no longer exists.
	DesiredMachine(instanceID string) (DesiredMachine, error)
	Emit(kind, instanceID string, data map[string]any)
	// AppRuns reports that a deployed app answers its health path. AppFailed reports that
	// it has not answered for too long.
	AppRuns(instanceID, name string)
	AppFailed(instanceID, name string, why AppFailure)
	// SendMail receives a mail that the service would send.
	SendMail(Mail)
}

// Mail is a mail that the service would send to a user of the auth engine. The link and
// the code sign the reader in, so they are secrets. Link may be empty.
type Mail struct{ InstanceID, To, Link, Code string }

// Process is a process that runs for a machine. App is empty for a process of an engine
// as a whole.
type Process struct {
	InstanceID, Engine, App string
	PID                     int
}

// DesiredMachine is the desired state of an instance's machine. It consists of the record,
// fields that the API does not show, and the changes of the job in progress.
type DesiredMachine struct {
	Instance
	// Limits is the instance's plan.
	Limits      Plan
	Databases   []Database
	Extensions  []Extension
	Apps        []App
	Credentials Credentials
	// CA signs the certificates of the servers on the machine.
	CA Authority
}

// HasEngine reports whether an engine is on.
func (m DesiredMachine) HasEngine(name string) bool {
	_, on := m.Engines[name]
	return on
}

// App returns the app with this name, or nil.
func (m *DesiredMachine) App(name string) *App {
	at := slices.IndexFunc(m.Apps, func(a App) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return &m.Apps[at]
}

// Credentials are an instance's secrets.
type Credentials struct {
	// PostgresOwner, PostgresReadOnly, Redis, CouchDB and NATS are passwords.
	PostgresOwner, PostgresReadOnly, Redis, CouchDB, NATS string
	// AuthSigningKey signs the auth engine's tokens. The two keys are tokens.
	AuthSigningKey, AuthAnonKey, AuthServiceKey string
}

// Endpoints has the addresses of a machine.
type Endpoints struct {
	// Host is the name or address of the machine. It never changes.
	Host string
	// PostgresDirectPort and PostgresPooledPort are 0 if nothing listens there.
	PostgresDirectPort, PostgresPooledPort int
	// RedisPort, NATSPort and CouchDBPort are 0 if nothing listens there, for example if the
	// engine is only a record.
	RedisPort, NATSPort, CouchDBPort int
	// AuthURL ends in /auth/v1. It is empty if no auth engine runs.
	AuthURL string
	// AppURLs has the addresses of deployed public apps, by name.
	AppURLs map[string]string
}

// port returns the port on which an engine really listens, or 0.
func (e Endpoints) port(engine string) int {
	switch engine {
	case EnginePostgres:
		return e.PostgresDirectPort
	case EngineRedis:
		return e.RedisPort
	case EngineNATS:
		return e.NATSPort
	case EngineCouchDB:
		return e.CouchDBPort
	}
	return 0
}

// Failure is the reason that work failed. The job's error shows it.
type Failure struct{ Code, Detail string }

// Error returns the code and the detail.
func (f *Failure) Error() string { return f.Code + ": " + f.Detail }

// BuildFailure is the error of a failed build. Log is the end of its log.
type BuildFailure struct{ Log string }

// Error returns the end of the log.
func (f *BuildFailure) Error() string { return f.Log }

// DesiredMachine returns the desired state of a machine at this moment.
func (s *Service) DesiredMachine(instanceID string) (DesiredMachine, error) {
	return change(s, func(st *state) (DesiredMachine, error) {
		in, err := st.lookup(instanceID)
		if err != nil {
			return DesiredMachine{}, err
		}
		return st.desiredMachine(in), nil
	})
}

// desiredMachine returns the desired state of the instance's machine: its record, with the
// changes of the job in progress once the work of the job has begun.
func (st *state) desiredMachine(in *instance) DesiredMachine {
	limits, _ := st.Catalog.plan(in.Plan) // a plan that is no longer offered has no limits
	m := DesiredMachine{
		Instance:    copyOfInstance(in.Instance),
		Limits:      limits,
		Databases:   slices.Clone(in.Databases),
		Extensions:  slices.Clone(in.Extensions),
		Credentials: in.Secrets.Credentials,
		CA:          in.Secrets.CA,
	}
	for _, a := range in.Apps {
		m.Apps = append(m.Apps, copyOfApp(a.App))
	}
	if in.change != nil {
		in.change(&m)
	}
	return m
}

// madeUpDomain ends the hosts of instances without a machine.
const madeUpDomain = ".hosting.example"

// endpoints returns the addresses of an instance: those of the data plane, or made-up
// ones without a data plane.
func (st *state) endpoints(in *instance) Endpoints {
	if st.plane != nil {
		return st.plane.Endpoints(in.ID)
	}
	host := in.ID + "." + in.Region + madeUpDomain
	at := Endpoints{
		Host:               host,
		PostgresDirectPort: directPort,
		PostgresPooledPort: pooledPort,
		AuthURL:            "https://" + host + "/auth/v1",
		AppURLs:            map[string]string{},
	}
	for _, a := range in.Apps {
		if a.Deployed && a.Public {
			at.AppURLs[a.Name] = "https://" + a.Name + "-" + in.ID + ".apps" + madeUpDomain
		}
	}
	return at
}
