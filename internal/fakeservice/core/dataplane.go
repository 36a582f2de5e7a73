package core

import (
	"context"
	"slices"
)

// DataPlane runs for real what the control plane keeps records of. A Service
// without one answers every call as well, with records alone.
//
// All methods but Endpoints may take real time and are called while the store
// is unlocked. Calls about one instance may come at the same time, as a daily
// backup happens beside a job; an implementation puts them in order, and asks the
// ControlPlane how the machine is to be when a call's turn has come, not before.
// Errors never hold a secret: their text is shown. A *Failure gives the code too.
//
// Every call may be repeated. One that was cut off by the end of the program, however
// much of it was done, is made again after Resume and does what is left to do.
type DataPlane interface {
	Querier

	// Attach gives the data plane its way to ask and to tell. It is called once,
	// before anything else.
	Attach(ControlPlane)
	// Resume runs the machines again of which an earlier program has left data, as
	// the ControlPlane has them now: with their data, at their hosts and, where these
	// are free, at their ports and addresses; apps at the build that they had. It
	// is called once, right after Attach, where records are kept. What is left of
	// instances that are not named goes. A named one of which nothing is left is left
	// to the job that applies it.
	//
	// When it returns, Endpoints are right, and Postgres and the auth engine answer.
	// Apps are starting: the ControlPlane is told of each as usual, also of those that
	// cannot start. A machine that cannot run keeps none of the others from it. The
	// error names those; they keep their data, and Apply tries again.
	Resume(ctx context.Context, instanceIDs []string) error
	// Apply makes a machine as it is to be: the engines that are on run, with its
	// credentials, limits and settings, and those that are off are gone with
	// their data. Applying the same machine again changes nothing.
	Apply(ctx context.Context, instanceID string) error
	// Remove takes a machine away with its data and its backups. One that is
	// not there is removed already.
	Remove(ctx context.Context, instanceID string) error
	// Restart restarts one engine. Its data stays.
	Restart(ctx context.Context, instanceID, engine string) error
	// Reset empties one engine, or all of them when none is named, as if they
	// were new.
	Reset(ctx context.Context, instanceID, engine string) error

	// Backup saves the data of the machine under an id and says how many bytes
	// that took. A backup that is there in full under the id stays, so that a repeated
	// call never saves what the work after it has begun to change.
	Backup(ctx context.Context, instanceID, backupID string) (int64, error)
	// Restore puts the data back to a backup. Settings and credentials stay
	// those of the machine.
	Restore(ctx context.Context, instanceID, backupID string) error
	// DropBackup forgets a backup. One that is not there is forgotten already.
	DropBackup(ctx context.Context, instanceID, backupID string) error

	// Save copies all that the machine holds to a folder, in the place of what is
	// there: its data, the builds that are deployed, and its backups. The folder is
	// there in full or not at all. The machine goes on meanwhile.
	Save(ctx context.Context, instanceID, folder string) error
	// Load makes a machine with what was saved of one, of another id or by another
	// DataPlane too. A machine of the id that is there keeps its host and loses all
	// else. Engines, credentials and settings are those that the ControlPlane says
	// now, and of the apps those run that it names.
	Load(ctx context.Context, instanceID, folder string) error

	// Databases lists the databases that are there, and the service's
	// extensions in them. When they were made is not known.
	Databases(ctx context.Context, instanceID string) ([]Database, []Extension, error)
	// CreateDatabase succeeds where the database is there: a call that was cut off
	// may have made it. Whoever is to refuse a name that is taken looks before.
	CreateDatabase(ctx context.Context, instanceID, name string) error
	// DropDatabase drops a database. One that is not there is dropped already.
	DropDatabase(ctx context.Context, instanceID, name string) error
	// SetExtension turns an extension on and gives the version that runs.
	SetExtension(ctx context.Context, instanceID, database, name string) (version string, err error)
	// DropExtension turns an extension off. One that is not on is off already.
	DropExtension(ctx context.Context, instanceID, database, name string) error

	// Repositories are those that the code-hosting integration sees, as owner/repo. It
	// answers at once.
	Repositories() []string
	// Inspect finds out how the branch of a repository would be built, and builds
	// nothing. A branch that cannot be read is a *Failure.
	Inspect(ctx context.Context, repo, branch string) (Inspection, error)
	// Build builds the branch of an app and keeps what comes of it under an id, in the
	// place of what there is under that id.
	// It comes beside other calls about the instance. It gives the commit that
	// was built, of a failed build too, where it is known; a *BuildFailure holds
	// the end of the log.
	Build(ctx context.Context, instanceID string, a App, buildID string) (commit string, err error)
	// Deploy runs a build in the place of the version that runs. It does not
	// wait for the app to answer: the ControlPlane is told when it does. The build
	// of an app that is not to be there any more is thrown away. A build that runs
	// already runs on, and the ControlPlane is told again how it does.
	Deploy(ctx context.Context, instanceID, name, buildID string) error
	// RestartApp restarts an app that is deployed, as it is to be now, and
	// waits until it answers or has failed.
	RestartApp(ctx context.Context, instanceID, name string) error
	// RemoveApp takes an app away with its data and its builds. One that is not there
	// is removed already.
	RemoveApp(ctx context.Context, instanceID, name string) error

	// Processes are those that run for a machine, AppLog is the end of what an app
	// has written, and BuildLog that of what a build has said so far. They answer at
	// once.
	Processes(instanceID string) []Process
	AppLog(instanceID, name string) string
	BuildLog(buildID string) string
	// Endpoints says where a machine is reached. It is called while the store
	// is locked, so it answers at once and calls nothing back.
	Endpoints(instanceID string) Endpoints
	// Close stops everything. No process and no temporary folder stays behind; what is
	// kept for Resume does.
	Close() error
}

