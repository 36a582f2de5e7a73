package portal

import "strings"

// eventNames has the types of the service's events in words.
var eventNames = map[string]string{
	"created":                "Instance ordered",
	"ready":                  "Instance ready",
	"allowlist":              "Allowlist changed",
	"label":                  "Name or tags changed",
	"resize":                 "Plan changed",
	"reset":                  "Data emptied",
	"restore":                "Backup restored",
	"rotate":                 "Passwords changed",
	"console":                "SQL console mode changed",
	"engines":                "Engines changed",
	"engine_settings":        "Engine settings changed",
	"health_alert":           "Instance unhealthy",
	"health_reset":           "Instance healthy again",
	"verify_ok":              "Verification passed",
	"verify_failed":          "Verification failed",
	"job_failed":             "Job failed",
	"pg_database_created":    "Postgres database created",
	"pg_database_dropped":    "Postgres database dropped",
	"couch_database_created": "CouchDB database created",
	"couch_database_deleted": "CouchDB database deleted",
	"nats_stream_created":    "NATS stream created",
	"nats_stream_purged":     "NATS stream purged",
	"nats_stream_deleted":    "NATS stream deleted",
	"auth_user_created":      "Auth user created",
	"auth_user_invited":      "Auth user invited",
	"auth_user_banned":       "Auth user banned",
	"auth_user_unbanned":     "Auth user no longer banned",
	"auth_user_deleted":      "Auth user deleted",
	"auth_link_sent":         "Auth link sent",
	"api_key_created":        "API key created",
	"api_key_revoked":        "API key revoked",
	"oauth_granted":          "OAuth access granted",
	"oauth_disconnected":     "OAuth access ended",
	"test":                   "Test event",
}

// eventName returns the type of an event in words. A type that a later version of the
// service adds is shown as it is, without underscores.
func eventName(kind string) string {
	if name, known := eventNames[kind]; known {
		return name
	}
	return strings.ReplaceAll(kind, "_", " ")
}
