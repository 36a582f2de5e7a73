package main

import (
	"io"
	"slices"
	"strings"
	"testing"
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
	s, err := parse([]string{"--speed", "7"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if s.key != "from the environment" || s.speed != 7 || !s.webhooks.loopback || s.ports.Last != 20100 {
		t.Errorf("settings: got key %q, speed %v, loopback %t, ports %v", s.key, s.speed, s.webhooks.loopback, s.ports)
	}
	if want := []string{"one.example", "two.example", "fake.example"}; !slices.Equal(s.names, want) {
		t.Errorf("names: got %q, want %q", s.names, want)
	}
	if s.repos["acme/web"] != "/srv/web" || s.repos["acme/api"] != "/srv/api" {
		t.Errorf("repositories: got %v", s.repos)
	}
	if s, err := parse([]string{"--name", "three.example"}, io.Discard); err != nil || !slices.Equal(s.names, []string{"three.example", "fake.example"}) {
		t.Errorf("names with a flag: got %q and %v", s.names, err)
	}
}

func TestEnvironmentIsChecked(t *testing.T) {
	for name, value := range map[string]string{"FAKESERVICE_SPEED": "fast", "FAKESERVICE_REPO": "acme", "FAKESERVICE_GO_CACHES": "perhaps"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			if _, err := parse(nil, io.Discard); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
				t.Errorf("got %v, want an error that begins with the variable's name", err)
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
		t.Errorf("help: got %s", said.String())
	}
}
