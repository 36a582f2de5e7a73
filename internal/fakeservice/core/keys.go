package core

import (
	"crypto/sha256"
	"crypto/subtle"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Key is an API key as it is kept: its text is shown once, when it is made, and only its
// sum is kept.
type Key struct {
	ID, Name string
	Sum      []byte
	// Beginning is how the text begins, by which its owner tells it from others.
	Beginning string
	CreatedAt time.Time
}

// KeyRecord is an API key as the portal shows it.
type KeyRecord struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Beginning string    `json:"beginning"`
	CreatedAt time.Time `json:"created_at"`
}

// NewKey is an API key that has just been made: the one time at which its text is shown.
type NewKey struct {
	KeyRecord
	Key string `json:"key"`
}

func (k *Key) record() KeyRecord { return KeyRecord{k.ID, k.Name, k.Beginning, k.CreatedAt} }

// keyBeginning is how many characters of a key are kept and shown.
const keyBeginning = 4

func sumOf(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// Authenticate tells whether a text is an API key that is valid now.
func (s *Service) Authenticate(key string) bool {
	sum, valid := sumOf(key), false
	s.store.read(0, func(st *state) {
		for _, k := range st.Keys {
			valid = subtle.ConstantTimeCompare(k.Sum, sum) == 1 || valid
		}
	})
	return valid
}

// Keys lists the API keys that are valid, in order of creation.
func (s *Service) Keys() []KeyRecord {
	list := []KeyRecord{}
	s.store.read(0, func(st *state) {
		for _, k := range st.Keys {
			list = append(list, k.record())
		}
	})
	return list
}

// CreateKey makes an API key. Only the portal does so: a key cannot make keys.
func (s *Service) CreateKey(name string) (NewKey, error) {
	return change(s, func(st *state) (NewKey, error) {
		name = strings.TrimSpace(name)
		if name == "" || utf8.RuneCountInString(name) > 100 {
			return NewKey{}, invalid("name", "it must have 1 to 100 characters")
		}
		text := newSecret()
		k := st.addKey(name, text)
		st.emit("api_key_created", "", map[string]any{"key_id": k.ID, "name": k.Name})
		return NewKey{k.record(), text}, nil
	})
}

func (st *state) addKey(name, text string) *Key {
	k := &Key{ID: newID("key"), Name: name, Sum: sumOf(text), Beginning: text[:min(keyBeginning, len(text)/2)], CreatedAt: st.Now}
	st.Keys = append(st.Keys, k)
	return k
}

// RevokeKey takes an API key away. It is refused from now on.
func (s *Service) RevokeKey(id string) error {
	_, err := change(s, func(st *state) (struct{}, error) {
		at := slices.IndexFunc(st.Keys, func(k *Key) bool { return k.ID == id })
		if at < 0 {
			return struct{}{}, notFound("there is no API key %q", id)
		}
		revoked := st.Keys[at]
		st.Keys = slices.Delete(st.Keys, at, at+1)
		st.emit("api_key_revoked", "", map[string]any{"key_id": revoked.ID, "name": revoked.Name})
		return struct{}{}, nil
	})
	return err
}

// FirstKey is the API key that a service begins with: the one that is given, the one that
// it began with before if that was not revoked, or a new one.
func (s *Service) FirstKey(given string) string {
	const name = "api_key"
	text := given
	if text == "" {
		if text = s.Credential(name, ""); s.knowsKeys() && !s.Authenticate(text) {
			text = newSecret()
		}
	}
	text = s.Credential(name, text)
	if !s.Authenticate(text) {
		s.store.do(func(st *state) {
			st.addKey("the first one", text)
			st.KeysMade = true
		})
	}
	return text
}

// knowsKeys tells whether there was a first key before.
func (s *Service) knowsKeys() bool {
	known := false
	s.store.read(0, func(st *state) { known = st.KeysMade })
	return known
}
