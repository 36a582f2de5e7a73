package couchdb

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/enginelock"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestVersionOf(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]int{"v20.20.2\n": 20, "v18.0.0\n": 18, "v16.20.2\n": 0, "something else": 0} {
		got, err := versionOf("/bin/node", said)
		missing := (*MissingError)(nil)
		if got != want || errors.As(err, &missing) != (want == 0) {
			t.Errorf("versionOf(%q): got %d and error %v, want %d", said, got, err, want)
		}
		if want == 0 && !strings.Contains(err.Error(), "make couchdb") {
			t.Errorf("versionOf(%q): got error %v, want one with make couchdb", said, err)
		}
	}
}

// Without the npm packages, Locate says where it looked and what to do.
func TestLocateWithoutPackages(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	_, err := Locate(t.Context(), folder)
	if missing := (*MissingError)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), "--couchdb-modules") {
		t.Errorf("Locate: got error %v, want a MissingError with --couchdb-modules", err)
	}
}

// A folder that is opened again has its data, and so has a restored backup.
func TestFolderIsOpenedAgain(t *testing.T) {
	t.Parallel()
	parent := machine.PassableFolder(t, "")
	o, roots := options(t, filepath.Join(parent, strings.Repeat("long ", 30)))
	o.Run = filepath.Join(parent, "run")
	s := must.Get(Open(t.Context(), o))(t)
	customerOf(t, s, roots).write("v")
	if size, err := s.Backup(t.Context(), filepath.Join(parent, "backup")); err != nil || size == 0 {
		t.Fatalf("the backup: got %d bytes and error %v, want more than 0", size, err)
	}
	customerOf(t, s, roots).value("v")
	must.Do(t, s.Close())
	if _, err := os.Stat(o.Run); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the sockets after Close: got error %v, want that it does not exist", err)
	}
	if _, err := s.Backup(t.Context(), filepath.Join(parent, "late")); !errors.Is(err, enginelock.ErrClosed) {
		t.Errorf("the backup of a closed server: got error %v, want %v", err, enginelock.ErrClosed)
	}
	again := must.Get(Open(t.Context(), o))(t)
	c := customerOf(t, again, roots)
	c.value("v")
	for _, step := range []struct {
		what string
		do   func() error
		want string
	}{
		{"reset", func() error { return again.Reset(t.Context()) }, ""},
		{"restore", func() error { return again.Restore(t.Context(), filepath.Join(parent, "backup")) }, "v"},
		{"restart", func() error { return again.Restart(t.Context()) }, "v"},
		{"restore of nothing", func() error {
			if again.Restore(t.Context(), filepath.Join(parent, "nothing")) == nil {
				return errors.New("it succeeds")
			}
			return nil
		}, "v"},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		c.value(step.want)
	}
	must.Do(t, again.Remove())
	if _, err := os.Stat(o.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder after Remove: got error %v, want that it does not exist", err)
	}
}

// A fake that is killed while it restores a backup leaves the old data next to the new.
func TestReplacementThatWasCutShort(t *testing.T) {
	t.Parallel()
	o, roots := options(t, filepath.Join(machine.PassableFolder(t, ""), "c"))
	s := must.Get(Open(t.Context(), o))(t)
	customerOf(t, s, roots).write("v")
	must.Do(t, errors.Join(s.Close(), os.Rename(s.data(), s.path("data.before")), s.account.MakeFolder(s.data())))
	again := must.Get(Open(t.Context(), o))(t)
	t.Cleanup(func() { again.Remove() })
	customerOf(t, again, roots).value("v")
}

// Answered writes survive when the server is killed. The next request waits until it runs
// again.
func TestKilledServerComesBack(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	killed := must.Get(os.FindProcess(c.server.PID()))(t)
	must.Do(t, killed.Kill())
	machine.Until(t, "another process", func() bool { return c.server.PID() != 0 && c.server.PID() != killed.Pid })
	c.value("v")
	if got := c.do("GET", "/db", "", http.StatusOK)["doc_count"]; got != 1.0 {
		t.Errorf("the documents: got %v, want 1", got)
	}
}

