//go:build linux

package dataplane_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

const couchKillFolder = "DATAPLANE_COUCHDB_FOLDER"

// TestPlaneWithCouchDBThatIsKilled is the program that TestCouchDBSurvivesAKill runs and
// kills. By itself it does nothing.
func TestPlaneWithCouchDBThatIsKilled(t *testing.T) {
	folder := os.Getenv(couchKillFolder)
	if folder == "" {
		return
	}
	r := newRecords(t)
	p := r.open(folder)
	r.machine("i-1", core.EngineCouchDB)
	must.Do(t, p.Apply(t.Context(), "i-1"))
	r.couch(p, "i-1").put("v")
	fmt.Println("answered")
	select {} // until it is killed
}

// A document that was answered survives when the fake is killed, with CouchDB.
func TestCouchDBSurvivesAKill(t *testing.T) {
	t.Parallel()
	needsCouchDB(t)
	folder := keptFolder(t)
	child := exec.Command(os.Args[0], "-test.run=^TestPlaneWithCouchDBThatIsKilled$")
	// The test removes the child's temporary files, because a killed child cannot.
	child.Env = append(os.Environ(), "TMPDIR="+diskFolder(t), couchKillFolder+"="+folder)
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	child.Stderr = os.Stderr
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	must.Do(t, child.Process.Kill())
	_ = child.Wait() // it was killed
	if err != nil || said != "answered\n" {
		t.Fatalf("the output of the program: got %q and error %v, want answered", said, err)
	}
	r := newRecords(t)
	r.machine("i-1", core.EngineCouchDB)
	p := r.open(folder)
	must.Do(t, p.Resume(t.Context(), []string{"i-1"}))
	r.couch(p, "i-1").has("v")
}
