package acceptance

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlanOfDroppingAnExtension(t *testing.T) {
	fake := seeded(t)
	extension := func(name string) string {
		return fmt.Sprintf("resource \"hosting_postgres_extension\" \"test\" {\n  instance_id = \"i-one\"\n  database = \"main\"\n  name = %q\n}\n", name)
	}
	w := newWorkspace(t, fake, extension("pgcrypto"))
	w.apply()
	changes := len(fake.Jobs())
	for _, c := range []struct {
		configuration string
		args          []string
		warnings      int
	}{
		{extension("pgcrypto"), []string{"plan"}, 0},
		{extension("pgcrypto"), []string{"plan", "-destroy"}, 1},
		{extension("pg_trgm"), []string{"plan"}, 1},
		{"", []string{"plan"}, 1},
	} {
		w.configure(c.configuration)
		r := w.run(append(c.args, "-no-color")...)
		told := strings.Count(r.output, "The plan drops extension pgcrypto from database main of instance i-one.")
		must(t, r.exit == 0 && told == c.warnings, "%v: got exit %d and %d warnings, want 0 and %d:\n%s", c.args, r.exit, told, c.warnings, r.output)
	}
	must(t, len(fake.Jobs()) == changes, "a plan has changed something")
}
