// Package settings has the resources and lists of an instance's settings: its allowlist,
// the mode of its SQL console and its auth settings.
package settings
