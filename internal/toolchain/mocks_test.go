package toolchain

import (
	"strings"
	"testing"
)

// The logic of a module can be tested without a service or a key: its resources and data
// sources are mocked and overridden.
func TestMocks(t *testing.T) {
	t.Parallel()
	for folder, tests := range map[string]struct {
		files  []string
		passed string
	}{
		repository + "/examples/guestbook": {[]string{"mocked", "mocked_failure"}, "3 passed, 0 failed"},
		"testdata/shop":                    {[]string{"mocked"}, "1 passed, 0 failed"},
		// No validator refuses what a mock makes up for another resource.
		"testdata/references": {[]string{"mocked"}, "1 passed, 0 failed"},
	} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, folder)
			arguments := []string{"test", "-no-color"}
			for _, name := range tests.files {
				arguments = append(arguments, "-filter=tests/"+name+".tftest.hcl")
			}
			if output := w.run(arguments...); !strings.Contains(output, tests.passed) {
				t.Errorf("terraform test: got\n%s\nwant %q", output, tests.passed)
			}
		})
	}
}
