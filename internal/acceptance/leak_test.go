package acceptance

import (
	"archive/zip"
	"bytes"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// secretFeatures uses every feature with a secret. The values are ephemeral variables,
// because a plan would store any others.
const secretFeatures = appsInstanceWithRedis + `
variable "webhook_secret" {
  type      = string
  ephemeral = true
}
variable "token" {
  type      = string
  ephemeral = true
}
resource "hosting_app" "test" {
  instance_id           = hosting_instance.test.id
  name                  = "guestbook"
  repo                  = "octo/guestbook"
  deletion_protection   = false
  secret_env_wo         = { TOKEN = var.token }
  secret_env_wo_version = 1
}
resource "hosting_webhook_endpoint" "test" {
  url               = "https://hooks.example"
  secret_wo         = var.webhook_secret
  secret_wo_version = 1
}
ephemeral "hosting_connection" "test" {
  instance_id = hosting_instance.test.id
}
data "hosting_connection" "test" {
  instance_id = hosting_instance.test.id
}
`

const appsInstanceWithRedis = `
resource "hosting_instance" "test" {
  name                = "test"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}, apps = {}, auth = {}, redis = {} }
  deletion_protection = false
}
`

func TestSecretsReachNoFileAndNoLog(t *testing.T) {
	fake := startFake(t)
	w := newWorkspace(t, fake, secretFeatures)
	log := filepath.Join(w.folder, "trace.log")
	w.env = append(w.env, "TF_LOG=TRACE", "TF_LOG_PATH="+log,
		"TF_VAR_webhook_secret=canary-webhook-secret", "TF_VAR_token=canary-secret-variable")
	if r := w.run("plan", "-no-color", "-out=saved.plan"); r.exit != 0 {
		t.Fatalf("plan: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	applied := w.run("apply", "-no-color", "saved.plan")
	if applied.exit != 0 {
		t.Fatalf("apply: got exit %d, want 0:\n%s", applied.exit, applied.output)
	}
	// A second apply, with the connection's secrets in use.
	second := w.run("apply", "-auto-approve", "-no-color")
	show := w.run("show", "-json")
	planned := w.run("show", "-json", "saved.plan")
	secrets := map[string]string{
		"API key":         fakeservicetest.APIKey,
		"webhook secret":  "canary-webhook-secret",
		"secret variable": "canary-secret-variable",
	}
	for name, secret := range connectionSecrets(t, fake) {
		secrets[name] = secret
	}
	if len(secrets) != 8 {
		t.Fatalf("known secrets: got %d, want 8", len(secrets))
	}
	places := map[string]string{
		"state":           w.read("terraform.tfstate"),
		"plan file":       unzipped(t, filepath.Join(w.folder, "saved.plan")),
		"TRACE log":       w.read("trace.log"),
		"output":          applied.output + second.output,
		"show -json":      show.output,
		"show -json plan": planned.output,
	}
	for place, text := range places {
		if len(text) < 100 {
			t.Errorf("the %s: got %q, want at least 100 bytes", place, text)
		}
		for name, secret := range secrets {
			if strings.Contains(text, secret) {
				at := strings.Index(text, secret)
				t.Errorf("the %s holds the %s: …%s…", place, name, text[max(0, at-200):at+20])
			}
		}
	}
	// The control: the anon key is not secret, and the search must find it.
	if anon := connectionOf(t, fake).Engines.Auth.AnonKey; anon == "" || !strings.Contains(places["state"], anon) || !strings.Contains(places["show -json"], anon) {
		t.Error("the control, the auth anon key, was not found: the grep finds nothing")
	}
}

// connectionOf returns the connection record of the only instance.
func connectionOf(t *testing.T, fake *fakeservicetest.Server) client.Connection {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: fake.BaseURL, APIKey: fakeservicetest.APIKey})
	if err != nil {
		t.Fatal(err)
	}
	connection, err := c.Connection(t.Context(), onlyInstance(t, fake))
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

// connectionSecrets returns the secrets of the connection record: the passwords in its
// URLs, and the service key.
func connectionSecrets(t *testing.T, fake *fakeservicetest.Server) map[string]string {
	t.Helper()
	engines := connectionOf(t, fake).Engines
	secrets := map[string]string{"service key": engines.Auth.ServiceKey}
	for name, raw := range map[string]string{
		"owner password": engines.Postgres.OwnerURL, "read-only password": engines.Postgres.ReadOnlyURL, "redis password": engines.Redis.URL,
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		secrets[name], _ = u.User.Password()
	}
	// The signature must not leak either, even without the rest of the key.
	secrets["service key's signature"] = engines.Auth.ServiceKey[strings.LastIndex(engines.Auth.ServiceKey, ".")+1:]
	return secrets
}

// unzipped returns the text of all files of an archive, such as a saved plan.
func unzipped(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, entry := range archive.File {
		reader, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, reader); err != nil {
			t.Fatal(err)
		}
		reader.Close()
	}
	return all.String()
}
