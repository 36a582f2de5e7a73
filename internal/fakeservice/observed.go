package fakeservice

import (
	"context"
	"slices"
)

// observed answers, or starts a job, when the records say what the real Postgres holds. Databases
// and extensions can be made and dropped in SQL too, so records alone would
// miss some. While a job works on the instance, they are the answer all the
// same: what it has made for real is not there before it ends.
func (st *state) observed(c *call, in *instance, view func(*instance) response) response {
	if st.plane == nil || in.JobID != "" || in.Status != StatusRunning {
		return view(in)
	}
	id, jobs := in.ID, in.jobs
	return response{later: func(ctx context.Context) response {
		databases, extensions, err := c.service.plane.Databases(ctx, id)
		if err != nil {
			return fail(unavailable("PostgreSQL cannot be asked for its databases now: %s", err))
		}
		var out response
		c.service.store.do(func(st *state) {
			// The same request may have come twice, and the other one first.
			if first, known := st.recall(c); known {
				out = response{status: first.status, header: first.header, raw: first.body}
				return
			}
			in := st.find(id)
			if in == nil {
				out = fail(notFound("there is no instance %q", id))
				return
			}
			if in.jobs == jobs {
				st.observe(in, databases, extensions)
			}
			out = view(in)
			st.remember(c, encode(out))
		})
		return out
	}}
}

// observe brings the records of an instance in line with what is there. What is
// new to them was made when it was first seen.
func (st *state) observe(in *instance, databases []Database, extensions []Extension) {
	real := func(name string) bool {
		return slices.ContainsFunc(databases, func(d Database) bool { return d.Name == name })
	}
	in.databases = slices.DeleteFunc(in.databases, func(d Database) bool { return !real(d.Name) })
	for _, d := range databases {
		if !in.hasDatabase(d.Name) {
			in.databases = append(in.databases, Database{Name: d.Name, CreatedAt: st.now})
		}
	}
	in.extensions = slices.DeleteFunc(in.extensions, func(e Extension) bool { return !slices.Contains(extensions, e) })
	for _, e := range extensions {
		if !slices.Contains(in.extensions, e) {
			in.extensions = append(in.extensions, e)
		}
	}
}
