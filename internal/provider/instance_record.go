package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// instanceRecordModel is an instance as the data sources show it: what its
// record tells.
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
	Healthy     types.Bool             `tfsdk:"healthy"`
	BackupCount types.Int64            `tfsdk:"backup_count"`
}

type engineModel struct {
	MemoryMB types.Int64 `tfsdk:"memory_mb"`
	Port     types.Int64 `tfsdk:"port"`
}

func (m *instanceRecordModel) setRecord(i client.Instance) {
	*m = instanceRecordModel{
		ID:          types.StringValue(i.ID),
		Name:        types.StringValue(i.Name),
		Plan:        types.StringValue(i.PlanID()),
		Region:      types.StringValue(i.Region),
		Status:      stringOrNull(i.Status),
		Host:        stringOrNull(i.Host),
		Tags:        setOrNull(i.Tags),
		Allowlist:   setOrNull(i.Allowlist),
		ConsoleMode: stringOrNull(i.ConsoleMode.Value),
		JobID:       stringOrNull(i.JobID),
		CheckoutURL: stringOrNull(i.CheckoutURL),
		CreatedAt:   timeOrNull(i.CreatedAt),
		Engines:     map[string]engineModel{},
	}
	for name, engine := range i.Engines.Value {
		m.Engines[name] = engineModel{MemoryMB: int64OrNull(engine.MemoryMB), Port: int64OrNull(engine.Port)}
	}
	if i.Monitoring.Value != nil {
		m.Healthy = types.BoolValue(i.Monitoring.Value.Healthy)
	}
	if i.Backups.Value != nil {
		m.BackupCount = types.Int64Value(i.Backups.Value.Count)
	}
}

// instanceDescriptions describes the attributes of an instance's record, which the
// data sources hosting_instance and hosting_instances both show.
var instanceDescriptions = map[string]string{
	"id":           "Identifier.",
	"name":         "Name.",
	"plan":         "Plan.",
	"region":       "Location.",
	"status":       "`creating`, `running`, `deleting` or `failed`.",
	"host":         "Host name that the engines answer at. Null until it runs.",
	"engines":      "The engines that are on, by name.",
	"memory_mb":    "Memory budget in MB.",
	"port":         "Port, null for an engine without one.",
	"tags":         "Tags.",
	"allowlist":    "Addresses that may reach it. An empty set means that it is open to the internet; null, that the service does not tell.",
	"console_mode": "Mode of the SQL console: `off`, `ro` or `rw`.",
	"job_id":       "The job in progress, or null.",
	"checkout_url": "Page that finishes the creation of an instance of a paid plan, or null.",
	"created_at":   "When it was created, in RFC 3339.",
	"healthy":      "What the newest health check found.",
	"backup_count": "How many backups there are.",
}
