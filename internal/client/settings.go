package client

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// These settings exist as soon as their instance does: its allowlist, the mode of its SQL
// console, and the redirect settings of the auth engine.

// Allowlist reads the addresses that may connect to the instance. An empty list means
// that the instance is open to the internet. The result is unset if the answer has no
// list.
func (c *Client) Allowlist(ctx context.Context, instanceID string) (Maybe[[]string], error) {
	answer, err := get[allowlistBody](ctx, c, "instances", instanceID, "allowlist")
	return answer.Allowlist, err
}

type allowlistBody struct {
	Allowlist Maybe[[]string] `json:"allowlist"`
}

// SetAllowlist replaces the allowlist. The change takes effect within a minute.
func (t *Turn) SetAllowlist(ctx context.Context, cidrs []string) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPut, Path: []string{"allowlist"}, Body: allowlistBody{Some(cidrs)}},
		operation: OpAllowlist,
		isMade: func(ctx context.Context) (bool, error) {
			list, err := t.c.Allowlist(ctx, t.id)
			return list.Set && SameCIDRs(list.Value, cidrs), err
		},
	})
}

// The modes of the SQL console (SERVICE.md#sql-console).
const (
	ConsoleOff       = "off"
	ConsoleReadOnly  = "ro"
	ConsoleReadWrite = "rw"
)

// ConsoleMode reads the mode of the browser SQL console.
func (c *Client) ConsoleMode(ctx context.Context, instanceID string) (string, error) {
	answer, err := get[consoleBody](ctx, c, "instances", instanceID, "sql-console")
	return string(answer.Mode), err
}

type consoleBody struct {
	Mode Mode `json:"mode"`
}

// A Mode is a mode of the SQL console. A service may write it in another letter case
// (SERVICE.md#tolerance), so the modes of the documentation are read in their own.
type Mode string

// UnmarshalJSON reads a string.
func (m *Mode) UnmarshalJSON(raw []byte) error {
	var text string
	err := json.Unmarshal(raw, &text)
	if *m = Mode(text); slices.Contains([]string{ConsoleOff, ConsoleReadOnly, ConsoleReadWrite}, strings.ToLower(text)) {
		*m = Mode(strings.ToLower(text))
	}
	return err
}

// SetConsoleMode sets the mode of the browser SQL console.
func (t *Turn) SetConsoleMode(ctx context.Context, mode string) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPut, Path: []string{"sql-console"}, Body: consoleBody{Mode: Mode(mode)}},
		operation: OpConsole,
		isMade: func(ctx context.Context) (bool, error) {
			shown, err := t.c.ConsoleMode(ctx, t.id)
			return shown == mode, err
		},
	})
}

// AuthSettings are the redirect settings of the auth engine. A read leaves fields unset
// that the record lacks. A write sends the fields that are set.
type AuthSettings struct {
	SiteURL      Maybe[string]   `json:"site_url,omitzero"`
	RedirectURLs Maybe[[]string] `json:"redirect_urls,omitzero"`
}

// AuthSettings reads the auth engine's redirect settings.
func (c *Client) AuthSettings(ctx context.Context, instanceID string) (AuthSettings, error) {
	return get[AuthSettings](ctx, c, "instances", instanceID, "engines", "auth", "settings")
}

// Shows reports whether the settings have each field that is set in asked.
func (s AuthSettings) Shows(asked AuthSettings) bool {
	return (!asked.SiteURL.Set || SameURL(s.SiteURL.Value, asked.SiteURL.Value)) &&
		(!asked.RedirectURLs.Set || SameURLs(s.RedirectURLs.Value, asked.RedirectURLs.Value))
}

// SetAuthSettings sets the fields of the auth engine's redirect settings that are set, and
// leaves the others alone.
func (t *Turn) SetAuthSettings(ctx context.Context, asked AuthSettings) (Pending, error) {
	return t.set(ctx, mutation{
		Request:   transport.Request{Method: http.MethodPatch, Path: []string{"engines", "auth", "settings"}, Body: asked},
		operation: OpAuthSettings,
		isMade: func(ctx context.Context) (bool, error) {
			settings, err := t.c.AuthSettings(ctx, t.id)
			return settings.Shows(asked), err
		},
	})
}

// RefreshAllowlist reads the allowlist for a refresh; see refreshSetting.
func (c *Client) RefreshAllowlist(ctx context.Context, instanceID string) (Maybe[[]string], error) {
	return refreshSetting(ctx, c, instanceID, "allowlist", "", c.Allowlist)
}

// RefreshConsoleMode reads the SQL console's mode for a refresh; see refreshSetting.
func (c *Client) RefreshConsoleMode(ctx context.Context, instanceID string) (string, error) {
	return refreshSetting(ctx, c, instanceID, "sql-console", "postgres", c.ConsoleMode)
}

// RefreshAuthSettings reads the auth engine's settings for a refresh; see
// refreshSetting.
func (c *Client) RefreshAuthSettings(ctx context.Context, instanceID string) (AuthSettings, error) {
	return refreshSetting(ctx, c, instanceID, "auth-settings", "auth", c.AuthSettings)
}

// refreshSetting reads a setting. It returns ErrNotFound only for a confirmed absence:
// the instance is gone, or the engine that has the setting. engine is "" for a setting of
// the instance itself.
func refreshSetting[T any](ctx context.Context, c *Client, instanceID, name, engine string, read func(context.Context, string) (T, error)) (T, error) {
	again := func(ctx context.Context) (T, error) {
		value, err := read(ctx, instanceID)
		return value, c.missing(ctx, instanceID, engine, err)
	}
	value, err := again(ctx)
	return confirmAbsence(ctx, c, childSubject(instanceID, "settings", name), value, err, again, nil)
}
