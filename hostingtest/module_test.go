package hostingtest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliconfig"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Both modules of this repository, at a version that is not published.
var (
	packed        = module.Version{Path: "github.com/instance-hosting/terraform-provider-hosting", Version: "v0.0.0-test"}
	packedWebhook = module.Version{Path: packed.Path + "/webhook", Version: packed.Version}
)

// Another module imports the package from a module proxy. It runs Terraform's own tests
// of a configuration with the provider installed from there. The fake is installed and
// run as a program, too. There are no replace directives, because a module that is a
// dependency cannot use them.
func TestFromAnotherModule(t *testing.T) {
	tier.Change.Only(t)
	t.Parallel()
	proxy := t.TempDir()
	packInto(t, proxy, packed, repository)
	folder := t.TempDir()
	elsewhere := place{folder: filepath.Join(folder, "elsewhere"), environment: goEnvironment(t, proxy, folder)}
	must.Do(t, os.CopyFS(elsewhere.folder, os.DirFS(filepath.Join("testdata", "elsewhere"))))
	goMod := fmt.Sprintf("module example.com/shop\n\ngo 1.26.0\n\nrequire %s %s\n", packed.Path, packed.Version)
	writeFile(t, filepath.Join(elsewhere.folder, "go.mod"), goMod)

	bin := filepath.Join(folder, "bin")
	elsewhere.set("GOBIN", bin)
	elsewhere.run(t, "go", "install", packed.Path+"@"+packed.Version)
	elsewhere.run(t, "go", "install", packed.Path+"/cmd/fakeservice@"+packed.Version)
	serves(t, filepath.Join(bin, "fakeservice"))

	wanted := "TestClient"
	if cli := os.Getenv("TF_ACC_TERRAFORM_PATH"); os.Getenv("TF_ACC") != "" && cli != "" {
		configuration := filepath.Join(folder, "cli.tfrc")
		writeFile(t, configuration, cliconfig.DevOverrides(bin))
		elsewhere.set("TF_CLI_CONFIG_FILE", configuration)
		elsewhere.set("CHECKPOINT_DISABLE", "1")
		elsewhere.set("CLI", cli)
		wanted += "|TestModule"
	}
	said := elsewhere.run(t, "go", "test", "-count", "1", "-v", "-run", "^("+wanted+")$", ".")
	for name := range strings.SplitSeq(wanted, "|") {
		if !strings.Contains(said, "--- PASS: "+name) {
			t.Errorf("%s elsewhere: got no pass, want one:\n%s", name, said)
		}
	}
}

// TestWebhookFromAnotherModule imports package webhook into a module that requires older
// versions of some of the provider's dependencies. That module keeps its versions, and
// gets no other modules.
func TestWebhookFromAnotherModule(t *testing.T) {
	t.Parallel()
	proxy := t.TempDir()
	packInto(t, proxy, packedWebhook, filepath.Join(repository, "webhook"))
	older := []module.Version{
		{Path: "github.com/google/go-cmp", Version: "v0.5.0"},
		{Path: "github.com/jackc/pgx/v5", Version: "v5.7.0"},
		{Path: "golang.org/x/sync", Version: "v0.1.0"},
	}
	ours, _ := required(t, filepath.Join(repository, "go.mod"))
	theirs, oldest := required(t, filepath.Join(repository, "webhook", "go.mod"))
	if len(theirs) != 0 {
		t.Errorf("the requirements of package webhook: got %v, want nothing", theirs)
	}
	for _, m := range older {
		if semver.Compare(ours[m.Path], m.Version) <= 0 {
			t.Errorf("the provider's version of %s: got %q, want a newer one than %s", m.Path, ours[m.Path], m.Version)
		}
		publish(t, proxy, m, []byte("module "+m.Path+"\n"), nil)
	}

	folder := t.TempDir()
	shop := place{folder: filepath.Join(folder, "shop"), environment: goEnvironment(t, proxy, folder)}
	shop.set("GOPROXY", "file://"+filepath.ToSlash(proxy)) // nothing else is requested
	must.Do(t, os.Mkdir(shop.folder, 0o700))
	goMod, want := fmt.Sprintf("module example.com/shop\n\ngo %s\n", oldest), "example.com/shop\n"
	wanted := slices.Concat(older, []module.Version{packedWebhook})
	module.Sort(wanted)
	for _, m := range wanted {
		goMod += fmt.Sprintf("\nrequire %s %s\n", m.Path, m.Version)
		want += fmt.Sprintf("%s %s\n", m.Path, m.Version)
	}
	writeFile(t, filepath.Join(shop.folder, "go.mod"), goMod)
	writeFile(t, filepath.Join(shop.folder, "shop.go"), fmt.Sprintf("package shop\n\nimport _ %q\n", packedWebhook.Path))
	shop.run(t, "go", "build", "./...")
	if got := shop.run(t, "go", "list", "-m", "all"); got != want {
		t.Errorf("go list -m all: got\n%swant\n%s", got, want)
	}
}

