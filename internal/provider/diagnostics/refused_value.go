package diagnostics

import (
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// fieldAttributes maps fields of the service to the arguments that they are sent from.
var fieldAttributes = map[string]string{
	"address":       "address",
	"allowlist":     "cidrs",
	"backup_id":     "backup_id",
	"branch":        "branch",
	"company":       "company",
	"confirm":       "confirm",
	"database":      "database",
	"enabled":       "enabled",
	"engine":        "engine",
	"engines":       "engines",
	"env":           "env",
	"health_path":   "health_path",
	"links":         "links",
	"location":      "region",
	"memory_mb":     "memory_mb",
	"mode":          "mode",
	"name":          "name",
	"plan":          "plan",
	"port":          "port",
	"public":        "public",
	"redirect_urls": "redirect_urls",
	"region":        "region",
	"repo":          "repo",
	"secret":        "secret",
	"site_url":      "site_url",
	"sql":           "sql",
	"tags":          "tags",
	"tier":          "plan",
	"url":           "url",
	"vat_id":        "vat_id",
}

// attributeOf returns the argument that a field of a request was sent from. request is
// the request's path. A variable has its own path. Only an instance has the argument
// engines. If the service refuses the engines in any other request, the argument
// instance_id names the wrong instance.
func attributeOf(request, field string) (path.Path, bool) {
	names := strings.Split(field, ".")
	attribute, ok := fieldAttributes[names[0]]
	if !ok {
		return path.Empty(), false
	}
	at := path.Root(attribute)
	if _, variable, ok := strings.Cut(field, "."); ok && attribute == "env" {
		return at.AtMapKey(variable), true
	}
	if attribute != "engines" {
		return at, true
	}
	if request != "/instances" && !strings.HasSuffix(request, "/engines") {
		return path.Root("instance_id"), true
	}
	if len(names) > 1 {
		at = at.AtMapKey(names[1])
	}
	if len(names) > 2 && names[2] == "memory_mb" {
		at = at.AtName("memory_mb")
	}
	return at, true
}

// A sentFromError is a refusal of a value that was sent from another argument than
// fieldAttributes has.
type sentFromError struct {
	error
	argument string
}

func (e *sentFromError) Unwrap() error { return e.error }

// SentFrom adds to the refusal of a field that the value was sent from another argument, such
// as a write-only one.
func SentFrom(argument, field string, err error) error {
	refused := (*transport.APIError)(nil)
	if errors.As(err, &refused) && client.RefusedField(refused) == field {
		return &sentFromError{err, argument}
	}
	return err
}

// refusedAttribute returns the argument whose value the service refused.
func refusedAttribute(err error) (path.Path, bool) {
	if from := (*sentFromError)(nil); errors.As(err, &from) {
		return path.Root(from.argument), true
	}
	refused := (*transport.APIError)(nil)
	if !errors.As(err, &refused) {
		return path.Empty(), false
	}
	return attributeOf(refused.Path, client.RefusedField(refused))
}
