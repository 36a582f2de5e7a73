package main

import (
	"fmt"
	"io"
	"log/slog"
)

// levels are the values of --log-level: errors, possible problems, jobs and builds with the
// status of apps, and each request.
var levels = map[string]slog.Level{
	"error": slog.LevelError, "warn": slog.LevelWarn, "info": slog.LevelInfo, "debug": slog.LevelDebug,
}

// newLog returns a log with a level and a format, text or json.
func newLog(level, format string, out io.Writer) (*slog.Logger, error) {
	lowest, known := levels[level]
	if !known {
		return nil, fmt.Errorf("--log-level must be error, warn, info or debug, not %q", level)
	}
	options := &slog.HandlerOptions{Level: lowest}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(out, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, options)), nil
	}
	return nil, fmt.Errorf("--log-format must be text or json, not %q", format)
}
