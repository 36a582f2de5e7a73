package core

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// withInstance is edit for one instance. It returns false if the instance does not exist.
func (s *Service) withInstance(id string, change func(*state, *instance) bool) bool {
	return edit(s, func(st *state) bool {
		in := st.find(id)
		return in != nil && change(st, in)
	})
}

// withApp is edit for one app. It returns false if the app does not exist.
func (s *Service) withApp(id, name string, change func(*state, *instance, *app)) bool {
	return s.withInstance(id, func(st *state, in *instance) bool {
		a := in.app(name)
		if a != nil {
			change(st, in, a)
		}
		return a != nil
	})
}

// listAt returns the result of list for an instance, or nil if the instance does not
// exist.
func listAt[T any](s *Service, id string, list func(*instance) []T) []T {
	return inspect(s, func(st *state) []T {
		if in := st.find(id); in != nil {
			return list(in)
		}
		return nil
	})
}

// Jobs returns the stored jobs, in order of creation.
func (s *Service) Jobs() []Job {
	return inspect(s, func(st *state) (jobs []Job) {
		for _, j := range st.Jobs {
			jobs = append(jobs, st.snapshot(j))
		}
		return jobs
	})
}

// FinishJob ends a job now, even if it is held or waits for a checkout, and waits for its
// real work. The job fails if its work fails or if FailJobs applies to it.
func (s *Service) FinishJob(id string) error {
	var err error
	var awaited *workInProgress
	s.store.do(func(st *state) {
		j := st.findJob(id)
		switch {
		case j == nil:
			err = fmt.Errorf("there is no job %q", id)
		case !j.InProgress():
			err = fmt.Errorf("the job %q is %s already", id, j.Status)
		default:
			if in := st.find(j.InstanceID); in != nil && j.Status == StatusQueued {
				st.pay(in)
			}
			if j.working() {
				j.Hurried, j.Due, awaited = true, st.Now, j.work
				return
			}
			st.endJob(j)
		}
	})
	if awaited != nil {
		<-awaited.ended
	}
	return err
}

// WorkReturned reports whether a job in progress has done its real work and only needs to
// end.
func (s *Service) WorkReturned(id string) bool {
	return inspect(s, func(st *state) bool {
		j := st.findJob(id)
		return j != nil && j.InProgress() && j.work != nil && j.work.returned
	})
}

// StartJob starts a job on an instance as another client would. The job takes its usual
// time and changes nothing. If the operation has an event of the same name, the event is
// added to the instance's activity.
func (s *Service) StartJob(instanceID, operation, target string) (started Job, err error) {
	known := s.withInstance(instanceID, func(st *state, in *instance) bool {
		var j *job
		if j, err = st.startJob(in, &foreignJob{operation, target}); err == nil {
			started = st.snapshot(j)
		}
		return true
	})
	if !known {
		err = fmt.Errorf("there is no instance %q", instanceID)
	}
	return started, err
}

// foreignJob stands for a job of another client. It does nothing.
type foreignJob struct{ Operation, Target string }

// spec emits the event of the operation itself, without data. engine_settings and the events
// of databases say nothing without data, so such an operation emits none.
func (j *foreignJob) spec(*state, *instance) jobSpec {
	row := findJobRow(func(row jobRow) bool { return row.operation == j.Operation && row.event == j.Operation })
	return jobSpec{operation: j.Operation, target: j.Target, event: row.event}
}

// Instances returns every instance, in order of creation.
func (s *Service) Instances() []Instance {
	return inspect(s, func(st *state) (all []Instance) {
		for _, in := range st.Instances {
			all = append(all, copyOfInstance(in.Instance))
		}
		return all
	})
}

// Instance returns one instance.
func (s *Service) Instance(id string) (found Instance, ok bool) {
	ok = inspect(s, func(st *state) bool {
		in := st.find(id)
		if in != nil {
			found = copyOfInstance(in.Instance)
		}
		return in != nil
	})
	return found, ok
}

// EditInstance changes an instance without a job, unnoticed by the client. It reports
// whether the instance exists. To break a machine, set its status to failed; to repair
// it, set it to running. An instance that becomes running for the first time gets a host
// and its first database.
func (s *Service) EditInstance(id string, edit func(*Instance)) bool {
	return s.withInstance(id, func(st *state, in *instance) bool {
		record := copyOfInstance(in.Instance)
		edit(&record)
		record.ID = in.ID
		_, had := in.Engines[EnginePostgres]
		in.Instance = copyOfInstance(record)
		first := in.Status == StatusRunning && in.Host == ""
		if first {
			in.Host = st.endpoints(in).Host
		}
		if !had || first && len(in.Databases) == 0 {
			st.engineTurnedOn(in, EnginePostgres)
		}
		st.planChores()
		return true
	})
}

