package appruntime

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// caFile is the name of the file with the machine's CA, in the app's folder for it.
const caFile = "box-ca.pem"

func (s Spec) equal(other Spec) bool {
	return maps.Equal(s.Env, other.Env) && s.Port == other.Port && s.HealthPath == other.HealthPath && s.Public == other.Public &&
		s.Database == other.Database && s.CA == other.CA
}

// launch returns how one process of the app starts. In a sandbox, paths are as the app sees
// them.
func (r *run) launch(port int) (process.Spec, error) {
	a := r.app
	spec := process.Spec{Command: r.build.command, Folder: r.build.work, Output: a.log, User: a.user, Contained: true}
	trust, data := a.trust(), a.data()
	if a.runtime.options.Sandbox != nil {
		trust, data = trustPoint, dataPoint
		spec.Mounts = []process.Mount{
			{Point: dataPoint, Source: a.data(), Writable: true},
			{Point: buildPoint, Source: r.build.folder, Writable: true},
			{Point: trustPoint, Source: a.trust()},
		}
		spec.Command, spec.Folder = r.build.seenAll(r.build.command), r.build.seen(r.build.work)
	}
	given := a.runtime.inherited(&spec)
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

// inherited returns the variables of this program's environment that apps and builds
// receive: the search path, certificates, language and time zone. The rest of the
// environment is withheld. A program that runs in the Runtime's sandbox gets the sandbox's
// PATH, and the certificates are mounted.
func (r *Runtime) inherited(spec *process.Spec) map[string]string {
	spec.Sandbox = r.options.Sandbox
	given := map[string]string{}
	for _, variable := range r.options.Environment {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT":
			given[name] = value
		case "SSL_CERT_FILE", "SSL_CERT_DIR":
			given[name] = value
			if _, err := os.Stat(value); err == nil && filepath.IsAbs(value) {
				spec.Mounts = append(spec.Mounts, process.Mount{Point: value, Source: value})
			}
		}
	}
	if spec.Sandbox != nil {
		given["PATH"] = spec.Sandbox.Path()
	}
	return given
}

// environment returns variables in the form that a program receives them.
func environment(given map[string]string) []string {
	list := []string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list = append(list, name+"="+given[name])
	}
	return list
}

// The paths at which an app in a sandbox finds its data folder, its build, and the
// machine's CA.
const (
	dataPoint  = "/data"
	buildPoint = "/app"
	trustPoint = "/trust"
)

// withRootCertificate adds the path of the CA's file to a database URL. Without it, libpq
// would look for a certificate in the home folder.
func withRootCertificate(database, ca, file string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		// The parser's error would contain the URL, and with it the password.
		return "", fmt.Errorf("invalid database URL")
	}
	if ca != "" {
		query := u.Query()
		query.Set("sslrootcert", file)
		u.RawQuery = query.Encode()
	}
	return u.String(), nil
}
