package appruntime

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
)

// caFile is the name of the file with the machine's CA, in an app's folder for it.
const caFile = "box-ca.pem"

func (s Spec) equal(other Spec) bool {
	return maps.Equal(s.Env, other.Env) && s.Port == other.Port && s.HealthPath == other.HealthPath && s.Public == other.Public &&
		s.Database == other.Database && s.CA == other.CA
}

// launch says how one process of the app begins. Where the app has a view of
// its own, paths are as it sees them.
func (r *run) launch(port int) (launch, error) {
	a := r.app
	begin := launch{command: r.build.command, work: r.build.work, output: a.log, user: a.user}
	trust, data := a.trust(), a.data()
	if viewsWork() {
		trust, data = trustPoint, dataPoint
		begin.view = &view{
			root: a.root(), hidden: a.runtime.folder,
			mounts: map[string]string{dataPoint: a.data(), buildPoint: r.build.folder, trustPoint: a.trust()},
		}
		begin.work = r.seen(begin.work)
		begin.command = nil
		for _, word := range r.build.command {
			begin.command = append(begin.command, r.seen(word))
		}
	}
	given := map[string]string{}
	for _, variable := range a.runtime.options.Environment {
		// A clean start: what this program runs with is no business of the
		// app's, but the way to other programs, certificates and time zones.
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT":
			given[name] = value
		}
	}
	given["HOME"], given["DATA_DIR"] = data, data
	maps.Copy(given, r.spec.Env)
	given["PORT"] = strconv.Itoa(port)
	given["DATA_DIR"] = data
	if r.spec.Database != "" {
		database, err := withRootCertificate(r.spec.Database, r.spec.CA, filepath.Join(trust, caFile))
		if err != nil {
			return launch{}, err
		}
		given["DATABASE_URL"] = database
	}
	begin.environment = merge(nil, given)
	return begin, nil
}

// seen is a path inside of the build's folder as the app sees it. Anything else
// stays what it is.
func (r *run) seen(path string) string {
	if inside, ok := strings.CutPrefix(path, r.build.folder+string(filepath.Separator)); ok {
		return filepath.Join(buildPoint, inside)
	}
	return path
}

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
