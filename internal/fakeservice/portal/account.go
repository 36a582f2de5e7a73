package portal

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// offerShown is the data of the page of plans and locations.
type offerShown struct {
	core.PlanList
	core.LocationList
}

func showPlans(c *call) (*page, error) {
	plans, err := c.Service.Plans(c.context())
	if err != nil {
		return nil, err
	}
	locations, err := c.Service.Locations(c.context())
	return &page{Title: "Plans and locations", Template: "plans", Section: "plans", Data: offerShown{plans, locations}}, err
}

func showBilling(c *call) (*page, error) {
	record, err := c.Service.Billing(c.context())
	return &page{Title: "Billing", Template: "billing", Section: "billing", Data: record}, err
}

// profileFields returns the fields of the profile, by their names in the API.
func profileFields(a core.Account) []*field {
	return []*field{
		{Name: "name", Label: "Name", Kind: "text", Value: valueOf(a.Name), Autocomplete: "name"},
		{Name: "company", Label: "Company", Kind: "text", Value: valueOf(a.Company), Autocomplete: "organization"},
		{Name: "address", Label: "Address", Kind: textarea, Value: valueOf(a.Address), Autocomplete: "street-address", Rows: 3},
		{Name: "vat_id", Label: "VAT number", Kind: "text", Value: valueOf(a.VATID), Autocomplete: "off"},
	}
}

func showProfile(c *call) (*page, error) {
	account, err := c.Service.Account(c.context())
	if err != nil {
		return nil, err
	}
	f := &form{ID: "profile", Action: Root + "/profile", Submit: "Save the profile", Fields: profileFields(account)}
	return &page{Title: "Profile", Template: "profile", Section: "profile", Data: account, Forms: []*form{f}}, nil
}

func updateProfile(c *call) (outcome, error) {
	wanted := core.ProfileChange{}
	for _, f := range profileFields(core.Account{}) {
		if !c.r.PostForm.Has(f.Name) {
			continue
		}
		wanted[f.Name] = nil
		if value := c.r.PostForm.Get(f.Name); value != "" {
			wanted[f.Name] = &value
		}
	}
	_, err := c.Service.UpdateProfile(wanted)
	return outcome{to: Root + "/profile", notice: notice{Text: "The profile is saved."}}, err
}

// accessShown are the ways into the account.
type accessShown struct {
	Keys         []core.KeyRecord
	Applications []core.ApplicationRecord
}

func showAccess(c *call) (*page, error) {
	shown := accessShown{c.Service.Keys(), c.Service.Applications()}
	p := &page{Title: "Access", Template: "access", Section: "access", Data: shown, Forms: []*form{{
		ID: "key", Action: Root + "/access", Title: "New API key", Submit: "Make the key",
		Help:   "REST and MCP take it as a bearer token. It is shown once.",
		Fields: []*field{{Name: "name", Label: "What it is for", Kind: "text", Required: true, Autocomplete: "off"}},
	}}}
	for _, k := range shown.Keys {
		p.Forms = append(p.Forms, question("revoke-"+k.ID, Root+"/access/"+k.ID+"/revoke", "Revoke "+k.Name,
			"Programs that use this key are refused at once. A revoked key cannot be restored."))
	}
	for _, a := range shown.Applications {
		p.Forms = append(p.Forms, button("disconnect-"+a.ID, Root+"/access/applications/"+a.ID+"/disconnect", "Disconnect "+a.Name))
	}
	return p, nil
}

func createKey(c *call) (outcome, error) {
	made, err := c.Service.CreateKey(c.r.PostForm.Get("name"))
	return outcome{to: Root + "/access", notice: notice{
		Text: "The key is made. Copy it now: it is not shown again.", Secret: made.Key, SecretName: "API key " + made.Name,
	}}, err
}

func revokeKey(c *call) (outcome, error) {
	err := c.Service.RevokeKey(c.param("key"))
	return outcome{to: Root + "/access", notice: notice{Text: "The key is revoked. It is refused from now on."}}, err
}

func disconnectApplication(c *call) (outcome, error) {
	err := c.Service.Disconnect(c.param("application"))
	return outcome{to: Root + "/access", notice: notice{Text: "The application is disconnected. Its tokens are refused from now on."}}, err
}
