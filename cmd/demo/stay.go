package main

import (
	"context"
	"fmt"
	"strings"
)

// fakeAccount is the initial account's e-mail address in a fake.
const fakeAccount = "customer@example.com"

// stayUp waits for Ctrl-C, or for the fake to end by itself. The last line shows changes
// that the user makes in the meantime.
func stayUp(ctx context.Context, fake *fakeProcess, work *workspace, deployed guestbook, screen *screen) error {
	psql, err := psqlCommand(ctx, fake, work, deployed)
	if err != nil {
		return err
	}
	screen.say("%s", lookAround(fake, work, deployed, psql))
	select {
	case <-ctx.Done():
		return nil
	case <-fake.ended:
		return fmt.Errorf("the fake service ended by itself, and this is the end of its log:\n%s", fake.log)
	}
}

// lookAround lists things to look at, each with a line to copy.
func lookAround(fake *fakeProcess, work *workspace, deployed guestbook, psql string) string {
	return strings.Join([]string{
		"It stays up for a look around, until Ctrl-C, which stops it all and leaves nothing.",
		"",
		"The guestbook:  " + deployed.AppURL,
		"The portal:     " + fake.origin + "/portal",
		"                as " + fakeAccount + " with the password " + fake.password,
		"Its database:   " + psql,
		"Its records:    curl -H 'Authorization: Bearer " + fake.token + "' " + fake.origin + "/_fake/state",
		"                and the same with /_fake/requests and /_fake/jobs",
		"To change it:   . " + quoted(work.environmentFile) + " && cd " + quoted(work.module),
		"                and, with a change of main.tf, " + quoted(work.cli) + " apply",
		"",
	}, "\n")
}
