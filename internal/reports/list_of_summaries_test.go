package reports

import "testing"

// Lists have only summaries of the records.
func TestListOfSummaries(t *testing.T) {
	three := `
resource "hosting_instance" "m" {
  count               = 4
  name                = "m${count.index}"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {}, redis = {} }
  tags                = ["a"]
  deletion_protection = false
}
`
	summary := func(change func(o map[string]any)) func(*world) {
		return func(w *world) {
			w.apply(three)
			w.behaves(trait{method: "GET", path: instances, after: func(x *exchange) {
				all, _ := x.object()["instances"].([]any)
				for _, one := range all {
					change(one.(map[string]any))
				}
			}})
			w.settled(three)
			w.apply(three)
			w.counts(4, "PUT", "/instances/*/engines")
		}
	}
	report(t, "jamf/terraform-provider-jamfplatform#412", "a list of summaries", situations{
		"empty fields": summary(func(o map[string]any) { o["engines"], o["tags"] = map[string]any{}, []any{} }),
		"null fields":  summary(func(o map[string]any) { o["engines"], o["tags"], o["host"] = nil, nil, nil }),
		"no fields": summary(func(o map[string]any) {
			for name := range o {
				if name != "id" && name != "name" && name != "status" {
					delete(o, name)
				}
			}
		}),
	})
}
