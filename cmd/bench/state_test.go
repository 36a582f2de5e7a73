package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sampleOfOne is a state with one row, by module, in the CLI's format.
const sampleOfOne = `{"version":4,"terraform_version":"1.11.4","serial":3,"lineage":"l","outputs":{},"resources":[` +
	`{"module":"module.stack[\"bench-00000\"]","mode":"managed","type":"hosting_allowlist","name":"this","provider":"p","instances":[` +
	`{"attributes":{"instance_id":"i-x7"},"dependencies":["module.stack.hosting_instance.this"],"private":"e30="}]},` +
	`{"module":"module.stack[\"bench-00000\"]","mode":"managed","type":"hosting_instance","name":"this","provider":"p","instances":[` +
	`{"attributes":{"id":"i-x7","name":"bench-00000","url":"https://i-x7.example/"}}]}` +
	`],"check_results":null}`

func TestStates(t *testing.T) {
	t.Parallel()
	sample, err := readState([]byte(sampleOfOne))
	if err != nil {
		t.Fatal(err)
	}
	id, err := sample.idOfFirst("hosting_instance", "this")
	if id != "i-x7" || err != nil {
		t.Fatalf("the id: got %q and error %v, want i-x7", id, err)
	}
	if _, err := sample.idOfFirst("hosting_app", "this"); err == nil {
		t.Error("the id of an app: got no error, want one")
	}
	spread, err := sample.spread(id, 2)
	if err != nil {
		t.Fatal(err)
	}
	root, err := spread.as(byCount)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.as(byForEach); err == nil {
		t.Error("a state without modules: got no error, want one")
	}
	const head, tail = `{"version":4,"terraform_version":"1.11.4","serial":3,"lineage":"l","outputs":{},"resources":[`, `],"check_results":null}`
	const allowlist, instance = `{"mode":"managed","type":"hosting_allowlist","name":"this","provider":"p","instances":[`, `{"mode":"managed","type":"hosting_instance","name":"this","provider":"p","instances":[`
	const allowlist0, allowlist1 = `{"attributes":{"instance_id":"i-bench-00000"},"dependencies":["hosting_instance.this"],"index_key":`, `{"attributes":{"instance_id":"i-bench-00001"},"dependencies":["hosting_instance.this"],"index_key":`
	const instance0 = `{"attributes":{"id":"i-bench-00000","name":"bench-00000","url":"https://i-bench-00000.example/"}`
	const instance1 = `{"attributes":{"id":"i-bench-00001","name":"bench-00001","url":"https://i-bench-00001.example/"}`
	const inside0, inside1 = `{"attributes":{"instance_id":"i-bench-00000"},"dependencies":["module.stack.hosting_instance.this"],"private":"e30="}`, `{"attributes":{"instance_id":"i-bench-00001"},"dependencies":["module.stack.hosting_instance.this"],"private":"e30="}`
	of0, of1 := `{"module":"module.stack[\"bench-00000\"]",`, `{"module":"module.stack[\"bench-00001\"]",`
	for to, want := range map[shape]string{
		byForEach: head + allowlist + allowlist0 + `"bench-00000","private":"e30="},` + allowlist1 + `"bench-00001","private":"e30="}]},` +
			instance + instance0 + `,"index_key":"bench-00000"},` + instance1 + `,"index_key":"bench-00001"}]}` + tail,
		byCount: head + allowlist + allowlist0 + `0,"private":"e30="},` + allowlist1 + `1,"private":"e30="}]},` +
			instance + instance0 + `,"index_key":0},` + instance1 + `,"index_key":1}]}` + tail,
		byModule: head + of0 + allowlist[1:] + inside0 + `]},` + of0 + instance[1:] + instance0 + `}]},` +
			of1 + allowlist[1:] + inside1 + `]},` + of1 + instance[1:] + instance1 + `}]}` + tail,
	} {
		shaped, err := spread.as(to)
		if err != nil {
			t.Fatal(err)
		}
		got, err := shaped.text()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", to, err, diff)
		}
	}
}
