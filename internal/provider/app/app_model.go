package app

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timetypes/timetypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

// appSettings are the settings that the resource and the data source have, with the tags of
// client.AppSettings. Variables are not among them, because any of them may be secret.
type appSettings struct {
	Branch     types.String `tfsdk:"branch"`
	Port       types.Int64  `tfsdk:"port"`
	HealthPath types.String `tfsdk:"health_path"`
	Public     types.Bool   `tfsdk:"public"`
	Links      types.Set    `tfsdk:"links"`
	MemoryMB   types.Int64  `tfsdk:"memory_mb"`
}

type appModel struct {
	appSettings
	InstanceID         types.String      `tfsdk:"instance_id"`
	Name               types.String      `tfsdk:"name"`
	Repo               types.String      `tfsdk:"repo"`
	Env                types.Map         `tfsdk:"env"`
	SecretEnvWO        types.Map         `tfsdk:"secret_env_wo"`
	SecretEnvWOVersion types.Int64       `tfsdk:"secret_env_wo_version"`
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

// setRecord copies an app's record into the model. Fields that the record lacks keep
// their values. If it is unknown which variables are secret, env is unchanged.
func (m *appModel) setRecord(a client.App, secret secretKeys) {
	if a.Repo != "" && !sameRepo(a.Repo, m.Repo.ValueString()) {
		m.Repo = types.StringValue(plainRepo(a.Repo))
	}
	attributes.TakeRecord(&m.appSettings, &a.AppSettings)
	if a.Env.Set && secret.known {
		m.Env = mapOf(secret.inState(a.Env.Value, m.Env), m.Env)
	}
	if a.URL != "" || !m.Public.ValueBool() || m.URL.IsUnknown() {
		m.URL = attributes.StringOrNull(a.URL) // a public app keeps the URL that it has had
	}
	attributes.SetRecorded(&m.Status, string(a.Status))
	attributes.SetRecorded(&m.CreatedAt.StringValue, attributes.TimeOrNull(a.CreatedAt).ValueString())
	if m.DeletionProtection.IsNull() {
		m.DeletionProtection = types.BoolValue(true) // imported: only the provider knows it
	}
}

// neverRan reports whether there is evidence that the app has never run, and so has no
// data. This requires a pending creation. It also requires that no build was deployed, or
// only one that failed its health check. In doubt, the app is protected.
func (m *appModel) neverRan(n note) bool {
	switch {
	case !n.isNew(), m.Status.ValueString() == client.AppRunning:
		return false
	case n.Phase == failed && m.BuildID.ValueString() == n.Build:
		return true
	}
	return m.BuildID.ValueString() == "" && m.URL.ValueString() == ""
}

// protected reports whether the app must not be destroyed. The value in the state
// decides, except for an app that never ran: it has no data to protect.
func (m *appModel) protected(n note) bool {
	return base.IsProtected(m.DeletionProtection) && !m.neverRan(n)
}

// protectedObject returns the names of the app in messages.
func (m *appModel) protectedObject() base.ProtectedObject {
	name, instance := m.Name.ValueString(), m.InstanceID.ValueString()
	return base.ProtectedObject{Title: "App " + name, Name: "App " + name + " of instance " + instance, ImportID: instance + "/" + name}
}

// absent describes the app as an object that the service does not find.
func (m *appModel) absent() base.AbsentObject {
	instance := m.InstanceID.ValueString()
	return base.AbsentObject{
		What: "App " + m.Name.ValueString() + " of instance " + instance, InstanceID: instance,
		IsValuable: func(context.Context) bool { return base.IsProtected(m.DeletionProtection) },
	}
}

// setBuild sets the deployed build, which is the newest successful one. If the list has
// none, known values are kept.
func (m *appModel) setBuild(builds []client.Build) {
	m.BuildID, m.Commit = attributes.NullIfUnknown(m.BuildID), attributes.NullIfUnknown(m.Commit)
	for _, build := range builds {
		if build.Succeeded() {
			m.BuildID, m.Commit = attributes.StringOrNull(build.ID), attributes.StringOrNull(build.Commit)
			return
		}
	}
}

// withoutUnknowns returns the model with null for each unknown value.
func (m appModel) withoutUnknowns() appModel {
	for _, v := range m.computed() {
		*v = attributes.NullIfUnknown(*v)
	}
	attributes.TakeRecord(&m.appSettings, &client.AppSettings{})
	return m
}

// withUnknown returns the model for comparisons after an update whose end was not seen. The
// named attributes are unknown, because the app may have another value. env stands for the
// secret variables, too.
func (m appModel) withUnknown(names []string) appModel {
	attributes.Forget(&m.appSettings, names)
	if slices.Contains(names, "env") {
		m.Env, m.SecretEnvWOVersion = types.MapUnknown(types.StringType), types.Int64Unknown()
	}
	return m
}

// withUnfinishedUnknown returns the model as planned for a deployment that has not ended.
func (m appModel) withUnfinishedUnknown() appModel {
	for _, v := range m.computed() {
		if v.IsNull() {
			*v = types.StringUnknown()
		}
	}
	m.Status, m.BuildID, m.Commit, m.URL = types.StringUnknown(), types.StringUnknown(), types.StringUnknown(), types.StringUnknown()
	attributes.ForgetNulls(&m.appSettings)
	return m
}

// computed returns the attributes that only the service sets. An attribute that a
// configuration may set as well, such as memory_mb, is not one of them.
func (m *appModel) computed() []*types.String {
	return []*types.String{&m.URL, &m.Status, &m.BuildID, &m.Commit, &m.CreatedAt.StringValue}
}

// newApp returns the request to import the app, with all of its build variables. It cannot
// carry links (SERVICE.md#apps).
func (m *appModel) newApp(env map[string]string) client.NewApp {
	n := client.NewApp{Repo: m.Repo.ValueString(), Name: m.Name.ValueString()}
	attributes.Request(&m.appSettings, &n.AppSettings, attributes.Names(&m.appSettings))
	n.Links, n.Env = client.Maybe[[]string]{}, client.Some(env)
	return n
}

// mapOf returns a map of strings. If there are no values, the prior value decides between
// null and an empty map, like in SetOf.
func mapOf(values map[string]string, prior types.Map) types.Map {
	if len(values) == 0 && !prior.IsUnknown() {
		if prior.IsNull() || len(prior.Elements()) > 0 {
			return types.MapNull(types.StringType)
		}
		return prior
	}
	// This conversion of strings cannot fail.
	m, _ := types.MapValueFrom(context.Background(), types.StringType, values)
	return m
}

// knownStrings returns the entries of a map of strings whose values are known.
func knownStrings(m types.Map) map[string]string {
	values := map[string]string{}
	for name, value := range m.Elements() {
		if text, ok := value.(types.String); ok && !text.IsUnknown() && !text.IsNull() {
			values[name] = text.ValueString()
		}
	}
	return values
}

// isKnown reports whether a map and all of its values are known.
func isKnown(m types.Map) bool {
	return !m.IsUnknown() && len(knownStrings(m)) == len(m.Elements())
}

// stringMap returns the entries of a map of strings.
func stringMap(ctx context.Context, m types.Map, diags *diag.Diagnostics) map[string]string {
	values := map[string]string{}
	if m.IsNull() || m.IsUnknown() {
		return values
	}
	diags.Append(m.ElementsAs(ctx, &values, false)...)
	return values
}
