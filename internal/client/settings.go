package client

import "context"

// The settings of an instance that exist as soon as it does: its allowlist, its
// SQL console's mode, and what the auth engine redirects to.

// Allowlist reads the addresses that may reach the instance; an empty list
// means that it is open to the internet. It is unset when the answer holds none.
func (c *Client) Allowlist(ctx context.Context, instanceID string) (Maybe[[]string], error) {
	answer, err := get[struct {
		Allowlist Maybe[[]string] `json:"allowlist"`
	}](ctx, c, "instances", instanceID, "allowlist")
	return answer.Allowlist, err
}

// SetAllowlist replaces the allowlist. It takes effect within a minute.
func (t *Turn) SetAllowlist(ctx context.Context, cidrs []string) (Pending, error) {
	if cidrs == nil {
		cidrs = []string{}
	}
	return t.put(ctx, map[string][]string{"allowlist": cidrs}, "allowlist")
}

// Modes of the SQL console (service.md, "States and transitions").
const (
	ConsoleOff       = "off"
	ConsoleReadOnly  = "ro"
	ConsoleReadWrite = "rw"
)

// ConsoleMode reads the mode of the browser SQL console.
func (c *Client) ConsoleMode(ctx context.Context, instanceID string) (string, error) {
	answer, err := get[consoleBody](ctx, c, "instances", instanceID, "sql-console")
	return answer.Mode, err
}

type consoleBody struct {
	Mode string `json:"mode"`
}

// SetConsoleMode sets the mode of the browser SQL console.
func (t *Turn) SetConsoleMode(ctx context.Context, mode string) (Pending, error) {
	return t.put(ctx, consoleBody{Mode: mode}, "sql-console")
}

// AuthSettings are where the auth engine's redirects may return to. Reading
// leaves what the record does not hold unset; writing sends both.
type AuthSettings struct {
	SiteURL      Maybe[string]   `json:"site_url"`
	RedirectURLs Maybe[[]string] `json:"redirect_urls"`
}

// AuthSettings reads the auth engine's redirect settings.
func (c *Client) AuthSettings(ctx context.Context, instanceID string) (AuthSettings, error) {
	return get[AuthSettings](ctx, c, "instances", instanceID, "engines", "auth", "settings")
}

// SetAuthSettings sets the auth engine's redirect settings.
func (t *Turn) SetAuthSettings(ctx context.Context, siteURL string, redirectURLs []string) (Pending, error) {
	if redirectURLs == nil {
		redirectURLs = []string{}
	}
	body := map[string]any{"site_url": siteURL, "redirect_urls": redirectURLs}
	return t.patch(ctx, body, "engines", "auth", "settings")
}
