package core

import (
	"context"
	"errors"
	"slices"
)

// suggestedPort is the suggested port for an import. Any port works, because a container
// gets its port in PORT; most apps expect this one.
const suggestedPort = 3000

// notLookedAt is the note of a fake without a data plane about repositories.
const notLookedAt = "This fake service keeps records alone and looks at no repository."

// RepositoryList lists the repositories that the code-hosting integration sees.
type RepositoryList struct {
	Repositories []RepositoryRecord `json:"repositories"`
	// Note is a remark for the user, or "".
	Note string `json:"note,omitempty"`
}

// RepositoryRecord is a repository that can be imported.
type RepositoryRecord struct {
	Repo string `json:"repo"`
}

// Inspection is the result of a data plane's inspection of a branch.
type Inspection struct {
	Commit string
	// Recipe is the file that describes the build. It is "" if there is no usable one,
	// and then Missing is the reason.
	Recipe, Missing string
}

// InspectionRecord is the result of an inspection of a branch, as the API shows it.
type InspectionRecord struct {
	Repo   string  `json:"repo"`
	Branch string  `json:"branch"`
	Commit *string `json:"commit"`
	// RecipeFound reports whether the branch has a usable Recipe, the file that describes
	// the build.
	RecipeFound bool    `json:"recipe_found"`
	Recipe      *string `json:"recipe"`
	Port        int     `json:"port"`
	// Note is the reason that no recipe was found, or another remark.
	Note string `json:"note,omitempty"`
}

// Repositories lists the repositories that can be imported. Without a data plane, it
// lists those of the existing apps.
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

// InspectRepository reports what an import of a branch to an instance would find. With a
// data plane it takes real time. Without one, it reports no problems.
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
