package core

import (
	"context"
	"errors"
	"slices"
)

// suggestedPort is the port that an app is best imported with. A container is told its
// port by PORT, so any will do; this is the one that most apps expect.
const suggestedPort = 3000

// notLookedAt is what records alone say of repositories.
const notLookedAt = "This fake service keeps records alone and looks at no repository."

// RepositoryList is the repositories that the code-hosting integration sees.
type RepositoryList struct {
	Repositories []RepositoryRecord `json:"repositories"`
	// Note says what is to be known of the answer; "" where there is nothing.
	Note string `json:"note,omitempty"`
}

// RepositoryRecord is a repository that can be imported.
type RepositoryRecord struct {
	Repo string `json:"repo"`
}

// Inspection is what a data plane finds in a branch of a repository.
type Inspection struct {
	Commit string
	// Recipe is the file by which it is built, "" where there is none that can be
	// followed. Missing says why then.
	Recipe, Missing string
}

// InspectionRecord is what an import of a branch would find.
type InspectionRecord struct {
	Repo   string  `json:"repo"`
	Branch string  `json:"branch"`
	Commit *string `json:"commit"`
	// RecipeFound tells whether the branch says how it is built, and Recipe by which
	// file.
	RecipeFound bool    `json:"recipe_found"`
	Recipe      *string `json:"recipe"`
	Port        int     `json:"port"`
	// Note says why no recipe is found, or what else is to be known of the answer.
	Note string `json:"note,omitempty"`
}

// Repositories lists what can be imported. Records alone know those of the apps that
// there are.
func (s *Service) Repositories(ctx context.Context) (RepositoryList, error) {
	if s.plane != nil {
		return repositoryList(s.plane.Repositories(), ""), nil
	}
	return look(ctx, s, func(st *state) (RepositoryList, error) {
		var names []string
		for _, in := range st.Instances {
			for _, a := range in.Apps {
				names = append(names, a.Repo)
			}
		}
		return repositoryList(names, notLookedAt+" It takes any owner/repo, and lists those of its apps."), nil
	})
}

func repositoryList(names []string, note string) RepositoryList {
	list := RepositoryList{Repositories: []RepositoryRecord{}, Note: note}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		list.Repositories = append(list.Repositories, RepositoryRecord{name})
	}
	return list
}

// InspectRepository says what an import of a branch to an instance would find. It takes
// real time where there is a data plane; records alone find everything in order.
func (s *Service) InspectRepository(ctx context.Context, id, repo, branch string) (InspectionRecord, error) {
	record, err := lookAt(ctx, s, id, func(_ *state, in *instance) (InspectionRecord, error) {
		switch {
		case in.Engines[EngineApps] == nil:
			return InspectionRecord{}, noApps()
		case !repository.MatchString(repo):
			return InspectionRecord{}, invalid("repo", "it must be owner/repo")
		}
		if err := checkBranch(branch); err != nil {
			return InspectionRecord{}, err
		}
		return InspectionRecord{Repo: repo, Branch: branch, Port: suggestedPort}, nil
	})
	if err != nil {
		return InspectionRecord{}, err
	}
	if s.plane == nil {
		record.RecipeFound, record.Note = true, notLookedAt
		return record, nil
	}
	if !slices.Contains(s.plane.Repositories(), repo) {
		return InspectionRecord{}, notFound("the code-hosting integration does not see the repository %s", repo)
	}
	found, err := s.plane.Inspect(ctx, repo, branch)
	if unread := (*Failure)(nil); errors.As(err, &unread) {
		return InspectionRecord{}, invalid("branch", "%s", unread.Detail)
	}
	if err != nil {
		return InspectionRecord{}, err
	}
	record.Commit, record.Recipe = textOrNil(found.Commit), textOrNil(found.Recipe)
	record.RecipeFound, record.Note = found.Recipe != "", found.Missing
	return record, nil
}
