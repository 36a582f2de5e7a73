package main

import (
	"context"
	"fmt"
	"os"

	"github.com/instance-hosting/terraform-provider-hosting/internal/progress"
)

// checkProgress returns an error unless jobs and builds have ended in a file that the
// provider has written, and none has failed.
func checkProgress(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	ended := 0
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
		return err
	case len(failed) > 0:
		return fmt.Errorf("the provider reports failures: %q", failed)
	case ended == 0:
		return fmt.Errorf("%s has no job that ended", path)
	}
	return nil
}