// Every path takes the user and the password, or the cookie that they are exchanged for.
func TestAccess(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	for who, user := range map[string]*url.Userinfo{
		"nobody": nil, "a wrong password": url.UserPassword(Customer, "Secret"), "no password": url.UserPassword(Customer, ""),
		"another user": url.UserPassword("root", "secret"), "a longer name": url.UserPassword(Customer+"x", "secret"),
	} {
		for _, path := range []string{"/", "/_up", "/_all_dbs", "/_session", "/db", "/db/doc", "/nothing"} {
			answer := c.as(user).ask("GET", path, "")
			answer.Body.Close()
			if answer.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(answer.Header.Get("WWW-Authenticate"), "Basic") {
				t.Errorf("%s at %s: got %d with WWW-Authenticate %q, want 401 with Basic", who, path, answer.StatusCode, answer.Header.Get("WWW-Authenticate"))
			}
		}
	}

	anonymous := c.as(nil)
	anonymous.do("POST", "/_session", `{"name":"admin","password":"wrong"}`, http.StatusUnauthorized)
	anonymous.do("POST", "/_session", `{"name":`, http.StatusUnauthorized)
	answer := anonymous.ask("POST", "/_session", `{"name":"admin","password":"secret"}`)
	answer.Body.Close()
	cookies := answer.Cookies()
	if answer.StatusCode != http.StatusOK || len(cookies) != 1 || !cookies[0].Secure || !cookies[0].HttpOnly {
		t.Fatalf("the login: got %d with %v, want 200 with one secure cookie", answer.StatusCode, cookies)
	}
	with := func(value string) int {
		t.Helper()
		request := must.Get(http.NewRequestWithContext(t.Context(), "GET", anonymous.base.String()+"/db/doc", nil))(t)
		request.AddCookie(&http.Cookie{Name: cookies[0].Name, Value: value})
		answer, err := c.client.Do(request)
		must.Do(t, err)
		answer.Body.Close()
		return answer.StatusCode
	}
	until, signature, _ := strings.Cut(cookies[0].Value, ".")
	for value, want := range map[string]int{
		cookies[0].Value: http.StatusOK, "": http.StatusUnauthorized, ".": http.StatusUnauthorized, until + ".": http.StatusUnauthorized,
		"9" + until + "." + signature: http.StatusUnauthorized, newAccess("secret").sign(""): http.StatusUnauthorized,
		"." + newAccess("secret").sign(""): http.StatusUnauthorized, "1." + newAccess("secret").sign("1"): http.StatusUnauthorized,
	} {
		if got := with(value); got != want {
			t.Errorf("the cookie %q: got %d, want %d", value, got, want)
		}
	}

	wanted := c.server.settings
	wanted.Password = "other"
	must.Do(t, c.server.Configure(t.Context(), wanted))
	if got := with(cookies[0].Value); got != http.StatusUnauthorized {
		t.Errorf("a cookie of the old password: got %d, want 401", got)
	}
	c.do("GET", "/db/doc", "", http.StatusUnauthorized)
	c.as(url.UserPassword(Customer, "other")).value("v")
}

