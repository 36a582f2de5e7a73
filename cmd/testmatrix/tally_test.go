package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// events are lines of go test -json, written as "action test output".
func events(lines ...string) string {
	var all strings.Builder
	for _, line := range lines {
		action, rest, _ := strings.Cut(line, " ")
		name, output, _ := strings.Cut(rest, " ")
		all.WriteString(`{"Action":"` + action + `","Package":"p"`)
		if name != "" {
			all.WriteString(`,"Test":"` + name + `"`)
		}
		if output != "" {
			all.WriteString(`,"Output":"` + output + `\n"`)
		}
		all.WriteString("}\n")
	}
	return all.String()
}

func TestReadTalliesTests(t *testing.T) {
	for name, c := range map[string]struct {
		events string
		want   tally
		good   bool
	}{
		"passed": {events("run TestA", "pass TestA", "pass"), tally{passed: 1}, true},
		"subtests count, and not what holds them": {
			events("run TestA", "run TestA/x", "run TestA/x/1", "run TestA/y", "pass TestA/x/1", "pass TestA/x", "pass TestA/y", "pass TestA", "pass"),
			tally{passed: 2}, true,
		},
		"a subtest that fails is one failure": {
			events("run TestA", "run TestA/x", "run TestA/y", "fail TestA/x", "pass TestA/y", "fail TestA", "fail"),
			tally{passed: 1, failed: 1}, false,
		},
		"a test that fails beside its subtests": {
			events("run TestA", "run TestA/x", "pass TestA/x", "fail TestA", "fail"),
			tally{passed: 1, failed: 1}, false,
		},
		"skipped by version": {
			events("run TestA", "pass TestA", "run TestB", "output TestB f.go:1: skipped by version: Terraform 1.11.4 has no actions", "skip TestB", "pass"),
			tally{passed: 1, skippedByVersion: 1}, true,
		},
		"skipped otherwise": {
			events("run TestA", "pass TestA", "run TestB", "output TestB f.go:1: there is no browser", "skip TestB", "pass"),
			tally{passed: 1, skippedOtherwise: 1}, false,
		},
		"cut off": {
			events("run TestA", "pass TestA", "run TestB", "fail"),
			tally{passed: 1, failed: 1}, false,
		},
		"did not build": {
			`{"ImportPath":"p","Action":"build-output","Output":"no such type\n"}` + "\n" + `{"ImportPath":"p","Action":"build-fail"}` + "\n" + events("fail"),
			tally{broken: true}, false,
		},
		"no tests": {events("pass"), tally{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(strings.NewReader(c.events), &bytes.Buffer{})
			if err != nil || got != c.want || got.good() != c.good {
				t.Errorf("read: got %+v, good %t, error %v, want %+v, good %t", got, got.good(), err, c.want, c.good)
			}
		})
	}
}

func TestReadPrintsWhatFails(t *testing.T) {
	var out bytes.Buffer
	_, err := read(strings.NewReader(events("run TestA", "output TestA fine", "pass TestA", "run TestB", "output TestB wrong", "fail TestB", "fail")), &out)
	if err != nil || out.String() != "wrong\n" {
		t.Errorf("the output: got %q and error %v, want \"wrong\"", out.String(), err)
	}
	if _, err := read(strings.NewReader("no JSON"), &out); err == nil {
		t.Error("read: got no error for text that is not JSON, want one")
	}
}

func TestParse(t *testing.T) {
	clis, err := parse([]string{"terraform-1.16=/new/terraform=/old/terraform", "tofu-1.11=/old/tofu=/old/tofu"})
	if err != nil || len(clis) != 2 || clis[0] != (cli{"terraform-1.16", "/new/terraform", "/old/terraform"}) {
		t.Fatalf("parse: got %+v and error %v, want two CLIs, the first terraform-1.16", clis, err)
	}
	for _, args := range [][]string{nil, {"terraform-1.11"}, {"terraform-1.11=/p"}, {"terraform-1.11=p=/p"}, {"pulumi-1=/p=/p"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse(%q): got no error, want one", args)
		}
	}
}

func TestEnvironment(t *testing.T) {
	got := strings.Join(environment([]string{"HOME=/h", "HOSTING_API_KEY=real", "TF_CLI_CONFIG_FILE=/rc"}, cli{"tofu-1.12", "/new", "/old"}), " ")
	want := "HOME=/h TF_ACC=1 CHECKPOINT_DISABLE=1 HOSTING_TEST_STRICT=1 TF_ACC_TERRAFORM_PATH=/new HOSTING_TEST_OLDEST_CLI=/old TF_ACC_PROVIDER_HOST=registry.opentofu.org"
	if got != want {
		t.Errorf("the environment: got %s\nwant %s", got, want)
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	printTable(&out, []row{{"terraform-1.11", tally{passed: 10, skippedByVersion: 2}, 61 * time.Second}, {"tofu-1.12", tally{broken: true}, time.Second}})
	want := `             CLI  tests  passed  failed  skipped by version  skipped otherwise  time
  terraform-1.11     12      10       0                   2                  0  1m1s
       tofu-1.12      0       0       0                   0                  0    1s  broken

A test is a test function or a subtest that has no subtests of its own.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
