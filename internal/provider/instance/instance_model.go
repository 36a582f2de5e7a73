package instance

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// instanceSettings are the settings that the resource and the data sources have, with the
// tags of client.InstanceSettings. Tags are not among them, because of the default tags.
type instanceSettings struct {
	Name types.String `tfsdk:"name"`
}

type instanceModel struct {
	instanceSettings
	ID                 types.String      `tfsdk:"id"`
	Plan               types.String      `tfsdk:"plan"`
	Region             types.String      `tfsdk:"region"`
	Engines            types.Map         `tfsdk:"engines"`
	Tags               types.Set         `tfsdk:"tags"`
	TagsAll            types.Set         `tfsdk:"tags_all"`
	DeletionProtection types.Bool        `tfsdk:"deletion_protection"`
	Status             types.String      `tfsdk:"status"`
	Host               types.String      `tfsdk:"host"`
	CheckoutURL        types.String      `tfsdk:"checkout_url"`
	CreatedAt          timetypes.RFC3339 `tfsdk:"created_at"`
	CACertificate      types.String      `tfsdk:"ca_certificate"`
	AuthURL            types.String      `tfsdk:"auth_url"`
	AuthAnonKey        types.String      `tfsdk:"auth_anon_key"`
	Timeouts           timeouts.Value    `tfsdk:"timeouts"`
}

// setRecord copies an instance's record to the model. Values that the record lacks stay
// as they are. The id is not copied, because the record was requested by it. A region that
// is known stays too: an instance cannot move, so another one is another name of the same
// place. defaultTags are the provider's.
func (m *instanceModel) setRecord(i client.Instance, defaultTags types.Set) {
	attributes.TakeRecord(&m.instanceSettings, &i.InstanceSettings)
	attributes.SetRecordedWord(&m.Plan, i.PlanID())
	if lacks(m.Region) {
		attributes.SetRecorded(&m.Region, i.Region)
	}
	attributes.SetRecorded(&m.Status, string(i.Status))
	attributes.SetRecorded(&m.Host, i.Host)
	attributes.SetRecorded(&m.CreatedAt.StringValue, attributes.TimeOrNull(i.CreatedAt).ValueString())
	m.CheckoutURL = attributes.StringOrNull(i.CheckoutURL) // no URL means that it is paid
	if i.Engines.Set {
		before, _ := enginesOf(m.Engines)
		m.Engines = enginesMap(recordedEngines(i.Engines.Value, before))
	}
	if i.Tags.Set {
		m.Tags = attributes.SetOf(ownTags(i.Tags.Value, *m, defaultTags), m.Tags)
		m.TagsAll = attributes.SetOf(i.Tags.Value, types.SetUnknown(types.StringType))
	}
	if m.DeletionProtection.IsNull() {
		m.DeletionProtection = types.BoolValue(true) // imported; the service does not store it
	}
}

// setConnection copies the parts of the connection record that are not secret. The host is
// the instance's own, which its record may show later (SERVICE.md#tolerance).
func (m *instanceModel) setConnection(c client.Connection) {
	if lacks(m.Host) {
		m.Host = attributes.StringOrNull(c.Host)
	}
	m.CACertificate = attributes.StringOrNull(c.CACertificate)
	m.AuthURL, m.AuthAnonKey = types.StringNull(), types.StringNull()
	if auth := c.Engines.Auth; auth != nil {
		m.AuthURL, m.AuthAnonKey = attributes.StringOrNull(auth.URL), attributes.StringOrNull(auth.AnonKey)
	}
}

// needsConnection reports whether the model lacks a value of the connection record, or has a
// certificate that the service must renew soon. The record is read only then, so that a
// refresh of many instances stays one request for the list.
func (m *instanceModel) needsConnection() bool {
	if !m.runs() {
		return false
	}
	engines, _ := enginesOf(m.Engines)
	hasAuth := has(engines, "auth")
	return lacks(m.Host) || lacks(m.CACertificate) || hasAuth && (lacks(m.AuthURL) || lacks(m.AuthAnonKey)) || !hasAuth && !m.AuthURL.IsNull() || expiresSoon(m.CACertificate.ValueString(), time.Now())
}

// expiresSoon reports whether a certificate in PEM ends within 60 days. It is false for a text
// that is not a certificate.
func expiresSoon(certificate string, now time.Time) bool {
	block, _ := pem.Decode([]byte(certificate))
	if block == nil {
		return false
	}
	parsed, err := x509.ParseCertificate(block.Bytes)
	return err == nil && parsed.NotAfter.Sub(now) < 60*24*time.Hour
}