// RemoveInstance removes an instance without a job. A job in progress on it fails.
func (s *Service) RemoveInstance(id string) bool {
	removed := s.withInstance(id, func(st *state, in *instance) bool {
		if j := st.findJob(in.JobID); j != nil && j.InProgress() {
			st.failJob(j, "instance_removed", "the instance was removed")
		}
		st.cancelSubscription(in.ID)
		st.drop(in)
		return true
	})
	if removed {
		s.removeMachine(id)
	}
	return removed
}

// CheckInstance refuses an instance for AddInstance that the service cannot have.
func (s *Service) CheckInstance(record Instance) error {
	return inspect(s, func(st *state) error {
		fillIn(&record, st.usualInstance())
		var id error
		if record.ID != "" {
			id = CheckIdentifier(record.ID)
		}
		return errors.Join(id, (&instance{Instance: record}).check(st.Catalog))
	})
}

// usualInstance has what AddInstance fills in.
func (st *state) usualInstance() Instance {
	return Instance{Plan: st.Catalog.Plans[0].ID, Region: st.Catalog.Locations[0].ID, Status: StatusRunning}
}

// AddInstance adds an instance without a job. It fills empty fields: an id, a name, the
// free plan, the first location, status running, and the floor of each engine without a
// budget. With a data plane it returns when the machine runs. If the machine cannot be
// made, the status is failed. Its daily backups and verifications begin a day later.
func (s *Service) AddInstance(record Instance) Instance {
	added := edit(s, func(st *state) Instance {
		record = copyOfInstance(record)
		fillIn(&record, st.usualInstance())
		for name, engine := range record.Engines {
			engine.MemoryMB = cmp.Or(engine.MemoryMB, st.Catalog.Engines[name].FloorMB)
		}
		in := st.newInstance(record)
		in.Name = cmp.Or(in.Name, in.ID)
		if plan, ok := st.Catalog.plan(in.Plan); ok {
			st.subscribe(in.ID, plan, false)
		}
		if in.Status == StatusRunning {
			st.engineTurnedOn(in, EnginePostgres)
			if s.plane != nil {
				in.Status = StatusCreating
			} else if in.Host == "" {
				in.Host = st.endpoints(in).Host
			}
			st.planChores()
		}
		return copyOfInstance(in.Instance)
	})
	if s.plane != nil && record.Status == StatusRunning {
		added = s.machineAdded(added.ID, s.plane.Apply(s.store.life, added.ID))
	}
	return added
}

// machineAdded records the result of making an added instance's machine.
func (s *Service) machineAdded(id string, err error) (added Instance) {
	if err != nil {
		s.log.Error("a machine could not be made", "instance", id, "error", err)
	}
	s.withInstance(id, func(st *state, in *instance) bool {
		if in.Status = StatusRunning; err != nil {
			in.Status = StatusFailed
		} else {
			in.Host = st.endpoints(in).Host
		}
		st.planChores()
		added = copyOfInstance(in.Instance)
		return true
	})
	return added
}

// Apps returns the apps of an instance, in order of import.
func (s *Service) Apps(instanceID string) []App {
	return listAt(s, instanceID, func(in *instance) (all []App) {
		for _, a := range in.Apps {
			all = append(all, copyOfApp(a.App))
		}
		return all
	})
}

// App returns one app and whether it exists.
func (s *Service) App(instanceID, name string) (App, bool) {
	apps := s.Apps(instanceID)
	at := slices.IndexFunc(apps, func(a App) bool { return a.Name == name })
	if at < 0 {
		return App{}, false
	}
	return apps[at], true
}

// EditApp changes an app without a job, unnoticed by the client.
func (s *Service) EditApp(instanceID, name string, edit func(*App)) bool {
	return s.withApp(instanceID, name, func(_ *state, _ *instance, a *app) {
		record := copyOfApp(a.App)
		edit(&record)
		record.Name = a.Name
		a.App = copyOfApp(record)
		a.Deployed = a.Deployed || a.Status == StatusRunning
	})
}

// RemoveApp removes an app without a job.
func (s *Service) RemoveApp(instanceID, name string) bool {
	return s.withApp(instanceID, name, func(st *state, in *instance, a *app) {
		st.dropBuilds(in, a)
		in.removeApp(a)
	})
}

// AddApp adds an app without a job and without a build. It fills empty fields. The app
// runs unless its status is set to another one.
func (s *Service) AddApp(instanceID string, record App) (added App, ok bool) {
	ok = s.withInstance(instanceID, func(st *state, in *instance) bool {
		a := &app{App: copyOfApp(record)}
		usual := st.usualApp()
		usual.Repo, usual.Status, usual.CreatedAt = "owner/"+a.Name, StatusRunning, st.Now
		fillIn(&a.App, usual)
		in.Apps = append(in.Apps, a)
		if a.Status == StatusRunning {
			a.Deployed = true
			st.updateURL(in, a)
		}
		added = copyOfApp(a.App)
		return true
	})
	return added, ok
}

// Push adds a commit to a branch and returns it. The next build uses it.
func (s *Service) Push(repo, branch string) string {
	return edit(s, func(st *state) string {
		st.Pushes[repo+"@"+branch]++
		return st.commit(repo, branch)
	})
}

