package main

import (
	"context"
	"fmt"
	"os"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

// countSteps returns the number of jobs and builds that have ended in a file that the
// provider has written. It returns an error if one failed, or if there are none.
func countSteps(ctx context.Context, path string) (ended int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var failed []string
	err = progress.Read(ctx, file, false, func(l progress.Line) {
		switch l.Status {
		case progress.StatusDone:
			ended++
		case progress.StatusFailed:
			failed = append(failed, l.Operation+" of "+l.ID)
		}
	})
	switch {
	case err != nil:
		return 0, err
	case len(failed) > 0:
		return 0, fmt.Errorf("the provider reports failures: %q", failed)
	case ended == 0:
		return 0, fmt.Errorf("%s has no job that ended", path)
	}
	return ended, nil
}
