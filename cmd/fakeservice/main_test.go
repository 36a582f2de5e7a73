package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestFlagsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--speed", "0"}, {"--speed", "-1"}, {"--speed", "NaN"}, {"--speed", "20000"}, {"--requests-kept", "0"},
		{"more"}, {"--nonsense"},
		{"--weather", "hail"}, {"--seed", "7"}, {"--weather", "storm", "--seed", "-1"}, {"--listen", "0.0.0.0:0"}, {"--data-plane", "maybe"},
		{"--ports", "20000-20100"}, {"--advertise-host", "fake.test", "--ports", "20100-20000"}, {"--advertise-host", "fake.test:80"}, {"--advertise-host", "http://x"}, {"--advertise-host", "::1"},
		{"--name", "http://x"}, {"--name", "fake.test:80"}, {"run"}, {"run", "--"}, {"run", "--", "/nowhere/command"}, {"--log-level", "verbose"}, {"--log-format", "xml"},
		{"--listen", ":0", "--postgres-bin", "/nowhere"}, {"--listen", ":0", "--temp-dir", "/nowhere"},
		{"--listen", ":0", "--webhook-ca", "/nowhere"}, {"--listen", ":0", "--webhook-ca", "main.go"},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("run(%q): got no error, want one", args)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"--version"}, &out, io.Discard); err != nil || out.String() != "fakeservice dev\n" {
		t.Errorf("--version: got %q and error %v, want fakeservice dev", out.String(), err)
	}
}

// The program prints its address, writes the ready file, answers, and ends without an error
// on a signal.
func TestRun(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	ready := filepath.Join(t.TempDir(), "ready")
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--listen", ":0", "--api-key", "k", "--portal-password", "p", "--ready-file", ready}, writer, io.Discard)
	}()
	out := bufio.NewReader(reader)
	first := must.Get(out.ReadString('\n'))(t)
	_, base, _ := strings.Cut(strings.TrimSpace(first), " at ")
	said := make(chan string, 1)
	go func() {
		greeting, _ := io.ReadAll(out)
		said <- string(greeting)
	}()

	request := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, base+"/plans", nil))(t)
	request.Header.Set("Authorization", "Bearer k")
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("GET /plans: got %d, want 200", response.StatusCode)
	}
	// The redirect is not followed: the test checks the answer that sets the cookie.
	direct := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	signIn, err := direct.PostForm(strings.TrimSuffix(base, "/api/v1")+"/portal/sign-in",
		url.Values{"email": {"customer@example.com"}, "password": {"p"}})
	must.Do(t, err)
	signIn.Body.Close()
	if signIn.StatusCode != http.StatusSeeOther || len(signIn.Cookies()) != 1 {
		t.Errorf("the sign-in at the portal: got %d and %d cookies, want 303 and one", signIn.StatusCode, len(signIn.Cookies()))
	}
	text, err := os.ReadFile(ready)
	if err != nil || strings.TrimSpace(string(text)) != base {
		t.Errorf("the ready file: got %q, %v, want %q", text, err, base)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: got error %v, want none", err)
	}
	writer.Close()
	if greeting := <-said; !strings.Contains(greeting, "/portal\n\n  sign in as customer@example.com with the password p\n") {
		t.Errorf("the greeting: got\n%s\nwant the address, user and password of the portal", greeting)
	}
	if _, err := os.Stat(ready); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the ready file after the end: got error %v, want %v", err, fs.ErrNotExist)
	}
}

// The ready file of an earlier run has another address. It is gone before the fake starts,
// and stays away if that fails.
func TestReadyFileOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	must.Do(t, os.WriteFile(ready, []byte("http://127.0.0.1:1/api/v1"), 0o600))
	if err := run(t.Context(), []string{"--listen", ":0", "--setup", "/nowhere", "--ready-file", ready}, io.Discard, io.Discard); err == nil {
		t.Error("the start: got no error, want one")
	}
	if _, err := os.Stat(ready); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the ready file: got error %v, want %v", err, fs.ErrNotExist)
	}
}

// Help is what the caller has asked for, so it is on standard output. Flags have two
// dashes, as everywhere in the documentation.
func TestHelp(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	if err := run(t.Context(), []string{"--help"}, &out, &errs); !errors.Is(err, flag.ErrHelp) || errs.Len() > 0 {
		t.Errorf("--help: got error %v and %q on standard error, want %v alone", err, errs.String(), flag.ErrHelp)
	}
	for _, want := range []string{"\n  --speed ", "\n  fakeservice run --speed 600 --data-plane off -- terraform test\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("--help: got %s, want %q", out.String(), want)
		}
	}
	if strings.Contains(out.String(), "\n  -speed") {
		t.Errorf("--help: got %s, want no flag with one dash", out.String())
	}
}

// The weather of the flags applies to the requests: a seed that begins with a gateway's
// page produces one for the first request. Only the API has weather.
func TestWeather(t *testing.T) {
	t.Parallel()
	seed := uint64(1)
	for ; ; seed++ {
		if kind, _, strikes := weather.Storm.At(seed, 1, http.MethodGet); strikes && kind == weather.BadGateway {
			break
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--listen", ":0", "--data-plane", "off", "--control-token", "t", "--weather", "storm", "--seed", strconv.FormatUint(seed, 10)}, writer, io.Discard)
		_ = writer.Close()
		ended <- err
	}()
	out := bufio.NewReader(reader)
	first := must.Get(out.ReadString('\n'))(t)
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(out)
		rest <- string(text)
	}()
	_, base, _ := strings.Cut(strings.TrimSpace(first), " at ")
	for path, want := range map[string]int{base + "/plans": http.StatusBadGateway, strings.TrimSuffix(base, "/api/v1") + "/_fake/state": http.StatusOK} {
		request := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, path, nil))(t)
		request.Header.Set("Authorization", "Bearer t")
		response, err := http.DefaultClient.Do(request)
		must.Do(t, err)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("GET %s: got %d, want %d", path, response.StatusCode, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("run: got error %v, want none", err)
	}
	if said := <-rest; !strings.Contains(said, "--weather storm --seed "+strconv.FormatUint(seed, 10)) {
		t.Errorf("the output: got\n%s\nwant the flags that repeat the weather", said)
	}
}
