package probe_test

// beyond lists the facts that the probe does not try to produce, by the reason. Any of them
// that occurs anyway is checked.
var beyond = map[string][]string{
	"it would change the account's own profile": {
		"#/components/schemas/ProfileUpdate/properties/name",
		"#/components/schemas/ProfileUpdate/properties/company",
		"#/components/schemas/ProfileUpdate/properties/address",
		"#/components/schemas/ProfileUpdate/properties/vat_id",
	},
	"the probe makes, changes and deletes nothing but its one instance": {
		"#/paths/~1webhooks~1{id}/patch",
		"#/paths/~1webhooks~1{id}/delete",
		"#/components/responses/WebhookCreated",
		"#/components/responses/Deleted",
		"#/components/schemas/WebhookCreate/properties/url",
		"#/components/schemas/WebhookCreate/properties/secret",
		"#/components/schemas/WebhookCreate/properties/enabled",
		"#/components/schemas/WebhookUpdate/properties/url",
		"#/components/schemas/WebhookUpdate/properties/secret",
		"#/components/schemas/WebhookUpdate/properties/enabled",
		"#/components/schemas/WebhookCreated/properties/id",
		"#/components/schemas/WebhookCreated/properties/url",
		"#/components/schemas/WebhookCreated/properties/enabled",
		"#/components/schemas/WebhookCreated/properties/consecutive_failures",
		"#/components/schemas/WebhookCreated/properties/created_at",
		"#/components/schemas/WebhookCreated/properties/secret",
	},
	"nobody should overload a service to see it": {
		"#/components/responses/RateLimited",
		"#/components/headers/RetryAfterRequired",
		"#/components/schemas/ErrorRateLimited/properties/code",
	},
	"a caller cannot make the service fail": {
		"#/components/responses/Internal",
		"#/components/responses/Unavailable",
		"#/components/headers/RetryAfter",
		"#/x-rules/refusals",
		"#/components/schemas/ErrorServer/properties/code",
	},
	"the probe deletes no instance while a job runs on it": {
		"#/components/schemas/ErrorBusy/properties/code",
	},
	"a job that fails cannot be asked for": {
		"#/components/schemas/JobError/properties/code",
		"#/components/schemas/JobError/properties/detail",
		"#/x-rules/failed deletion",
	},
	"an instance that fails cannot be asked for": {
		"#/x-rules/failed instance",
	},
	"an app that fails cannot be asked for": {
		"#/components/schemas/AppFailure",
	},
}