// repository is the root of this tree, relative to the tests.
const repository = ".."

// packInto writes a module of this tree to a module proxy, which is a folder. It packs
// the files that git knows, in their current form, like a published version.
func packInto(t *testing.T, proxy string, packed module.Version, root string) {
	t.Helper()
	var files []zip.File
	for name := range strings.SplitSeq(output(t, "git", "-C", root, "ls-files", "-z"), "\x00") {
		// A file that is deleted, but still known to git, is not published.
		if info, err := os.Lstat(filepath.Join(root, name)); name != "" && err == nil && info.Mode().IsRegular() {
			files = append(files, file{name, filepath.Join(root, name)})
		}
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, packed, files); err != nil {
		t.Fatalf("pack the tree: %v", err)
	}
	goMod := must.Get(os.ReadFile(filepath.Join(root, "go.mod")))(t)
	publish(t, proxy, packed, goMod, archive.Bytes())
}

// publish writes a version of a module to a module proxy, which is a folder. Without an
// archive, the module can be required, but not imported.
func publish(t *testing.T, proxy string, m module.Version, goMod, archive []byte) {
	t.Helper()
	folder := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	must.Do(t, os.MkdirAll(folder, 0o700))
	writeFile(t, filepath.Join(folder, "list"), m.Version+"\n")
	writeFile(t, filepath.Join(folder, m.Version+".info"), fmt.Sprintf("{\"Version\": %q, \"Time\": %q}", m.Version, time.Now().UTC().Format(time.RFC3339)))
	writeFile(t, filepath.Join(folder, m.Version+".mod"), string(goMod))
	if archive != nil {
		writeFile(t, filepath.Join(folder, m.Version+".zip"), string(archive))
	}
}

// required returns the version of each module that a go.mod file requires, and its Go
// version.
func required(t *testing.T, file string) (versions map[string]string, goVersion string) {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	parsed := must.Get(modfile.ParseLax(file, text, nil))(t)
	versions = map[string]string{}
	for _, r := range parsed.Require {
		versions[r.Mod.Path] = r.Mod.Version
	}
	return versions, parsed.Go.Version
}

// file is a file of the tree in the form that package zip requires.
type file struct{ name, at string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.at) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.at) }

// goEnvironment returns the current environment, changed so that Go gets this module only
// from the proxy. Dependencies come from the existing downloads, and from the network
// only if they are missing there.
func goEnvironment(t *testing.T, proxy, folder string) []string {
	t.Helper()
	known := strings.Split(strings.TrimSpace(output(t, "go", "env", "GOMODCACHE", "GOPROXY")), "\n")
	proxies := "file://" + filepath.ToSlash(proxy) + ",file://" + filepath.ToSlash(filepath.Join(known[0], "cache", "download")) + "," + known[1]
	return append(os.Environ(),
		"GOPROXY="+proxies, "GOSUMDB=off", "GONOSUMDB=*", "GONOPROXY=", "GOPRIVATE=", "GOWORK=off",
		// A separate module cache, so that no later test finds this version in it. Because of
		// -trimpath, Go can still reuse compiled packages.
		"GOMODCACHE="+filepath.Join(folder, "modules"), "GOFLAGS=-mod=mod -modcacherw -trimpath -buildvcs=false")
}

// place is a folder in which programs run, and their environment.
type place struct {
	folder      string
	environment []string
}

func (p *place) set(name, value string) { p.environment = append(p.environment, name+"="+value) }

func (p *place) run(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, arguments...)
	command.Dir, command.Env = p.folder, p.environment
	said, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, said)
	}
	return string(said)
}

// serves starts the fake as a program and requests its plans.
func serves(t *testing.T, program string) {
	t.Helper()
	ready := filepath.Join(t.TempDir(), "ready")
	command := exec.CommandContext(t.Context(), program, "--listen", "127.0.0.1:0", "--data-plane", "off", "--api-key", "k", "--ready-file", ready)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	must.Do(t, command.Start())
	defer func() {
		must.Report(t, command.Process.Signal(os.Interrupt))
		if err := command.Wait(); err != nil {
			t.Errorf("the end of the program: got %v, want no error\n%s", err, said.String())
		}
	}()
	var base []byte
	machine.Until(t, "the program is ready", func() (there bool) {
		var err error
		base, err = os.ReadFile(ready)
		return err == nil
	})
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSpace(string(base))+"/plans", nil))(t)
	request.Header.Set("Authorization", "Bearer k")
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("GET /plans: got %d, want 200", response.StatusCode)
	}
}

func output(t *testing.T, name string, arguments ...string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), name, arguments...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", name, strings.Join(arguments, " "), err)
	}
	return string(said)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}
