package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// onBranch are the arguments of a look at a repository.
type onBranch struct {
	onInstance
	Repo   string `json:"repo" jsonschema:"owner/repo, as list_repos has it"`
	Branch string `json:"branch"`
}

// imported are the arguments of an import.
type imported struct {
	onBranch
	Name       string            `json:"name" jsonschema:"1 to 40 lower case letters, digits and hyphens, the first of them a letter"`
	Port       int               `json:"port" jsonschema:"the port that the container listens on, which it is told by PORT"`
	Source     string            `json:"source,omitempty"`
	Target     string            `json:"target,omitempty"`
	HealthPath *string           `json:"health_path,omitempty" jsonschema:"the path that answers 200; /healthz where it is left out"`
	Public     *bool             `json:"public,omitempty" jsonschema:"whether the app gets a public URL"`
	MemoryMB   *int              `json:"memory_mb,omitempty" jsonschema:"at least the floor of the apps engine, which is the default"`
	Env        map[string]string `json:"env,omitempty" jsonschema:"variables of the build and the app"`
}

// onApp is an app of an instance.
type onApp struct {
	onInstance
	Name string `json:"name" jsonschema:"the name of the app"`
}

// buildsOfApp is a page of the builds of an app.
type buildsOfApp struct {
	onApp
	page
}

// changedApp are the arguments of a change of an app.
type changedApp struct {
	onApp
	Links      []string          `json:"links,omitempty" jsonschema:"the engines that are linked: auth, or none"`
	Branch     *string           `json:"branch,omitempty" jsonschema:"another one is built"`
	Port       *int              `json:"port,omitempty"`
	HealthPath *string           `json:"health_path,omitempty"`
	Public     *bool             `json:"public,omitempty"`
	MemoryMB   *int              `json:"memory_mb,omitempty"`
	Env        map[string]string `json:"env,omitempty" jsonschema:"all variables from now on; others than before are built"`
}

func (in changedApp) change() core.AppChange {
	return core.AppChange{
		Branch: in.Branch, Port: in.Port, HealthPath: in.HealthPath, Public: in.Public, MemoryMB: in.MemoryMB,
		Links: listSent(in.Links), Env: variablesSent(in.Env),
	}
}

func variablesSent(env map[string]string) *map[string]string {
	if env == nil {
		return nil
	}
	return &env
}

// variables says what of an app's record may be secret.
const variables = "the values of env, any of which may be one"

// appRepository is where an app comes from, and how its newest build does.
type appRepository struct {
	Name   string  `json:"name"`
	Repo   string  `json:"repo"`
	Branch string  `json:"branch"`
	Status string  `json:"status"`
	URL    *string `json:"url"`
	// Build is nil before the first one.
	Build *core.BuildRecord `json:"build"`
}

// addApps adds the tools for apps, their repositories and builds.
func (t tools) addApps() {
	s := t.Service
	sdk.AddTool(t.server, about{
		name: "app_guide", title: "What a hosted app must satisfy", effect: reading,
		text: "Returns the container and deployment contract of apps, as Markdown.",
	}.tool(), func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(core.Guide)}}}, nil, nil
	})
	add(t, about{
		name: "list_repos", title: "Repositories", effect: reading, fetches: true,
		text: "Lists the repositories that the code-hosting integration sees.",
	}, func(ctx context.Context, _ none) (core.RepositoryList, error) { return s.Repositories(ctx) })
	add(t, about{
		name: "inspect_repo", title: "Look at a repository", effect: reading, fetches: true,
		text: "Tells whether a branch says how it is built, and which port suits an import of it to an instance.",
	}, func(ctx context.Context, in onBranch) (core.InspectionRecord, error) {
		return s.InspectRepository(ctx, in.InstanceID, in.Repo, in.Branch)
	})
	add(t, about{
		name: "import_repo", title: "Import a repository as an app", effect: doing, fetches: true,
		text:  "Imports a branch of a repository as an app and queues its first build. It applies no links; update_app does, afterwards.",
		words: map[string][]any{"source": {"git"}, "target": {"runner"}},
	}, func(_ context.Context, in imported) (core.AcceptedBuild, error) {
		return s.ImportApp(in.InstanceID, core.NewApp{Repo: in.Repo, Name: in.Name, AppChange: core.AppChange{
			Branch: &in.Branch, Port: &in.Port, HealthPath: in.HealthPath, Public: in.Public, MemoryMB: in.MemoryMB, Env: variablesSent(in.Env),
		}})
	})
	add(t, about{
		name: "list_apps", title: "Apps", effect: reading, secrets: variables,
		text: "Lists the apps of an instance, in order of import.",
	}, func(ctx context.Context, in onInstance) (core.AppList, error) { return s.ListApps(ctx, in.InstanceID) })
	add(t, about{
		name: "get_app", title: "One app", effect: reading, secrets: variables,
		text: "Shows an app: its status, its public URL, which is null until it is deployed, and why it has failed.",
	}, func(ctx context.Context, in onApp) (core.AppRecord, error) {
		return s.ReadApp(ctx, in.InstanceID, in.Name)
	})
	add(t, about{
		name: "list_builds", title: "Builds", effect: reading,
		text: "Lists the builds of an app, newest first, each with its status (queued, running, successful or failed) and the end of its log where it has failed. Where next_cursor is in the answer there are more.",
	}, func(ctx context.Context, in buildsOfApp) (core.BuildList, error) {
		return s.BuildPage(ctx, in.InstanceID, in.Name, in.Cursor, in.limit())
	})
	add(t, about{
		name: "app_repo", title: "Repository and newest build of an app", effect: reading,
		text: "Shows where an app comes from, its public URL and its newest build.",
	}, t.appRepository)
	add(t, about{
		name: "update_app", title: "Change an app", effect: replacing,
		text: "Changes an app. What is left out stays. Another branch or other variables queue a build, whose id is build_id; anything else restarts the app.",
	}, func(_ context.Context, in changedApp) (core.AcceptedBuild, error) {
		return s.UpdateApp(in.InstanceID, in.Name, in.change())
	})
	add(t, about{
		name: "delete_app", title: "Delete an app", effect: replacing,
		text: "Deletes an app with all that is under its /data, for good.",
	}, func(_ context.Context, in onApp) (core.Accepted, error) { return s.DeleteApp(in.InstanceID, in.Name) })
	add(t, about{
		name: "redeploy_app", title: "Redeploy an app", effect: doing, fetches: true,
		text: "Builds the newest commit of an app's branch and deploys it.",
	}, func(_ context.Context, in onApp) (core.AcceptedBuild, error) {
		return s.RedeployApp(in.InstanceID, in.Name)
	})
	add(t, about{
		name: "restart_app", title: "Restart an app", effect: doing,
		text: "Restarts an app. Its data stays.",
	}, func(_ context.Context, in onApp) (core.Accepted, error) { return s.RestartApp(in.InstanceID, in.Name) })
}

func (t tools) appRepository(ctx context.Context, in onApp) (appRepository, error) {
	a, err := t.Service.ReadApp(ctx, in.InstanceID, in.Name)
	if err != nil {
		return appRepository{}, err
	}
	record := appRepository{Name: a.Name, Repo: a.Repo, Branch: a.Branch, Status: a.Status, URL: a.URL}
	list, err := t.Service.Builds(ctx, in.InstanceID, in.Name)
	if err == nil && len(list.Builds) > 0 {
		record.Build = &list.Builds[0]
	}
	return record, err
}
