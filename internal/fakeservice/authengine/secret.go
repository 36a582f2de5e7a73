package authengine

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/big"
)

// newToken returns a random text, and the hash of it that is stored.
func newToken() (token string, hash []byte) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails
	token = base64.RawURLEncoding.EncodeToString(random[:])
	return token, hashToken(token)
}

func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// newCode creates a code of six digits, which a person copies from a mail.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic(err) // the system's source of randomness never fails
	}
	return fmt.Sprintf("%06d", n)
}

// hashCode returns the stored form of a code that was sent to an address. A code is short,
// so its hash includes the signing key, which is not in the database. Without the key, the
// hash is useless.
func hashCode(s *Settings, email, code string) []byte {
	mac := hmac.New(sha256.New, []byte(s.SigningKey))
	fmt.Fprintf(mac, "one-time code\x00%s\x00%s", email, code)
	return mac.Sum(nil)
}
