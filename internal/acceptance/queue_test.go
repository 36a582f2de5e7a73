package acceptance

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"net/http"
)

// conflicts counts the requests that the fake answered with 409.
func conflicts(fake *fakeservicetest.Server) int {
	n := 0
	for _, request := range fake.Requests() {
		if request.Status == http.StatusConflict {
			n++
		}
	}
	return n
}
