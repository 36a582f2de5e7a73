package client

import (
	"context"
	"maps"
)

// progressOf returns a function that reports each state of one job or build to
// Options.Progress once. fields identify the job or build.
func (c *Client) progressOf(message string, fields map[string]any) func(ctx context.Context, status string, percent int) {
	var told string
	var toldAt int
	return func(ctx context.Context, status string, percent int) {
		if status == told && percent == toldAt {
			return
		}
		told, toldAt = status, percent
		state := maps.Clone(fields)
		state["status"] = c.secrets.Hide(status)
		if percent > 0 {
			state["progress"] = percent
		}
		c.progress(ctx, message, state)
	}
}
