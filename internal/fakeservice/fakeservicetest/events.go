package fakeservicetest

import "strings"

// EventTypes returns the types of SERVICE.md#events.
func EventTypes() []string {
	return strings.Fields(`created ready allowlist label resize reset restore rotate console engines engine_settings
		health_alert health_reset verify_ok verify_failed job_failed pg_database_created pg_database_dropped
		couch_database_created couch_database_deleted nats_stream_created nats_stream_purged nats_stream_deleted
		auth_user_created auth_user_invited auth_user_banned auth_user_unbanned auth_user_deleted auth_link_sent
		api_key_created api_key_revoked oauth_granted oauth_disconnected`)
}
