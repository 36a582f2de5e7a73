package core

import (
	"context"
	"time"
)

// Overview has everything that the API shows, at one moment, except connection records.
// So it contains no credentials.
type Overview struct {
	Now       time.Time          `json:"now"`
	Instances []InstanceOverview `json:"instances"`
	Webhooks  []WebhookRecord    `json:"webhooks"`
}

// InstanceOverview is an instance with its objects. An extension is written as
// database/name.
type InstanceOverview struct {
	InstanceRecord
	Apps       []AppRecord `json:"apps"`
	Databases  []string    `json:"databases"`
	Extensions []string    `json:"extensions"`
}

// Overview returns everything that the API shows, at one moment.
func (s *Service) Overview(ctx context.Context) (Overview, error) {
	return look(ctx, s, func(st *state) (Overview, error) {
		all := Overview{Now: st.Now, Instances: []InstanceOverview{}, Webhooks: []WebhookRecord{}}
		for _, in := range st.Instances {
			one := InstanceOverview{InstanceRecord: st.record(in), Apps: []AppRecord{}, Databases: []string{}, Extensions: []string{}}
			for _, a := range in.Apps {
				one.Apps = append(one.Apps, a.record())
			}
			for _, d := range in.Databases {
				one.Databases = append(one.Databases, d.Name)
			}
			for _, e := range in.Extensions {
				one.Extensions = append(one.Extensions, e.Database+"/"+e.Name)
			}
			all.Instances = append(all.Instances, one)
		}
		for _, w := range st.Webhooks {
			all.Webhooks = append(all.Webhooks, recordOf(w))
		}
		return all, nil
	})
}
