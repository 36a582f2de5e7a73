package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// connection is the part of the connection record that the demo reads.
type connection struct {
	CACertificate string `json:"ca_certificate"`
	Engines       struct {
		Postgres struct {
			OwnerURL string `json:"owner_url"`
		} `json:"postgres"`
	} `json:"engines"`
}

// writePsql writes a program that opens the database, and the files that it needs. Its
// name is shorter than the address of the database, and only a file has the password.
func writePsql(ctx context.Context, fake *fakeProcess, work *workspace, deployed guestbook) error {
	var record connection
	if err := fake.get(ctx, "/api/v1/instances/"+deployed.InstanceID+"/connection", &record); err != nil {
		return fmt.Errorf("read the connection record: %w", err)
	}
	certificate, passwords := filepath.Join(work.folder, "box-ca.pem"), filepath.Join(work.folder, "pgpass")
	command, password, err := psql(record.Engines.Postgres.OwnerURL, certificate, passwords)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{certificate: record.CACertificate, passwords: password} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(work.psqlFile, []byte("#!/bin/sh\nexec "+command+" \"$@\"\n"), 0o700) //nolint:gosec // it is run
}

// psql returns the command that connects as the owner, and the line of the password file
// that it names.
func psql(ownerURL, certificate, passwordFile string) (command, password string, err error) {
	owner, err := url.Parse(ownerURL)
	if err != nil || owner.User == nil {
		// The parser's own error would show the password.
		return "", "", errors.New("the owner's URL is not valid")
	}
	secret, _ := owner.User.Password()
	database := strings.TrimPrefix(owner.Path, "/")
	var fields []string
	for _, field := range []string{owner.Hostname(), owner.Port(), database, owner.User.Username(), secret} {
		fields = append(fields, passwordField.Replace(field))
	}
	owner.User = url.User(owner.User.Username())
	owner.RawQuery = fmt.Sprintf("sslmode=verify-full&sslrootcert=%s&passfile=%s", inQuery(certificate), inQuery(passwordFile))
	return "psql " + quoted(owner.String()), strings.Join(fields, ":") + "\n", nil
}

// passwordField escapes the characters that separate the fields of a password file.
var passwordField = strings.NewReplacer(`\`, `\\`, `:`, `\:`)

// inQuery escapes a path in a query for libpq, which does not read a plus as a space. The
// slashes stay readable.
func inQuery(path string) string {
	return strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(path), "+", "%20"), "%2F", "/")
}
