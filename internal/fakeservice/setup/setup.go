// Package setup reads the initial contents of a fake from a JSON file: the catalog,
// durations, the account, its instances and its webhook endpoints.
//
// Names are the same as in the API, and omitted fields have their usual defaults:
//
//	{
//	  "plans": [{"id": "free", "memory_mb": 2048}, {"id": "big", "price_cents": 5000, "memory_mb": 8192}],
//	  "engines": {"postgres": {"floor_mb": 256}},
//	  "locations": [{"id": "mars", "name": "Olympus", "country": "XX"}],
//	  "durations": {"create": "2m", "build": "10s"},
//	  "account": {"id": "acc-ada", "email": "ada@example.com", "company": "Engines Ltd"},
//	  "instances": [{
//	    "id": "i-shop", "name": "shop", "plan": "free", "region": "mars",
//	    "engines": {"postgres": {"memory_mb": 512}, "apps": {}},
//	    "tags": ["prod"], "allowlist": ["192.0.2.0/24"], "console_mode": "ro",
//	    "databases": ["stock"], "extensions": [{"name": "pgvector", "database": "stock"}],
//	    "apps": [{"name": "web", "repo": "acme/shop", "public": true, "env": {"KEY": "value"}}]
//	  }],
//	  "webhooks": [{"url": "https://hooks.example/x", "secret": "s"}]
//	}
package setup

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Setup is the initial contents of a fake. The zero value is the default.
type Setup struct{ file *file }

// WithAccountID returns a copy with the id of the account, which must be valid as in a
// file. With "" the fake generates an id, as without a Setup.
func (s Setup) WithAccountID(id string) Setup {
	var changed file
	if s.file != nil {
		changed = *s.file
	}
	var own core.Account
	if changed.Account != nil {
		own = *changed.Account
	}
	own.ID = id
	changed.Account = &own
	return Setup{&changed}
}

type file struct {
	Plans     []plan              `json:"plans"`
	Engines   map[string]floor    `json:"engines"`
	Locations []core.Location     `json:"locations"`
	Durations map[string]duration `json:"durations"`
	Account   *core.Account       `json:"account"`
	Instances []instance          `json:"instances"`
	Webhooks  []webhook           `json:"webhooks"`
}

type plan struct {
	ID                  string   `json:"id"`
	Name                string   `json:"name"`
	PriceCents          int      `json:"price_cents"`
	Currency            string   `json:"currency"`
	CPU                 *float64 `json:"cpu"`
	MemoryMB            int      `json:"memory_mb"`
	DiskGB              *int     `json:"disk_gb"`
	PostgresConnections *int     `json:"postgres_connections"`
}

type floor struct {
	FloorMB int `json:"floor_mb"`
}

// duration is a time.Duration that is written as a text such as "90s".
type duration time.Duration

// UnmarshalText parses the text.
func (d *duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err != nil || read < 0 {
		return fmt.Errorf("%q is not a duration such as 90s", text)
	}
	*d = duration(read)
	return nil
}

type instance struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Plan        string            `json:"plan"`
	Region      string            `json:"region"`
	Engines     map[string]engine `json:"engines"`
	Tags        []string          `json:"tags"`
	Allowlist   []string          `json:"allowlist"`
	ConsoleMode string            `json:"console_mode"`
	Databases   []string          `json:"databases"`
	Extensions  []extension       `json:"extensions"`
	Apps        []core.NewApp     `json:"apps"`
}

type engine struct {
	core.EngineBudget
	core.AuthSettingsChange
}

type extension struct {
	Name     string `json:"name"`
	Database string `json:"database"`
}

type webhook struct {
	ID string `json:"id"`
	core.WebhookChange
}

// Read reads a Setup and checks it against the rules of the service. An error begins with
// the path of the invalid field, such as instances[0].plan.
func Read(from io.Reader) (Setup, error) {
	var read file
	if err := json.UnmarshalRead(from, &read, json.RejectUnknownMembers(true)); err != nil {
		return Setup{}, inWords(err)
	}
	s := Setup{&read}
	s.fillIn()
	return s, s.check()
}

// inWords returns a JSON error with the path of the invalid field.
func inWords(err error) error {
	if wrong := (*json.SemanticError)(nil); errors.As(err, &wrong) {
		path := pathOf(wrong.JSONPointer)
		switch {
		case errors.Is(wrong.Err, json.ErrUnknownName):
			return fmt.Errorf("%s: there is no such field", path)
		case wrong.Err != nil:
			return fmt.Errorf("%s: %w", path, wrong.Err)
		}
		return fmt.Errorf("%s: it cannot be a JSON %s", path, wrong.JSONKind)
	}
	if wrong := (*jsontext.SyntacticError)(nil); errors.As(err, &wrong) {
		if errors.Is(wrong.Err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("%s: it is there twice", pathOf(wrong.JSONPointer))
		}
		return fmt.Errorf("invalid JSON at byte %d: %w", wrong.ByteOffset, wrong.Err)
	}
	return err
}

// pathOf converts a JSON pointer to a path such as instances[0].plan.
func pathOf(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		switch isIndex := strings.Trim(token, "0123456789") == "" && token != ""; {
		case isIndex:
			fmt.Fprintf(&path, "[%s]", token)
		case path.Len() > 0:
			path.WriteString("." + token)
		default:
			path.WriteString(token)
		}
	}
	if path.Len() == 0 {
		return "the file"
	}
	return path.String()
}
