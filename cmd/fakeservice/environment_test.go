package main

import (
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Every flag can be set by its environment variable. The command line decides if it sets
// the flag too.
func TestEnvironment(t *testing.T) {
	t.Setenv("FAKESERVICE_API_KEY", "from the environment")
	t.Setenv("FAKESERVICE_SPEED", "60")
	t.Setenv("FAKESERVICE_NAME", "One.example,two.example")
	t.Setenv("FAKESERVICE_REPO", "acme/web=/srv/web,acme/api=/srv/api")
	t.Setenv("FAKESERVICE_WEBHOOK_LOOPBACK", "true")
	t.Setenv("FAKESERVICE_PORTS", "20000-20100")
	t.Setenv("FAKESERVICE_ADVERTISE_HOST", "fake.example")
	t.Setenv("FAKESERVICE_WEATHER", "")
	s := must.Get(parse([]string{"--speed", "7"}, io.Discard))(t)
	if s.key != "from the environment" || s.speed != 7 || !s.webhooks.loopback || s.ports.Last != 20100 {
		t.Errorf("settings: got key %q, speed %v, loopback %t, ports %v, want \"from the environment\", 7, true and ports to 20100", s.key, s.speed, s.webhooks.loopback, s.ports)
	}
	if want := []string{"one.example", "two.example", "fake.example"}; !slices.Equal(s.names, want) {
		t.Errorf("names: got %q, want %q", s.names, want)
	}
	if s.repos["acme/web"] != "/srv/web" || s.repos["acme/api"] != "/srv/api" {
		t.Errorf("repositories: got %v, want /srv/web and /srv/api", s.repos)
	}
	if s, err := parse([]string{"--name", "three.example"}, io.Discard); err != nil || !slices.Equal(s.names, []string{"three.example", "fake.example"}) {
		t.Errorf("names with a flag: got %q and %v, want three.example and fake.example", s.names, err)
	}
}

// Each flag can be set by its environment variable, with the same effect as on the command
// line. --version, which only prints, cannot.
func TestEnvironmentOfEachFlag(t *testing.T) {
	values := map[string]string{
		"advertise-host": "fake.example", "allow-remote": "true", "api-key": "a-key", "control-token": "a-token", "couchdb-modules": "/modules",
		"data-plane": "off", "go-caches": "false", "listen": "127.0.0.1:0", "log-format": "json", "log-level": "debug", "name": "one.example",
		"portal-password": "a-password", "ports": "20000-20100", "postgres-bin": "/postgres", "ready-file": "/ready", "repo": "acme/web=/srv/web",
		"requests-kept": "7", "seed": "7", "setup": "/setup.json", "snapshot-limit": "7", "speed": "60", "state": "/state", "temp-dir": "/temp",
		"version": "1.2.3", "weather": "storm", "webhook-ca": "/ca.pem", "webhook-loopback": "true",
	}
	// with has the flags that a flag needs; each weather has a seed, which is drawn otherwise.
	with := map[string][]string{"ports": {"--advertise-host", "fake.example"}, "seed": {"--weather", "storm"}}
	set := func(t *testing.T, args ...string) settings {
		t.Helper()
		return must.Get(parse(args, io.Discard))(t)
	}
	var help strings.Builder
	_, _ = parse([]string{"--help"}, &help) // the error is flag.ErrHelp
	names := regexp.MustCompile(`(?m)^  --([\w-]+)`).FindAllStringSubmatch(help.String(), -1)
	if len(names) != len(values) {
		t.Errorf("values in the test: got %d, want one of each of %d flags", len(values), len(names))
	}
	for _, match := range names {
		name := match[1]
		t.Run(name, func(t *testing.T) {
			value, ok := values[name]
			if !ok {
				t.Fatal("add a value of this flag")
			}
			before := set(t, with[name]...)
			want := before
			if name != "version" {
				want = set(t, append(with[name], "--"+name+"="+value)...)
			}
			t.Setenv(variable(name), value)
			got := set(t, with[name]...)
			if name != "seed" {
				before.seed, want.seed, got.seed = 0, 0, 0
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the variable: got %+v, want %+v", got, want)
			}
			if name != "version" && reflect.DeepEqual(got, before) {
				t.Errorf("the value of the test: got the default %q, want another: this test shows nothing", value)
			}
		})
	}
}

func TestEnvironmentIsChecked(t *testing.T) {
	for name, value := range map[string]string{"FAKESERVICE_SPEED": "fast", "FAKESERVICE_REPO": "acme", "FAKESERVICE_GO_CACHES": "perhaps", "FAKESERVICE_NAME": "http://x"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if _, err := parse(nil, io.Discard); err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), value) {
				t.Errorf("got %v, want an error that begins with the variable's name and contains its value", err)
			}
		})
	}
}

// The help shows no value of the environment, which may be a secret.
func TestHelpShowsNoSecret(t *testing.T) {
	t.Setenv("FAKESERVICE_API_KEY", "the-secret-key")
	var said strings.Builder
	_, _ = parse([]string{"--help"}, &said) // the error is flag.ErrHelp
	if strings.Contains(said.String(), "the-secret-key") || !strings.Contains(said.String(), "FAKESERVICE_API_KEY") {
		t.Errorf("help: got %s, want the variable's name without its value", said.String())
	}
}