// A new password ends what came in with the old one, without a restart of the server.
func TestNewPasswordEndsFeeds(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	c.client.Timeout = 0
	feed := c.ask("GET", "/db/_changes?feed=continuous&heartbeat=10000", "")
	defer feed.Body.Close()
	lines := bufio.NewReader(feed.Body)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"doc"`) {
		t.Fatalf("the feed: got %q, %v, want the document", line, err)
	}
	before, wanted := c.server.PID(), c.server.settings
	wanted.Password = "other"
	must.Do(t, c.server.Configure(t.Context(), wanted))
	if text, err := io.ReadAll(lines); err == nil {
		t.Errorf("the end of the feed: got no error after %q, want one", text)
	}
	if now := c.server.PID(); now != before {
		t.Errorf("the process: got %d, want %d", now, before)
	}
}

// A change of the memory restarts the server with the new limit.
func TestMemory(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	before, wanted := c.server.PID(), c.server.settings
	wanted.MemoryMB = 300
	must.Do(t, c.server.Configure(t.Context(), wanted))
	if now := c.server.PID(); now == before || now == 0 {
		t.Errorf("the process: got %d, want one other than 0 and %d", now, before)
	}
	c.value("v")
	found := processes.With(t, c.server.script())
	if len(found) == 0 {
		t.Error("no process runs the server's program")
	}
	for _, p := range found {
		if !strings.Contains(p.Arguments, "--max-old-space-size=300") {
			t.Errorf("the arguments of a process: got %s, want the new limit --max-old-space-size=300", p.Arguments)
		}
	}
}

// Clients hear of each change of the set of databases once, and of refused changes nothing.
func TestDatabases(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	told := map[Event]int{}
	c := open(t, func(o *Options) {
		o.Notify = func(e Event) {
			mu.Lock()
			defer mu.Unlock()
			told[e]++
		}
	})
	names := []string{"a", "b$(c)+d-e_f"}
	for _, name := range names {
		c.do("PUT", "/"+name, "", http.StatusCreated)
		c.do("PUT", "/"+name, "", http.StatusPreconditionFailed)
	}
	for _, name := range []string{"A", "1", "_x", "a%2Fb", "..", "a-mrview-b", "a%00"} {
		answer := c.ask("PUT", "/"+name, "")
		answer.Body.Close()
		if answer.StatusCode < 400 || answer.StatusCode >= 500 {
			t.Errorf("PUT %s: got %d, want a refusal", name, answer.StatusCode)
		}
	}
	c.do("PUT", "/a/doc", `{}`, http.StatusCreated)
	c.do("DELETE", "/a", "", http.StatusOK)
	c.do("DELETE", "/a", "", http.StatusNotFound)
	c.do("GET", "/a", "", http.StatusNotFound)

	// Of those who create one at the same time, one succeeds.
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if _, err := c.status("PUT", "/race/", ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()

	mu.Lock()
	defer mu.Unlock()
	want := map[Event]int{
		{DatabaseCreated, names[0]}: 1, {DatabaseCreated, names[1]}: 1, {DatabaseDeleted, names[0]}: 1, {DatabaseCreated, "race"}: 1,
	}
	if !maps.Equal(told, want) {
		t.Errorf("the events: got %v, want %v", told, want)
	}
}

// Requests wait while the server is stopped on purpose, so that none fails and none is lost.
func TestRequestsWait(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.do("PUT", "/db", "", http.StatusCreated)
	stopped, stop := context.WithCancel(t.Context())
	var written atomic.Int64
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for stopped.Err() == nil {
				status, err := c.status("POST", "/db", `{"some":"text"}`)
				if err != nil || status != http.StatusCreated {
					t.Errorf("a write: got %d, %v, want 201", status, err)
				}
				written.Add(1)
			}
		})
	}
	for n := range 3 {
		if _, err := c.server.Backup(t.Context(), filepath.Join(t.TempDir(), strconv.Itoa(n))); err != nil {
			t.Error(err)
		}
		must.Report(t, c.server.Restart(t.Context()))
	}
	stop()
	writers.Wait()
	if got := c.do("GET", "/db", "", http.StatusOK)["doc_count"]; got != float64(written.Load()) {
		t.Errorf("the documents: got %v, want %d", got, written.Load())
	}
}

// A feed does not keep the server from stopping.
func TestRestartEndsFeeds(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.write("v")
	c.client.Timeout = 0
	for _, feed := range []string{"continuous&heartbeat=10000", "longpoll&since=now"} {
		answer := c.ask("GET", "/db/_changes?feed="+feed, "")
		must.Do(t, c.server.Restart(t.Context()))
		if text, err := io.ReadAll(answer.Body); err == nil {
			t.Errorf("the end of the feed %s: got no error after %q, want one", feed, text)
		}
		answer.Body.Close()
	}
	if !c.server.front.gate.passing.TryAcquire(everyRequest) {
		t.Error("a feed that has ended still passes")
	}
}

// The event of a database is sent even if the client did not wait for the answer.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	const databases = 20
	var told atomic.Int64
	c := open(t, func(o *Options) { o.Notify = func(Event) { told.Add(1) } })
	dialer := tls.Dialer{Config: c.client.Transport.(*http.Transport).TLSClientConfig}
	for n := range databases {
		request := must.Get(http.NewRequestWithContext(t.Context(), "PUT", c.base.String()+"/db-"+strconv.Itoa(n), nil))(t)
		request.SetBasicAuth(Customer, "secret")
		connection := must.Get(dialer.DialContext(t.Context(), "tcp", c.base.Host))(t)
		must.Do(t, errors.Join(request.Write(connection), connection.Close()))
	}
	machine.Until(t, "an event of each database", func() bool { return told.Load() == databases })
}

// A server that cannot start returns the reason, and leaves no process.
func TestServerThatCannotStart(t *testing.T) {
	t.Parallel()
	o, _ := options(t, filepath.Join(machine.PassableFolder(t, ""), "c"))
	o.Program.Node = "/bin/false"
	if _, err := Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), "ended before it was ready") {
		t.Errorf("Open with a program that ends: got error %v, want one with \"ended before it was ready\"", err)
	}
	o.Folder = filepath.Join(o.Folder, strings.Repeat("x", process.LongestSocket))
	if _, err := Open(context.Background(), o); err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Errorf("Open with a long folder: got error %v, want one with \"too long for a socket\"", err)
	}
}
