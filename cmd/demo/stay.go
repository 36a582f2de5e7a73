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
	if err := writePsql(ctx, fake, work, deployed); err != nil {
		return err
	}
	screen.say("%s", lookAround(fake, work, deployed, screen))
	select {
	case <-ctx.Done():
		return nil
	case <-fake.ended:
		return fmt.Errorf("the fake service ended by itself, and this is the end of its log:\n%s", fake.log)
	}
}

// lookAround lists things to look at, each with lines to copy. A line fits 80 columns
// unless a path is long.
func lookAround(fake *fakeProcess, work *workspace, deployed guestbook, screen *screen) string {
	address := screen.style.Address
	return strings.Join([]string{
		"It stays up until Ctrl-C, which stops everything and leaves nothing.",
		"",
		"The guestbook:  " + address(deployed.AppURL),
		"The portal:     " + address(fake.origin+"/portal"),
		"                as " + fakeAccount + ", password " + fake.password,
		"Its database:   " + quoted(work.psqlFile),
		"The progress:   go run ./cmd/progress " + quoted(work.progressFile),
		"Its records:    curl -H 'Authorization: Bearer " + fake.token + "' \\",
		"                " + fake.origin + "/_fake/state",
		"                and the same with /_fake/requests and /_fake/jobs",
		"To change it:   . " + quoted(work.environmentFile),
		"                cd " + quoted(work.module),
		"                " + quoted(work.cli) + " apply",
		"",
		screen.style.Strong("Next:") + " edit main.tf in that folder and apply. Then use the fake for your own",
		"modules: `make fake`, and the guide docs/guides/first-app.md.",
		"",
	}, "\n")
}

// nextStep is the end of a demo without a terminal.
func nextStep(screen *screen) string {
	return screen.style.Strong("Next:") + " `make demo` on a terminal stays up for a look around. `make fake` runs\n" +
		"the fake for your own modules; the guide is docs/guides/first-app.md."
}
