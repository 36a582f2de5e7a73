package instance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// instanceRecordModel is an instance's record as the data sources show it.
type instanceRecordModel struct {
	instanceSettings
	ID          types.String           `tfsdk:"id"`
	Plan        types.String           `tfsdk:"plan"`
	Region      types.String           `tfsdk:"region"`
	Status      types.String           `tfsdk:"status"`
	Host        types.String           `tfsdk:"host"`
	Engines     map[string]engineModel `tfsdk:"engines"`
	Tags        types.Set              `tfsdk:"tags"`
	Allowlist   types.Set              `tfsdk:"allowlist"`
	ConsoleMode types.String           `tfsdk:"console_mode"`
	JobID       types.String           `tfsdk:"job_id"`
	CheckoutURL types.String           `tfsdk:"checkout_url"`
	CreatedAt   timetypes.RFC3339      `tfsdk:"created_at"`
	Usage       *usageModel            `tfsdk:"usage"`
	Monitoring  *monitoringModel       `tfsdk:"monitoring"`
	Backups     *backupSummaryModel    `tfsdk:"backups"`
	Activity    []activityModel        `tfsdk:"activity"`
}

// usageModel is the current usage of an instance.
type usageModel struct {
	CPUPercent types.Float64 `tfsdk:"cpu_percent"`
	MemoryMB   types.Float64 `tfsdk:"memory_mb"`
	DiskGB     types.Float64 `tfsdk:"disk_gb"`
}

// monitoringModel is the newest health check of an instance.
type monitoringModel struct {
	Healthy   types.Bool        `tfsdk:"healthy"`
	CheckedAt timetypes.RFC3339 `tfsdk:"checked_at"`
}

// backupSummaryModel counts an instance's backups.
type backupSummaryModel struct {
	Count  types.Int64       `tfsdk:"count"`
	LastAt timetypes.RFC3339 `tfsdk:"last_at"`
}

// activityModel is one event of an instance.
type activityModel struct {
	At     timetypes.RFC3339 `tfsdk:"at"`
	Type   types.String      `tfsdk:"type"`
	Detail types.String      `tfsdk:"detail"`
}

type engineModel struct {
	MemoryMB types.Int64 `tfsdk:"memory_mb"`
	Port     types.Int64 `tfsdk:"port"`
}

func (m *instanceRecordModel) setRecord(i client.Instance) {
	*m = instanceRecordModel{
		ID:          types.StringValue(i.ID),
		Plan:        attributes.StringOrNull(i.PlanID()),
		Region:      attributes.StringOrNull(i.Region),
		Status:      attributes.StringOrNull(string(i.Status)),
		Host:        attributes.StringOrNull(i.Host),
		Tags:        attributes.SetOrNull(i.Tags),
		Allowlist:   attributes.SetOrNull(i.Allowlist),
		ConsoleMode: attributes.StringOrNull(string(i.ConsoleMode.Value)),
		JobID:       attributes.StringOrNull(i.JobID),
		CheckoutURL: attributes.StringOrNull(i.CheckoutURL),
		CreatedAt:   attributes.TimeOrNull(i.CreatedAt),
	}
	attributes.TakeRecord(&m.instanceSettings, &i.InstanceSettings)
	if i.Engines.Set {
		m.Engines = map[string]engineModel{}
	}
	if i.Activity != nil {
		m.Activity = []activityModel{}
	}
	for name, engine := range i.Engines.Value {
		m.Engines[name] = engineModel{MemoryMB: attributes.Int64OrNull(engine.MemoryMB), Port: attributes.Int64OrNull(engine.Port)}
	}
	if u := i.Usage.Value; u != nil {
		m.Usage = &usageModel{attributes.RecordedFloat64(u.CPUPercent.Value), attributes.RecordedFloat64(u.MemoryMB.Value), attributes.RecordedFloat64(u.DiskGB.Value)}
	}
	if c := i.Monitoring.Value; c != nil {
		m.Monitoring = &monitoringModel{attributes.RecordedBool(c.Healthy), attributes.TimeOrNull(c.CheckedAt)}
	}
	if b := i.Backups.Value; b != nil {
		m.Backups = &backupSummaryModel{attributes.RecordedInt64(b.Count), attributes.TimeOrNull(b.LastAt)}
	}
	for _, a := range i.Activity {
		m.Activity = append(m.Activity, activityModel{attributes.TimeOrNull(a.At), attributes.StringOrNull(a.Type), attributes.StringOrNull(a.Detail)})
	}
}

// readHost reads the host from the connection record if the instance runs and its record
// does not show the host yet (SERVICE.md#tolerance). Without that record, it stays null.
func (m *instanceRecordModel) readHost(ctx context.Context, c *client.Client) {
	if !m.Host.IsNull() || !base.Runs(m.Status.ValueString(), false) {
		return
	}
	if connection, err := c.Connection(ctx, m.ID.ValueString()); err == nil {
		m.Host = attributes.StringOrNull(connection.Host)
	}
}
