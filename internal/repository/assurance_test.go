package repository

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestEveryPromiseHasEvidence fails on a promise of README.md without evidence, and on
// missing evidence.
func TestEveryPromiseHasEvidence(t *testing.T) {
	report, wrong := Assure(os.DirFS(root))
	for _, err := range wrong {
		t.Error(err)
	}
	if !strings.Contains(report, "internal/simulation/checks_test.go:") {
		t.Errorf("the report: got\n%s\nwant the place of the evidence in it", report)
	}
}

func TestAssuranceFindsWhatIsWrong(t *testing.T) {
	const promise, evidence = "- **It holds.** Always.\n", "## It holds\n\n- test [TestIt](it_test.go)\n"
	for _, row := range []struct{ promises, page, want string }{
		{promise, evidence, ""},
		{promise, "## It holds\n", `nothing holds the promise "It holds"`},
		{promise, "", `nothing holds the promise "It holds"`},
		{"- **It holds**, always.\n", evidence, ""},
		{"- It holds.\n", evidence, "this promise has no name in bold"},
		{"", evidence, `README.md does not promise "It holds"`},
		{promise, strings.ReplaceAll(evidence, "TestIt", "TestThat"), "it_test.go has no test TestThat"},
		{promise, strings.ReplaceAll(evidence, "it_test", "that_test"), "that_test.go"},
		{promise, strings.ReplaceAll(evidence, "TestIt", "TestI"), "it_test.go has no test TestI"},
		{promise, strings.ReplaceAll(evidence, "test [", "hope ["), "is not evidence of a promise"},
		{promise, "## It holds\n\n- fault row [7](it_test.go)\n", ""},
		{promise, "## It holds\n\n- fault row [8](it_test.go)\n", "it_test.go has no fault row 8"},
		{promise, "## It holds\n\n- simulation check [one machine, (1)](it_test.go)\n", ""},
		{promise, "## It holds\n\n- planted bug [that](it.patch)\n", "is not it.patch"},
	} {
		_, wrong := Assure(fstest.MapFS{
			"README.md":    {Data: []byte("# It\n\n## What it promises\n\n" + row.promises + "\n## More\n\n- else\n")},
			"ASSURANCE.md": {Data: []byte("# Assurance\n\n" + row.page)},
			"it_test.go":   {Data: []byte("package it\n\nfunc TestIt(t *testing.T) {}\n\nvar rows = []row{\n\t{7, \"it\"},\n}\n\nconst it check = \"one machine, (1)\"\n")},
			"it.patch":     {Data: []byte("# It.\n")},
		})
		if got := fmt.Sprint(wrong); (row.want == "") != (len(wrong) == 0) || !strings.Contains(got, row.want) {
			t.Errorf("%q with %q: got %s, want %q", row.promises, row.page, got, row.want)
		}
	}
}
