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
	ID          types.String           `tfsdk:"id"`
	Name        types.String           `tfsdk:"name"`
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
		Name:        attributes.StringOrNull(i.Name),
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

// instanceDescriptions describes the attributes of an instance's record, which the data
// sources hosting_instance and hosting_instances share.
var instanceDescriptions = map[string]string{
	"id":           "Identifier.",
	"name":         "Name.",
	"plan":         "Plan.",
	"region":       "Location.",
	"status":       "`creating`, `running`, `deleting` or `failed`.",
	"host":         "Host name of the engines. Null until the instance runs.",
	"engines":      "Engines that are on, by name. Null if the service does not report them.",
	"memory_mb":    "Memory budget in MB.",
	"port":         "Port. Null for an engine without a port.",
	"tags":         "Tags.",
	"allowlist":    "Addresses that may connect. If the set is empty, or has `0.0.0.0/0` or `::/0`, the instance is open to the internet. Null, so unknown, if the service does not report the list.",
	"console_mode": "Mode of the SQL console: `off`, `ro` or `rw`.",
	"job_id":       "Id of the running job, or null.",
	"checkout_url": "Checkout page of an instance on a paid plan. Null after the checkout, and on a free plan.",
	"created_at":   "When the instance was created, in RFC 3339.",
	"usage":        "Current usage. Null if the service does not report it.",
	"cpu_percent":  "CPU usage in percent.",
	"used_mb":      "Used memory in MB.",
	"disk_gb":      "Used disk space in GB.",
	"monitoring":   "Last health check. Null if none has run.",
	"healthy":      "Whether the last check passed.",
	"checked_at":   "When the check ran, in RFC 3339.",
	"backups":      "Summary of the backups. Null if the service does not report it. The data source `hosting_backups` lists the backups.",
	"count":        "Number of backups.",
	"last_at":      "When the newest backup was taken, in RFC 3339, or null.",
	"activity":     "Last 20 events of the instance, the newest first. Null if the service does not report them.",
	"at":           "When the event happened, in RFC 3339.",
	"type":         "Type of the event, such as `ready` or `resize`.",
	"detail":       "Details, or null.",
}
