package settings

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

func TestAllowlistTakesARecordOver(t *testing.T) {
	for name, row := range map[string]struct {
		prior types.Set
		told  client.Maybe[[]string]
		want  types.Set
		shown bool
	}{
		"not told":                    {providertest.Texts("10.0.0.0/8"), client.Maybe[[]string]{}, providertest.Texts("10.0.0.0/8"), true},
		"the same":                    {providertest.Texts("10.0.0.0/8"), client.Some([]string{"10.0.0.0/8"}), providertest.Texts("10.0.0.0/8"), true},
		"another spelling":            {providertest.Texts("203.0.113.7"), client.Some([]string{"203.0.113.7/32"}), providertest.Texts("203.0.113.7"), true},
		"somebody has changed it":     {providertest.Texts("203.0.113.7"), client.Some([]string{"203.0.113.8/32"}), providertest.Texts("203.0.113.8/32"), false},
		"somebody has opened it":      {providertest.Texts("203.0.113.7"), client.Some([]string{}), providertest.Texts(), false},
		"imported":                    {types.SetNull(types.StringType), client.Some([]string{"10.0.0.0/8"}), providertest.Texts("10.0.0.0/8"), false},
		"imported, open":              {types.SetNull(types.StringType), client.Some([]string{}), providertest.Texts(), true},
		"open, as it was asked to be": {providertest.Texts(), client.Some([]string{}), providertest.Texts(), true},
	} {
		m := allowlistModel{CIDRs: row.prior}
		if shown := m.matches(nil, row.told); shown != row.shown {
			t.Errorf("%s: got shown %t, want %t", name, shown, row.shown)
		}
		if m.setRecord(row.told); !m.CIDRs.Equal(row.want) || m.OnDestroy.ValueString() != onDestroyKeep {
			t.Errorf("%s: got %s, on_destroy %s, want %s, %s", name, m.CIDRs, m.OnDestroy, row.want, onDestroyKeep)
		}
	}
}

func TestConsoleModeTakesARecordOver(t *testing.T) {
	for name, row := range map[string]struct {
		told, want string
		shown      bool
	}{
		"not told":                {"", "ro", true},
		"the same":                {"ro", "ro", true},
		"somebody has changed it": {"rw", "rw", false},
	} {
		m := consoleModeModel{Mode: types.StringValue("ro")}
		if shown := m.matches(nil, row.told); shown != row.shown {
			t.Errorf("%s: got shown %t, want %t", name, shown, row.shown)
		}
		if m.setRecord(row.told); m.Mode.ValueString() != row.want {
			t.Errorf("%s: got %s, want %s", name, m.Mode, row.want)
		}
	}
}

func TestAuthSettingsTakeARecordOver(t *testing.T) {
	told := func(site string, urls ...string) client.AuthSettings {
		return client.AuthSettings{SiteURL: client.Some(site), RedirectURLs: client.Some(urls)}
	}
	const site = "https://App.example"
	for name, row := range map[string]struct {
		prior    types.Set
		told     client.AuthSettings
		wantSite string
		want     types.Set
		shown    bool
	}{
		"not told":                {providertest.Texts(site + "/**"), client.AuthSettings{}, site, providertest.Texts(site + "/**"), false},
		"the same":                {providertest.Texts(site + "/**"), told(site, site+"/**"), site, providertest.Texts(site + "/**"), true},
		"another case of hosts":   {providertest.Texts(site + "/**"), told("https://app.example", "https://app.example/**"), site, providertest.Texts(site + "/**"), true},
		"somebody has changed it": {providertest.Texts(site + "/**"), told("https://b.example", site+"/in"), "https://b.example", providertest.Texts(site + "/in"), false},
		"none, and none asked":    {types.SetNull(types.StringType), told(site), site, types.SetNull(types.StringType), true},
		"none, written as []":     {providertest.Texts(), told(site), site, providertest.Texts(), true},
		"somebody took them out":  {providertest.Texts(site + "/**"), told(site), site, types.SetNull(types.StringType), false},
		"somebody added one":      {providertest.Texts(), told(site, site+"/in"), site, providertest.Texts(site + "/in"), false},
	} {
		m := authSettingsModel{SiteURL: types.StringValue(site), RedirectURLs: row.prior}
		if shown := m.matches(nil, row.told); shown != row.shown {
			t.Errorf("%s: got shown %t, want %t", name, shown, row.shown)
		}
		if m.setRecord(row.told); m.SiteURL.ValueString() != row.wantSite || !m.RedirectURLs.Equal(row.want) {
			t.Errorf("%s: got %s, %s, want %s, %s", name, m.SiteURL, m.RedirectURLs, row.wantSite, row.want)
		}
	}
}
