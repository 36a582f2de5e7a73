package client

import (
	"context"
	"maps"
)

// progressOf tells Options.Progress of each state of one job or build that is waited
// for, once. fields say which one it is.
func (c *Client) progressOf(message string, fields map[string]any) func(ctx context.Context, status string, percent int) {
	var told string
	var toldAt int
	return func(ctx context.Context, status string, percent int) {
		if status == told && percent == toldAt {
			return
		}
		told, toldAt = status, percent
		state := maps.Clone(fields)
		state["status"] = c.secrets.hide(status)
		if percent > 0 {
			state["progress"] = percent
		}
		c.progress(ctx, message, state)
	}
}
