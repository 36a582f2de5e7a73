package appruntime

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// caFile is the name of the file with the machine's CA, in an app's folder for it.
const caFile = "box-ca.pem"

func (s Spec) equal(other Spec) bool {
	return maps.Equal(s.Env, other.Env) && s.Port == other.Port && s.HealthPath == other.HealthPath && s.Public == other.Public &&
		s.Database == other.Database && s.CA == other.CA
}

// launch says how one process of the app begins. Where the app has a view of
// its own, paths are as it sees them.
func (r *run) launch(port int) (process.Spec, error) {
	a := r.app
	spec := process.Spec{Command: r.build.command, Folder: r.build.work, Output: a.log, User: a.user, Contained: true}
	trust, data := a.trust(), a.data()
	if process.CanContain() {
		trust, data = trustPoint, dataPoint
		spec.View = a.runtime.view(
			process.Mount{Point: dataPoint, Folder: a.data()},
			process.Mount{Point: buildPoint, Folder: r.build.folder},
			process.Mount{Point: trustPoint, Folder: a.trust(), ReadOnly: true})
		spec.Command, spec.Folder = r.build.seenAll(r.build.command), r.build.seen(r.build.work)
	}
	given := inherited(a.runtime.options.Environment)
	given["HOME"], given["DATA_DIR"] = data, data
	maps.Copy(given, r.spec.Env)
	given["PORT"] = strconv.Itoa(port)
	given["DATA_DIR"] = data
	if r.spec.Database != "" {
		database, err := withRootCertificate(r.spec.Database, r.spec.CA, filepath.Join(trust, caFile))
		if err != nil {
			return process.Spec{}, err
		}
		given["DATABASE_URL"] = database
	}
	spec.Environment = environment(given)
	return spec, nil
}

// inherited are the variables of this program's that apps and builds get: the
// way to other programs, certificates and time zones. What else it runs with is
// no business of theirs.
func inherited(environment []string) map[string]string {
	given := map[string]string{}
	for _, variable := range environment {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT":
			given[name] = value
		}
	}
	return given
}

// environment are variables as a program gets them.
func environment(given map[string]string) []string {
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list = append(list, name+"="+given[name])
	}
	return list
}

// Where an app that has a view of its own finds its data folder, its build, and
// the machine's CA.
const (
	dataPoint  = "/data"
	buildPoint = "/app"
	trustPoint = "/trust"
)

// view is what all apps and builds see of the file system, with some folders
// added.
func (r *Runtime) view(mounts ...process.Mount) *process.View {
	return &process.View{Root: r.root(), Hidden: append([]string{r.folder}, r.options.Hidden...), Mounts: mounts}
}

// root is the empty folder below which views are put together.
func (r *Runtime) root() string { return filepath.Join(r.folder, "root") }

// withRootCertificate adds the path of the CA's file to a database URL. It is
// named, because libpq would look for one in the home folder otherwise.
func withRootCertificate(database, ca, file string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		// The error would hold the URL, and with it the password.
		return "", fmt.Errorf("the database's URL is none")
	}
	if ca != "" {
		query := u.Query()
		query.Set("sslrootcert", file)
		u.RawQuery = query.Encode()
	}
	return u.String(), nil
}