// ControlPlane is what the data plane asks how a machine is to be, and tells what
// happened by itself, such as a visitor's sign-up. A Service is one.
type ControlPlane interface {
	// Machine is how a machine is to be at this moment. It is an error where the
	// instance is not there any more.
	Machine(instanceID string) (Machine, error)
	Emit(kind, instanceID string, data map[string]any)
	// AppRuns tells that a deployed app answers its health path, and AppFailed
	// that it has not done so for too long.
	AppRuns(instanceID, name string)
	AppFailed(instanceID, name string, why AppFailure)
	// SendMail takes a mail that the service would send.
	SendMail(Mail)
}

// Mail is a mail that the service would send to a user of the auth engine. The
// link and the code sign its reader in, so they are secrets. A mail may have a
// code alone.
type Mail struct{ InstanceID, To, Link, Code string }

// Process is a process that runs for a machine. App is empty where it belongs
// to an engine as a whole.
type Process struct {
	InstanceID, Engine, App string
	PID                     int
}

// Machine is an instance as the data plane is to make it: the record, with what
// the API does not show of it, and with what the job in progress makes of it.
type Machine struct {
	Instance
	// Limits are those of the instance's plan.
	Limits      Plan
	Databases   []Database
	Extensions  []Extension
	Apps        []App
	Credentials Credentials
	// CA signs the certificates of whatever listens on the machine.
	CA Authority
}

// HasEngine tells whether an engine is on.
func (m Machine) HasEngine(name string) bool {
	_, on := m.Engines[name]
	return on
}

// App is an app that is to be there, or nil.
func (m *Machine) App(name string) *App {
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

// Endpoints says where a machine is reached.
type Endpoints struct {
	// Host is the name or address of the machine. It never changes.
	Host string
	// PostgresDirectPort and PostgresPooledPort are 0 where nothing listens.
	PostgresDirectPort, PostgresPooledPort int
	// RedisPort and NATSPort are 0 where nothing listens, as where the engine is a
	// record alone.
	RedisPort, NATSPort int
	// AuthURL ends in /auth/v1; it is empty where no auth engine runs.
	AuthURL string
	// AppURLs are the addresses of public apps that are deployed, by name.
	AppURLs map[string]string
}

// port is where an engine really listens, or 0.
func (e Endpoints) port(engine string) int {
	switch engine {
	case EnginePostgres:
		return e.PostgresDirectPort
	case EngineRedis:
		return e.RedisPort
	case EngineNATS:
		return e.NATSPort
	}
	return 0
}

// Failure is why work failed, as the job's error shows it.
type Failure struct{ Code, Detail string }

// Error gives the code and the detail.
func (f *Failure) Error() string { return f.Code + ": " + f.Detail }

// BuildFailure is a build that failed. Log is the end of what it said.
type BuildFailure struct{ Log string }

// Error is the end of the log.
func (f *BuildFailure) Error() string { return f.Log }

// Machine is how a machine is to be at this moment.
func (s *Service) Machine(instanceID string) (Machine, error) {
	return change(s, func(st *state) (Machine, error) {
		in, err := st.lookup(instanceID)
		if err != nil {
			return Machine{}, err
		}
		return st.machine(in), nil
	})
}

// machine is how the instance's machine is to be: as its record says, and as the job
// in progress makes it from the moment on at which its work begins.
func (st *state) machine(in *instance) Machine {
	limits, _ := st.Catalog.plan(in.Plan) // a plan that is no longer offered has no limits
	m := Machine{
		Instance:    in.clone(),
		Limits:      limits,
		Databases:   slices.Clone(in.Databases),
		Extensions:  slices.Clone(in.Extensions),
		Credentials: in.Secrets.Credentials,
		CA:          in.Secrets.CA,
	}
	for _, a := range in.Apps {
		m.Apps = append(m.Apps, a.clone())
	}
	if in.change != nil {
		in.change(&m)
	}
	return m
}

// endpoints says where an instance is reached: where the data plane has it, or
// where the service would.
func (st *state) endpoints(in *instance) Endpoints {
	if st.plane != nil {
		return st.plane.Endpoints(in.ID)
	}
	host := in.ID + "." + in.Region + ".hosting.example"
	at := Endpoints{
		Host:               host,
		PostgresDirectPort: directPort,
		PostgresPooledPort: pooledPort,
		AuthURL:            "https://" + host + "/auth/v1",
		AppURLs:            map[string]string{},
	}
	for _, a := range in.Apps {
		if a.Deployed && a.Public {
			at.AppURLs[a.Name] = "https://" + a.Name + "-" + in.ID + ".apps.hosting.example"
		}
	}
	return at
}