func lacks(v types.String) bool { return v.IsNull() || v.IsUnknown() }

// connectionMovedOn reports whether the connection record, as read into the model,
// differs from the plan.
func (m *instanceModel) connectionMovedOn(plan instanceModel) bool {
	other := func(read, planned types.String) bool { return !planned.IsUnknown() && !read.Equal(planned) }
	return other(m.CACertificate, plan.CACertificate) || other(m.AuthURL, plan.AuthURL) || other(m.AuthAnonKey, plan.AuthAnonKey)
}

func (m *instanceModel) runs() bool { return base.Runs(m.Status.ValueString(), m.ran()) }

// ran reports whether there is evidence that the instance has run: it is running, or it
// has a host or a certificate, which it gets when it first runs.
func (m *instanceModel) ran() bool {
	return m.Status.ValueString() == client.StatusRunning || m.Host.ValueString() != "" || m.CACertificate.ValueString() != ""
}

// unfinished reports whether the provider has not seen the end of the instance's creation
// yet. creating is true if private state notes the creation as pending. An instance that
// has run and briefly reports creating is not unfinished.
func (m *instanceModel) unfinished(creating bool) bool {
	switch m.Status.ValueString() {
	case client.StatusRunning, client.StatusDeleting, client.StatusFailed:
		return false
	}
	return creating || !m.ran()
}

// neverRan reports whether the instance has evidently never run, and so has no data: its
// creation is noted as pending, and there is no sign that it ran. Without a note it may
// have run, for example if it was imported.
func (m *instanceModel) neverRan(creating bool) bool { return creating && !m.ran() }

// protected reports whether the instance must not be destroyed. The value in the state
// decides. An instance that never ran has nothing to protect. One that is being deleted
// is lost already.
func (m *instanceModel) protected(creating bool) bool {
	return base.IsProtected(m.DeletionProtection) && !m.neverRan(creating) && m.Status.ValueString() != client.StatusDeleting
}

// title names the instance in a summary, by its id if the name is unknown.
func (m *instanceModel) title() string {
	if name := m.Name.ValueString(); name != "" {
		return "Instance " + name
	}
	return "Instance " + m.ID.ValueString()
}

// protectedObject returns the instance as errors name it.
func (m *instanceModel) protectedObject() base.ProtectedObject {
	return base.ProtectedObject{Title: m.title(), Name: "Instance " + m.ID.ValueString(), ImportID: m.ID.ValueString()}
}

// withoutUnknowns returns the model with null in place of unknown values, so that it can
// be saved at any time.
func (m instanceModel) withoutUnknowns() instanceModel {
	for _, v := range m.computed() {
		*v = attributes.NullIfUnknown(*v)
	}
	if !attributes.AllKnown(m.TagsAll) {
		m.TagsAll = types.SetNull(types.StringType)
	}
	m.Engines = withBudgets(m.Engines, func(memory types.Int64) types.Int64 {
		if memory.IsUnknown() {
			return types.Int64Null()
		}
		return memory
	})
	return m
}

// withNullsUnknown returns the model as planned while its creation is in progress: values
// that are null now are unknown until it ends.
func (m instanceModel) withNullsUnknown() instanceModel {
	for _, v := range m.computed() {
		if v.IsNull() {
			*v = types.StringUnknown()
		}
	}
	m.Status, m.CheckoutURL = types.StringUnknown(), types.StringUnknown()
	m.Engines = withBudgets(m.Engines, func(memory types.Int64) types.Int64 {
		if memory.IsNull() {
			return types.Int64Unknown()
		}
		return memory
	})
	return m
}

// computed returns the attributes that only the service sets.
func (m *instanceModel) computed() []*types.String {
	return []*types.String{&m.ID, &m.Status, &m.Host, &m.CheckoutURL, &m.CreatedAt.StringValue, &m.CACertificate, &m.AuthURL, &m.AuthAnonKey}
}

// newInstance returns the request that creates the instance. It can turn on only three of
// the engines; the others and the budgets are set afterwards.
func (m *instanceModel) newInstance(ctx context.Context, diags *diag.Diagnostics) client.NewInstance {
	engines, _ := enginesOf(m.Engines)
	on := map[string]bool{}
	for _, name := range []string{"postgres", "apps", "auth"} {
		on[name] = has(engines, name)
	}
	n := client.NewInstance{Plan: m.Plan.ValueString(), Region: m.Region.ValueString(), Engines: on}
	attributes.Request(&m.instanceSettings, &n.InstanceSettings, attributes.Names(&m.instanceSettings))
	n.Tags = client.Some(attributes.StringsOf(ctx, m.TagsAll, diags))
	return n
}
