package rest

import (
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

func getJob(c *call) response { return found(c.service.Job(c.context(), c.param("id"))) }

func listPlans(c *call) response { return found(c.service.Plans(c.context())) }

func listLocations(c *call) response { return found(c.service.Locations(c.context())) }

func getAccount(c *call) response { return found(c.service.Account(c.context())) }

func updateAccount(c *call) response {
	var wanted core.ProfileChange
	return read(c, &wanted, func() response { return found(c.service.UpdateProfile(wanted)) })
}

func getBilling(c *call) response {
	return found(c.service.BillingPage(c.context(), c.query.Get("cursor"), c.limit()))
}

func getGuide(*call) response {
	return response{status: http.StatusOK, raw: core.Guide, contentType: core.GuideType}
}

func listWebhooks(c *call) response { return found(c.service.ListWebhooks(c.context())) }

func createWebhook(c *call) response {
	var wanted core.WebhookChange
	return read(c, &wanted, func() response {
		record, err := c.service.CreateWebhook(wanted)
		return answer(http.StatusCreated, record, err)
	})
}

func getWebhook(c *call) response { return found(c.service.Webhook(c.context(), c.param("id"))) }

func updateWebhook(c *call) response {
	var wanted core.WebhookChange
	return read(c, &wanted, func() response { return found(c.service.UpdateWebhook(c.param("id"), wanted)) })
}

func deleteWebhook(c *call) response {
	if err := c.service.DeleteWebhook(c.param("id")); err != nil {
		return fail(err)
	}
	return response{status: http.StatusNoContent}
}
