package instance

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// instanceRecordAttributes returns the attributes of an instance's record, which the data
// sources hosting_instance and hosting_instances share.
func instanceRecordAttributes(ctx context.Context) map[string]schema.Attribute {
	return attributes.Recorded(ctx, NewResource(), attributes.Names(&instanceSettings{}), map[string]schema.Attribute{
		"id":     schema.StringAttribute{Computed: true, MarkdownDescription: "Identifier."},
		"plan":   schema.StringAttribute{Computed: true, MarkdownDescription: "Plan."},
		"region": schema.StringAttribute{Computed: true, MarkdownDescription: "Location."},
		"status": schema.StringAttribute{Computed: true, MarkdownDescription: "`creating`, `running`, `deleting` or `failed`."},
		"host":   schema.StringAttribute{Computed: true, MarkdownDescription: "Host name of the engines. Null until the instance runs."},
		"engines": schema.MapNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Engines that are on, by name. Null if the service does not report them.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"memory_mb": schema.Int64Attribute{Computed: true, MarkdownDescription: "Memory budget in MB."},
				"port":      schema.Int64Attribute{Computed: true, MarkdownDescription: "Port. Null for an engine without a port."},
			}},
		},
		"tags":         schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Tags."},
		"allowlist":    schema.SetAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Addresses that may connect. If the set is empty, or has `0.0.0.0/0` or `::/0`, the instance is open to the internet. Null, so unknown, if the service does not report the list."},
		"console_mode": schema.StringAttribute{Computed: true, MarkdownDescription: "Mode of the SQL console: `off`, `ro` or `rw`."},
		"job_id":       schema.StringAttribute{Computed: true, MarkdownDescription: "Id of the running job, or null."},
		"checkout_url": schema.StringAttribute{Computed: true, MarkdownDescription: "Checkout page of an instance on a paid plan. Null after the checkout, and on a free plan."},
		"created_at":   schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the instance was created, in RFC 3339."},
		"usage": schema.SingleNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Current usage. Null if the service does not report it.",
			Attributes: map[string]schema.Attribute{
				"cpu_percent": schema.Float64Attribute{Computed: true, MarkdownDescription: "CPU usage in percent."},
				"memory_mb":   schema.Float64Attribute{Computed: true, MarkdownDescription: "Used memory in MB."},
				"disk_gb":     schema.Float64Attribute{Computed: true, MarkdownDescription: "Used disk space in GB."},
			},
		},
		"monitoring": schema.SingleNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Last health check. Null if none has run.",
			Attributes: map[string]schema.Attribute{
				"healthy":    schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the last check passed."},
				"checked_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the check ran, in RFC 3339."},
			},
		},
		"backups": schema.SingleNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Summary of the backups. Null if the service does not report it. The data source `hosting_backups` lists the backups.",
			Attributes: map[string]schema.Attribute{
				"count":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of backups."},
				"last_at": schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the newest backup was taken, in RFC 3339, or null."},
			},
		},
		"activity": schema.ListNestedAttribute{
			Computed:            true,
			MarkdownDescription: "Last 20 events of the instance, the newest first. Null if the service does not report them.",
			NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"at":     schema.StringAttribute{Computed: true, CustomType: timetypes.RFC3339Type{}, MarkdownDescription: "When the event happened, in RFC 3339."},
				"type":   schema.StringAttribute{Computed: true, MarkdownDescription: "Type of the event, such as `ready` or `resize`."},
				"detail": schema.StringAttribute{Computed: true, MarkdownDescription: "Details, or null."},
			}},
		},
	})
}
