package client

import (
	"testing"
	"testing/synctest"
)

// A service may convert the hosts of URLs to lower case. Its record still shows the
// requested change, even if the answer names no job.
func TestAuthSettingsInAnotherCase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, wire := newTestClient(t, script{
			"PATCH /instances/i/engines/auth/settings": says(202, object{}),
			"GET /instances/i":                         says(200, object{"id": "i", "status": "running", "job_id": nil}),
			"GET /instances/i/engines/auth/settings":   says(200, object{"site_url": "https://shop.example", "redirect_urls": []string{"https://b.example/**", "https://shop.example/**"}}),
		}.Serve)
		pending, err := enter(t, c).SetAuthSettings(t.Context(), AuthSettings{SiteURL: Some("https://Shop.example"), RedirectURLs: Some([]string{"https://Shop.example/**", "https://b.example/**"})})
		if err != nil || pending.JobID != "" {
			t.Errorf("SetAuthSettings: got %+v and error %v, want no job\n%s", pending, err, wire.Requests())
		}
	})
}
