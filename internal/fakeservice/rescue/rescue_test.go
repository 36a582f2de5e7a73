package rescue

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestRescue(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	err := func() (err error) {
		defer Error(log, "work", &err)
		panic("oh")
	}()
	if err == nil || err.Error() != "work: a mistake in the fake service: oh" {
		t.Errorf("the error: got %v, want a mistake in the fake service: oh", err)
	}
	func() {
		defer Log(log, "a timer")
		panic("no")
	}()
	for _, want := range []string{"in=work panic=oh", `in="a timer" panic=no`, "rescue_test.go"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the log: got\n%s\nwant %q in it", said.String(), want)
		}
	}
	if err := func() (err error) { defer Error(log, "work", &err); return nil }(); err != nil {
		t.Errorf("Error without a panic: got %v, want nil", err)
	}
}
