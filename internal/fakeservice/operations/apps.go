package operations

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// onApp has the arguments that name an app of an instance.
type onApp struct {
	onInstance
	Name string `json:"name" jsonschema:"the name of the app"`
}

// onBranch has the arguments that name a branch of a repository.
type onBranch struct {
	onInstance
	Repo   string `json:"repo" jsonschema:"owner/repo, as list_repos has it"`
	Branch string `json:"branch"`
}

func readGuide(context.Context, Service, None) (Markdown, error) { return Markdown(core.Guide), nil }

func inspectRepository(ctx context.Context, s Service, in onBranch) (core.InspectionRecord, error) {
	return s.InspectRepository(ctx, in.InstanceID, in.Repo, in.Branch)
}

func importApp(_ context.Context, s Service, in struct {
	onInstance
	Repo   string `json:"repo" jsonschema:"owner/repo, as list_repos has it"`
	Branch string `json:"branch"`
	Name   string `json:"name" jsonschema:"1 to 40 lower case letters, digits and hyphens, the first of them a letter"`
	Port   int    `json:"port" jsonschema:"the port that the container listens on, which it is told by PORT"`
	Source string `json:"source,omitempty"`
	Target string `json:"target,omitempty"`
	core.AppChange
}) (core.AcceptedBuild, error) {
	wanted := core.NewApp{Repo: in.Repo, Name: in.Name, AppChange: in.AppChange}
	wanted.Branch, wanted.Port = &in.Branch, &in.Port
	return s.ImportApp(in.InstanceID, wanted)
}

func readApp(ctx context.Context, s Service, in onApp) (core.AppRecord, error) {
	return s.ReadApp(ctx, in.InstanceID, in.Name)
}

func listBuilds(ctx context.Context, s Service, in struct {
	onApp
	page
}) (core.BuildList, error) {
	return s.BuildPage(ctx, in.InstanceID, in.Name, in.Cursor, in.limit())
}

// appSource is the repository of an app and the app's newest build.
type appSource struct {
	Name   string  `json:"name"`
	Repo   string  `json:"repo"`
	Branch string  `json:"branch"`
	Status string  `json:"status"`
	URL    *string `json:"url"`
	// Build is nil before the first one.
	Build *core.BuildRecord `json:"build"`
}

func readSource(ctx context.Context, s Service, in onApp) (appSource, error) {
	a, err := s.ReadApp(ctx, in.InstanceID, in.Name)
	if err != nil {
		return appSource{}, err
	}
	source := appSource{Name: a.Name, Repo: a.Repo, Branch: a.Branch, Status: a.Status, URL: a.URL}
	list, err := s.Builds(ctx, in.InstanceID, in.Name)
	if err == nil && len(list.Builds) > 0 {
		source.Build = &list.Builds[0]
	}
	return source, err
}

func updateApp(_ context.Context, s Service, in struct {
	onApp
	core.AppChange
}) (core.AcceptedBuild, error) {
	return s.UpdateApp(in.InstanceID, in.Name, in.AppChange)
}

func deleteApp(_ context.Context, s Service, in onApp) (core.Accepted, error) {
	return s.DeleteApp(in.InstanceID, in.Name)
}

func redeployApp(_ context.Context, s Service, in onApp) (core.AcceptedBuild, error) {
	return s.RedeployApp(in.InstanceID, in.Name)
}

func restartApp(_ context.Context, s Service, in onApp) (core.Accepted, error) {
	return s.RestartApp(in.InstanceID, in.Name)
}
