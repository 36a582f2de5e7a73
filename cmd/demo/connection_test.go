package main

import "testing"

func TestPsql(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ url, command, password string }{
		"as it comes": {
			url:      "postgresql://owner:secret@127.1.2.3:5432/main?sslmode=require",
			command:  `psql 'postgresql://owner@127.1.2.3:5432/main?sslmode=verify-full&sslrootcert=/a%20b%2B/ca.pem&passfile=/a%20b%2B/pgpass'`,
			password: "127.1.2.3:5432:main:owner:secret\n",
		},
		"a password of all signs": {
			url:      "postgresql://owner:p%40ss%3A%5C%27@127.1.2.3:5432/main",
			command:  `psql 'postgresql://owner@127.1.2.3:5432/main?sslmode=verify-full&sslrootcert=/a%20b%2B/ca.pem&passfile=/a%20b%2B/pgpass'`,
			password: `127.1.2.3:5432:main:owner:p@ss\:\\'` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command, password, err := psql(test.url, "/a b+/ca.pem", "/a b+/pgpass")
			if command != test.command || password != test.password || err != nil {
				t.Errorf("got %s and %q, %v, want %s and %q", command, password, err, test.command, test.password)
			}
		})
	}
	if command, _, err := psql("http://no-user", "/ca.pem", "/pgpass"); err == nil {
		t.Errorf("a URL without a user: got %s, want an error", command)
	}
}
