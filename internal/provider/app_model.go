package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

type appModel struct {
	InstanceID         types.String      `tfsdk:"instance_id"`
	Name               types.String      `tfsdk:"name"`
	Repo               types.String      `tfsdk:"repo"`
	Branch             types.String      `tfsdk:"branch"`
	Port               types.Int64       `tfsdk:"port"`
	HealthPath         types.String      `tfsdk:"health_path"`
	Public             types.Bool        `tfsdk:"public"`
	Env                types.Map         `tfsdk:"env"`
	SecretEnvWO        types.Map         `tfsdk:"secret_env_wo"`
	SecretEnvWOVersion types.Int64       `tfsdk:"secret_env_wo_version"`
	Links              types.Set         `tfsdk:"links"`
	MemoryMB           types.Int64       `tfsdk:"memory_mb"`
	RedeployTriggers   types.Map         `tfsdk:"redeploy_triggers"`
	DeployCommit       types.String      `tfsdk:"deploy_commit"`
	DeletionProtection types.Bool        `tfsdk:"deletion_protection"`
	URL                types.String      `tfsdk:"url"`
	Status             types.String      `tfsdk:"status"`
	BuildID            types.String      `tfsdk:"build_id"`
	Commit             types.String      `tfsdk:"commit"`
	CreatedAt          timetypes.RFC3339 `tfsdk:"created_at"`
	Timeouts           timeouts.Value    `tfsdk:"timeouts"`
}

// setRecord takes over what an app's record tells. What it does not hold keeps
// its value. While it is not known which variables are secret, env is left as it is.
func (m *appModel) setRecord(a client.App, secret secretKeys) {
	if a.Repo != "" && !strings.EqualFold(a.Repo, m.Repo.ValueString()) {
		m.Repo = types.StringValue(a.Repo)
	}
	setRecorded(&m.Branch, a.Branch)
	if a.Port.Set {
		m.Port = types.Int64Value(a.Port.Value)
	}
	if a.HealthPath.Set {
		m.HealthPath = types.StringValue(a.HealthPath.Value)
	}
	if a.Public.Set {
		m.Public = types.BoolValue(a.Public.Value)
	}
	if a.Links.Set {
		m.Links = setOf(a.Links.Value, m.Links)
	}
	switch {
	case a.MemoryMB.Set && a.MemoryMB.Value > 0:
		m.MemoryMB = types.Int64Value(a.MemoryMB.Value)
	case m.MemoryMB.IsUnknown():
		m.MemoryMB = types.Int64Null()
	}
	if a.Env.Set && secret.known {
		m.Env = mapOf(secret.without(a.Env.Value), m.Env)
	}
	m.URL = stringOrNull(a.URL)
	setRecorded(&m.Status, string(a.Status))
	setRecorded(&m.CreatedAt.StringValue, timeOrNull(a.CreatedAt).ValueString())
	if m.DeletionProtection.IsNull() {
		m.DeletionProtection = types.BoolValue(true) // imported: only the provider knows it
	}
}

// neverRan tells whether there is evidence that the app has never run, and so has
// no data: its creation is noted as pending, and nothing was deployed, or only
// what was seen not to answer. What is not known protects.
func (m *appModel) neverRan(work pendingWork) bool {
	switch {
	case !work.Creating, m.Status.ValueString() == client.AppRunning:
		return false
	case work.Failed && m.BuildID.ValueString() == work.Build:
		return true
	}
	return m.BuildID.ValueString() == "" && m.URL.ValueString() == ""
}

// protected tells whether the app must not be destroyed. The value in the state
// rules; one that never ran has nothing to protect.
func (m *appModel) protected(work pendingWork) bool {
	return isProtected(m.DeletionProtection) && !m.neverRan(work)
}

// protectedObject is the app as errors name it.
func (m *appModel) protectedObject() protectedObject {
	name, instance := m.Name.ValueString(), m.InstanceID.ValueString()
	return protectedObject{Title: "App " + name, Name: "App " + name + " of instance " + instance, ImportID: instance + "/" + name}
}

// absent is the app as something that the service does not know.
func (m *appModel) absent() absentObject {
	instance := m.InstanceID.ValueString()
	return absentObject{what: "App " + m.Name.ValueString() + " of instance " + instance, instanceID: instance}
}

// setBuild takes over the build that is deployed: the newest that succeeded. Where none
// is listed, what is known stays.
func (m *appModel) setBuild(builds []client.Build) {
	m.BuildID, m.Commit = nullIfUnknown(m.BuildID), nullIfUnknown(m.Commit)
	for _, build := range builds {
		if build.Succeeded() {
			m.BuildID, m.Commit = stringOrNull(build.ID), stringOrNull(build.Commit)
			return
		}
	}
}

// withoutUnknowns is the model with each value that is not known yet as null.
func (m appModel) withoutUnknowns() appModel {
	for _, v := range m.computed() {
		*v = nullIfUnknown(*v)
	}
	if m.MemoryMB.IsUnknown() {
		m.MemoryMB = types.Int64Null()
	}
	return m
}

// unlinked is the model as an import makes it, which cannot carry links (SERVICE.md#apps).
func (m appModel) unlinked() appModel {
	m.Links = types.SetNull(types.StringType)
	return m
}

// withUnfinishedUnknown is the model as planned for a deployment that has yet to
// end.
func (m appModel) withUnfinishedUnknown() appModel {
	for _, v := range m.computed() {
		if v.IsNull() {
			*v = types.StringUnknown()
		}
	}
	m.Status, m.BuildID, m.Commit, m.URL = types.StringUnknown(), types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	if m.MemoryMB.IsNull() {
		m.MemoryMB = types.Int64Unknown()
	}
	return m
}

// computed are the model's attributes that only the service sets.
func (m *appModel) computed() []*types.String {
	return []*types.String{&m.URL, &m.Status, &m.BuildID, &m.Commit, &m.CreatedAt.StringValue}
}

// newApp is the request to import the app, with all of its build variables.
func (m *appModel) newApp(env map[string]string) client.NewApp {
	n := client.NewApp{
		Repo:       m.Repo.ValueString(),
		Branch:     m.Branch.ValueString(),
		Name:       m.Name.ValueString(),
		Port:       m.Port.ValueInt64(),
		HealthPath: m.HealthPath.ValueString(),
		Public:     m.Public.ValueBool(),
		Env:        env,
	}
	if !m.MemoryMB.IsUnknown() {
		n.MemoryMB = m.MemoryMB.ValueInt64Pointer()
	}
	return n
}

// mapOf is a map of strings; for none it is what the prior value says, as with
// setOf.
func mapOf(values map[string]string, prior types.Map) types.Map {
	if len(values) == 0 && !prior.IsUnknown() {
		if prior.IsNull() || len(prior.Elements()) > 0 {
			return types.MapNull(types.StringType)
		}
		return prior
	}
	// Strings make a map of strings.
	m, _ := types.MapValueFrom(context.Background(), types.StringType, values)
	return m
}

// stringMap are the entries of a map of strings.
func stringMap(ctx context.Context, m types.Map, diags *diag.Diagnostics) map[string]string {
	values := map[string]string{}
	if m.IsNull() || m.IsUnknown() {
		return values
	}
	diags.Append(m.ElementsAs(ctx, &values, false)...)
	return values
}
