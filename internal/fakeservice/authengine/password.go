package authengine

import (
	"fmt"
	"net/http"
	"net/mail"
	"strings"

	"golang.org/x/crypto/bcrypt"
)

const (
	passwordMin = 8
	// passwordMax is bcrypt's limit in bytes. The rest of a longer password would not
	// count.
	passwordMax = 72
	emailMax    = 254
)

// normalEmail returns the normalized spelling of an e-mail address, under which an account
// is stored.
func normalEmail(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || address.Name != "" || len(text) > emailMax {
		return "", &problem{http.StatusBadRequest, "email_address_invalid", "Unable to validate email address: invalid format"}
	}
	return text, nil
}

// newPassword checks and hashes a new password.
func (c *core) newPassword(password string) (string, error) {
	if len([]rune(password)) < passwordMin {
		return "", invalid("weak_password", fmt.Sprintf("Password should be at least %d characters.", passwordMin))
	}
	if len(password) > passwordMax {
		return "", invalid("validation_failed", fmt.Sprintf("Password cannot be longer than %d bytes.", passwordMax))
	}
	return c.hash(password)
}

func (c *core) hash(password string) (string, error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), c.engine.options.HashCost)
	return string(hash), err
}

func passwordFits(password, hash string) bool {
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
}
