package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/verification"
)

// appName is the app's name in the module.
const appName = "guestbook"

// guestbook contains the module's outputs.
type guestbook struct {
	AppURL, AuthURL, AnonKey, InstanceID string
}

// readGuestbook reads the outputs: nothing about the guestbook is guessed.
func readGuestbook(text []byte) (guestbook, error) {
	var outputs map[string]struct {
		Value any `json:"value"`
	}
	if err := json.Unmarshal(text, &outputs); err != nil {
		return guestbook{}, err
	}
	var read guestbook
	for name, into := range map[string]*string{
		"app_url": &read.AppURL, "auth_url": &read.AuthURL, "auth_anon_key": &read.AnonKey, "instance_id": &read.InstanceID,
	} {
		value, isText := outputs[name].Value.(string)
		if !isText || value == "" {
			return read, fmt.Errorf("the output %s is missing", name)
		}
		*into = value
	}
	return read, nil
}

// verify runs the verification and prints its results, line by line.
func verify(ctx context.Context, fake *fakeProcess, work *workspace, options options, screen *screen) (guestbook, error) {
	chromium := verification.FindChromium()
	way := "in Chromium"
	if chromium == "" {
		way = "over HTTP"
	}
	screen.begin(options.scaled(verifyService, verifyMachine), "Verify it %s, and through restarts", way)
	text, err := work.output(ctx, "output", "-json")
	if err != nil {
		return guestbook{}, fmt.Errorf("read the outputs: %w", err)
	}
	deployed, err := readGuestbook(text)
	if err != nil {
		return deployed, err
	}
	service, err := client.New(client.Options{BaseURL: fake.baseURL(), APIKey: fake.key})
	if err != nil {
		return deployed, err
	}
	pictures, err := filepath.Abs(options.artifacts)
	if err != nil {
		return deployed, err
	}
	checks := 0
	check := verification.Guestbook{
		AppURL: deployed.AppURL, AuthURL: deployed.AuthURL, AnonKey: deployed.AnonKey,
		Service: service, InstanceID: deployed.InstanceID, App: appName,
		Processes: fake.process,
		Chromium:  chromium, Screenshots: pictures, Say: counted(&checks, screen),
	}
	if err := check.Verify(ctx); err != nil {
		// The app's log often says more, and is not shown elsewhere.
		log, _ := fake.appLog(context.WithoutCancel(ctx), deployed.InstanceID, appName)
		return deployed, fmt.Errorf("verify the guestbook: %w\nthe end of the app's log:\n%s", err, log)
	}
	screen.done("Verified %s: %d checks, through a redeploy and a kill -9", way, checks)
	if chromium != "" {
		screen.note("Pictures of it are in %s", options.artifacts)
	}
	return deployed, nil
}

// counted returns a function that counts the results of a verification. They are details.
func counted(checks *int, screen *screen) func(string, ...any) {
	return func(format string, arguments ...any) {
		*checks++
		screen.aside(format, arguments...)
	}
}
