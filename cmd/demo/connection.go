package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// connection is what the demo reads of the connection record.
type connection struct {
	CACertificate string `json:"ca_certificate"`
	Engines       struct {
		Postgres struct {
			OwnerURL string `json:"owner_url"`
		} `json:"postgres"`
	} `json:"engines"`
}

// writeConnection writes what psql needs to a file that a shell can source, and
// returns its path. The password goes to the file alone, and not to the
// terminal.
func writeConnection(ctx context.Context, fake *fakeProcess, work *workspace, deployed guestbook) (string, error) {
	var record connection
	if err := fake.get(ctx, "/api/v1/instances/"+deployed.InstanceID+"/connection", &record); err != nil {
		return "", fmt.Errorf("read the connection record: %w", err)
	}
	folder := filepath.Dir(work.environmentFile)
	certificate := filepath.Join(folder, "box-ca.pem")
	variables, err := libpqVariables(record.Engines.Postgres.OwnerURL, certificate)
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "psql.env")
	for name, text := range map[string]string{certificate: record.CACertificate, file: shellExports(variables)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	return file, nil
}

// libpqVariables are those that every libpq program reads.
func libpqVariables(ownerURL, certificate string) ([]string, error) {
	owner, err := url.Parse(ownerURL)
	if err != nil || owner.User == nil {
		// The error itself would show the password.
		return nil, fmt.Errorf("the owner's URL is none")
	}
	password, _ := owner.User.Password()
	return []string{
		"PGHOST=" + owner.Hostname(), "PGPORT=" + owner.Port(),
		"PGUSER=" + owner.User.Username(), "PGPASSWORD=" + password,
		"PGDATABASE=" + strings.TrimPrefix(owner.Path, "/"),
		"PGSSLMODE=verify-full", "PGSSLROOTCERT=" + certificate,
	}, nil
}
