package core

import (
	"context"
	"slices"
)

// observe brings the records of an instance in line with the real Postgres. Clients can
// also create and drop databases and extensions in SQL, so the records alone may be
// outdated. While a job works on the instance, observe leaves the records as they are,
// because the job's results must not appear before the job ends.
func (s *Service) observe(ctx context.Context, id string) error {
	jobs, observable := 0, false
	s.store.read(0, func(st *state) {
		in := st.find(id)
		if observable = st.plane != nil && in != nil && in.JobID == "" && in.Status == StatusRunning && checkPostgres(in) == nil; observable {
			jobs = in.JobCount
		}
	})
	if !observable {
		return nil
	}
	databases, extensions, err := s.plane.Databases(ctx, id)
	if err != nil {
		return unavailable("PostgreSQL cannot be asked for its databases now: %s", err)
	}
	s.store.do(func(st *state) {
		if in := st.find(id); in != nil && in.JobCount == jobs {
			st.observe(in, databases, extensions)
		}
	})
	return nil
}

// observe brings the records of an instance in line with the existing databases and
// extensions. The creation time of a new one is the time at which it was first seen. A
// database with a name that no request may have is left out: records that contain it
// could not be read again.
func (st *state) observe(in *instance, databases []Database, extensions []Extension) {
	databases = slices.DeleteFunc(slices.Clone(databases), func(d Database) bool { return checkDatabase(d.Name) != nil })
	extensions = slices.DeleteFunc(slices.Clone(extensions), func(e Extension) bool { return checkDatabase(e.Database) != nil })
	real := func(name string) bool {
		return slices.ContainsFunc(databases, func(d Database) bool { return d.Name == name })
	}
	in.Databases = slices.DeleteFunc(in.Databases, func(d Database) bool { return !real(d.Name) })
	for _, d := range databases {
		if !in.hasDatabase(d.Name) {
			in.Databases = append(in.Databases, Database{Name: d.Name, CreatedAt: st.Now})
		}
	}
	in.Extensions = slices.DeleteFunc(in.Extensions, func(e Extension) bool { return !slices.Contains(extensions, e) })
	for _, e := range extensions {
		if !slices.Contains(in.Extensions, e) {
			in.Extensions = append(in.Extensions, e)
		}
	}
}
