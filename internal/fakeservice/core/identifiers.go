package core

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// newID makes an opaque identifier. The prefix names the kind of record.
func newID(prefix string) string {
	return prefix + "-" + randomText(12)
}

// newSecret makes a password or a signing secret.
func newSecret() string { return randomText(40) }

// randomText returns n random lower-case letters and digits, which need no escaping in a
// URL, a host name or a shell.
func randomText(n int) string {
	random := make([]byte, (n*5+7)/8)
	// crypto/rand never fails: it ends the program instead.
	_, _ = rand.Read(random)
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random)
	return strings.ToLower(text[:n])
}
