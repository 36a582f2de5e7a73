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
	// passwordMax is what bcrypt takes. A longer password would only seem to
	// be as strong as it is long.
	passwordMax = 72
	emailMax    = 254
)

// normalEmail gives the one spelling of an e-mail address under which an account is
// kept.
func normalEmail(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text || address.Name != "" || len(text) > emailMax {
		return "", &problem{http.StatusBadRequest, "email_address_invalid", "Unable to validate email address: invalid format"}
	}
	return text, nil
}

// newPassword checks a password that somebody chooses, and hashes it.
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