// Databases returns the databases of an instance, the default one first.
func (s *Service) Databases(instanceID string) []Database {
	return listAt(s, instanceID, func(in *instance) []Database { return slices.Clone(in.Databases) })
}

// AddDatabase adds a database without a job.
func (s *Service) AddDatabase(instanceID, name string) bool {
	return s.withInstance(instanceID, func(st *state, in *instance) bool {
		if in.hasDatabase(name) {
			return false
		}
		in.Databases = append(in.Databases, Database{Name: name, CreatedAt: st.Now})
		return true
	})
}

// RemoveDatabase removes a database without a job.
func (s *Service) RemoveDatabase(instanceID, name string) bool {
	return s.withInstance(instanceID, func(_ *state, in *instance) bool { return in.removeDatabase(name) })
}

// Extensions returns the extensions in all databases of an instance.
func (s *Service) Extensions(instanceID string) []Extension {
	return listAt(s, instanceID, func(in *instance) []Extension { return slices.Clone(in.Extensions) })
}

// AddExtension adds an extension without a job.
func (s *Service) AddExtension(instanceID string, record Extension) bool {
	return s.withInstance(instanceID, func(_ *state, in *instance) bool {
		in.Extensions = append(in.Extensions, record)
		return true
	})
}

// RemoveExtension removes an extension without a job. Database "" is the default one.
func (s *Service) RemoveExtension(instanceID, database, name string) bool {
	return s.withInstance(instanceID, func(_ *state, in *instance) bool {
		return in.removeExtension(name, cmp.Or(database, DefaultDatabase))
	})
}

// EditAccount changes the account, unnoticed by the client. The id cannot change.
func (s *Service) EditAccount(edit func(*Account)) {
	s.store.do(func(st *state) {
		account := st.Account
		edit(&account)
		account.ID = st.Account.ID
		st.Account = account
	})
}

// EditProfile changes the account's profile, unnoticed by the client. An empty string
// clears the field.
func (s *Service) EditProfile(name, company, address, vatID string) {
	s.EditAccount(func(a *Account) {
		a.Name, a.Company, a.Address, a.VATID = textOrNil(name), textOrNil(company), textOrNil(address), textOrNil(vatID)
	})
}

// Profile returns the account's profile. An empty string means that the field is not set.
func (s *Service) Profile() (name, company, address, vatID string) {
	a := inspect(s, func(st *state) Account { return st.Account })
	text := func(field *string) string {
		if field == nil {
			return ""
		}
		return *field
	}
	return text(a.Name), text(a.Company), text(a.Address), text(a.VATID)
}

// Webhooks returns every endpoint with its secret.
func (s *Service) Webhooks() []Webhook {
	return inspect(s, func(st *state) (all []Webhook) {
		for _, w := range st.Webhooks {
			all = append(all, *w)
		}
		return all
	})
}

// AddWebhook adds an endpoint, unnoticed by the client. It fills an empty id and an empty
// secret.
func (s *Service) AddWebhook(record Webhook) Webhook {
	return edit(s, func(st *state) Webhook {
		fillIn(&record, Webhook{ID: newID("wh"), Secret: newSecret(), CreatedAt: st.Now})
		added := record
		st.Webhooks = append(st.Webhooks, &added)
		return record
	})
}

// EditWebhook changes an endpoint, unnoticed by the client.
func (s *Service) EditWebhook(id string, change func(*Webhook)) bool {
	return edit(s, func(st *state) bool {
		at := slices.IndexFunc(st.Webhooks, func(w *Webhook) bool { return w.ID == id })
		if at >= 0 {
			change(st.Webhooks[at])
			st.Webhooks[at].ID = id
		}
		return at >= 0
	})
}

// RemoveWebhook removes an endpoint.
func (s *Service) RemoveWebhook(id string) bool {
	return edit(s, func(st *state) bool { return st.removeWebhook(id) })
}

// EditCatalog changes the service's catalog.
func (s *Service) EditCatalog(edit func(*Catalog)) {
	s.store.do(func(st *state) {
		catalog := st.Catalog.clone()
		edit(&catalog)
		st.Catalog = catalog.clone()
	})
}

// Left counts the objects that a clean account does not have: instances, apps, databases
// (except the default ones), extensions, webhooks, and jobs and builds in progress.
func (s *Service) Left() map[string]int {
	return inspect(s, func(st *state) map[string]int {
		left := map[string]int{
			"instances": len(st.Instances), "webhooks": len(st.Webhooks), "jobs": len(st.activeJobs), "builds": len(st.Builds),
			"apps": 0, "databases": 0, "extensions": 0,
		}
		for _, in := range st.Instances {
			left["apps"] += len(in.Apps)
			left["extensions"] += len(in.Extensions)
			for _, d := range in.Databases {
				if d.Name != DefaultDatabase {
					left["databases"]++
				}
			}
		}
		return left
	})
}
