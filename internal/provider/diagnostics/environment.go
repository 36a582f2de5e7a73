package diagnostics

// Environment variables that can be set instead of base_url and api_key.
const (
	EnvBaseURL = "HOSTING_BASE_URL"
	EnvAPIKey  = "HOSTING_API_KEY"
)
