package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// addError reports an error of the client: what was tried, what the service
// said, and what to do next.
func addError(diags *diag.Diagnostics, summary string, err error) {
	diags.AddError(summary, explain(err))
}

// explain is an error of the client with what to do next.
func explain(err error) string {
	text := sentence(err.Error())
	if next := nextStep(err); next != "" {
		text += "\n\n" + next
	}
	return text
}

// sentence makes an error's text start and end like one.
func sentence(text string) string {
	if text == "" {
		return text
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") && !strings.Contains(text, "\n") {
		text += "."
	}
	return text
}

// nextStep says what a person can do about an error, by its kind.
func nextStep(err error) string {
	var (
		namesake    *client.NamesakeError
		ambiguous   *client.AmbiguousError
		checkout    *client.CheckoutError
		interrupted *client.InterruptedError
		job         *client.JobError
		build       *client.BuildError
		app         *client.AppError
		outcome     *client.OutcomeError
		unknown     *client.UnknownCreationError
		missing     *client.MissingJobError
		noEvidence  *client.NoEvidenceError
		existing    *existingError
	)
	switch {
	case errors.As(err, &namesake):
		return "It may be the half of an earlier apply that was killed before it could save the instance's id, so no second one was asked for. " +
			"If another resource of this configuration is that instance, apply again once it runs. " +
			"If it is yours, take it over with an import block and apply again:\n\n" + importBlock("hosting_instance.NAME", namesake.ID) +
			"\nIf it is not, wait until it runs, or choose another name."
	case errors.As(err, &ambiguous):
		var blocks strings.Builder
		for _, id := range ambiguous.Candidates {
			blocks.WriteString("\n" + importBlock("hosting_instance.NAME", id))
		}
		return "Find out in the portal which of them this apply made, and take it over with one of these import blocks; delete any other that nobody wants:\n" + blocks.String()
	case errors.As(err, &unknown):
		return "Look in the portal for it before you apply again. If it is there, take it over with an import block; " +
			"if it is not, apply again. An apply that finds one of the same name being created says so, and makes no second one."
	case errors.As(err, &missing), errors.As(err, &noEvidence):
		return "Look in the portal whether the change is in force, then apply again: the next plan shows what is missing."
	case errors.As(err, &checkout):
		return "Open that page to pay for the instance, then apply again: the creation goes on where it stands."
	case errors.As(err, &job):
		return "The job's error is the service's own. Fix its cause, then apply again."
	case errors.As(err, &build):
		return buildNextText(build)
	case errors.As(err, &app):
		return appNextText(app)
	case errors.As(err, &interrupted):
		return "The service carries on with it. Apply again to wait for it, with a longer value in the timeouts block if the time was too short."
	case errors.As(err, &outcome):
		return "Look in the portal whether it took effect before you apply again."
	case errors.Is(err, client.ErrForeign), errors.Is(err, client.ErrUnreachable), errors.Is(err, client.ErrOutage):
		return "Check the base URL: the provider's base_url or the environment variable " + envBaseURL + ". It is the service's REST address and ends in /api/v1. " +
			"If it is right, something between here and the service is in trouble: try again later. The state is as it was."
	case errors.Is(err, client.ErrContradiction):
		return "The service's replicas may not agree yet. Try again in a minute; the resource is kept in the state."
	case errors.Is(err, client.ErrUnauthorized):
		return "Check the API key: the provider's api_key or the environment variable " + envAPIKey + ". Keys are made on the portal's Access page."
	case errors.Is(err, client.ErrForbidden):
		return "The API key's owner may not do this. Use a key of the account that the instance belongs to."
	case errors.As(err, &existing):
		// Which of them it is cannot be known: Terraform keeps from a replacement's
		// creation all that it knows of the old one.
		return "If Terraform is replacing it, create_before_destroy asks for the new one while the old one still has the name. " +
			"Then take create_before_destroy out of the lifecycle of this resource, and of every resource that refers to it, or give the new one another name, and apply again.\n\n" +
			"If an earlier apply was killed before it could save it, or if it is yours, take the existing one over with an import block and apply again:\n\n" +
			importBlock(existing.address, existing.id) + "\nIf it is neither, choose another name."
	case errors.Is(err, errUnknownEnv):
		return "Set env to all other variables of the app, then apply again."
	case errors.Is(err, client.ErrAlreadyExists):
		return "Choose another name, or take the existing one over with an import block."
	case errors.Is(err, client.ErrValidation):
		return "Change the argument that the service names, then apply again."
	case errors.Is(err, client.ErrRateLimited):
		return "The service asks for fewer requests. Apply again later, or with a lower -parallelism."
	case errors.Is(err, client.ErrUnavailable):
		return "The service has trouble at the moment. Apply again later; nothing is lost."
	case errors.Is(err, context.DeadlineExceeded):
		return "The time given in the timeouts block is over. Apply again, with a longer one if need be."
	case errors.Is(err, context.Canceled):
		return "Apply again to carry on."
	}
	return ""
}

// An existingError is the refusal to make what is there already. It knows what to
// import.
type existingError struct {
	error
	address, id string
}

func (e *existingError) Unwrap() error { return e.error }

// orExisting adds what to import to an error that says that it is there already.
func orExisting(err error, kind, id string) error {
	if errors.Is(err, client.ErrAlreadyExists) {
		return &existingError{err, kind + ".NAME", id}
	}
	return err
}

func importBlock(to, id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", to, id)
}

// warnUnchecked says that a value could not be checked. That it is not the service
// that answers is an error: no value can be right then.
func warnUnchecked(diags *diag.Diagnostics, attribute string, err error) {
	if errors.Is(err, client.ErrForeign) && !errors.Is(err, client.ErrUnavailable) {
		addError(diags, "The provider's base URL does not lead to the service", err)
		return
	}
	diags.AddAttributeWarning(path.Root(attribute), "The "+attribute+" could not be checked",
		"The service could not be asked, so a wrong value shows only when applying. "+sentence(err.Error()))
}

// failed tells whether what was asked for ended badly at the service: a job, a
// build, or an app that does not run.
func failed(err error) bool {
	var (
		job   *client.JobError
		build *client.BuildError
		app   *client.AppError
	)
	return errors.As(err, &job) || errors.As(err, &build) || errors.As(err, &app)
}

// stillInProgress tells whether an error came while what was asked for goes on
// at the service: the wait was cut short, or the service could not be asked.
// What failed, or was refused for what it said, is not.
func stillInProgress(err error) bool {
	return err != nil && !failed(err) && !errors.Is(err, client.ErrValidation) && !errors.Is(err, client.ErrAlreadyExists)
}

// addNoInstance says that there is no instance of an id. Whoever took a name for an
// id learns where ids come from.
func addNoInstance(diags *diag.Diagnostics, attribute, id string) {
	diags.AddAttributeError(path.Root(attribute), "No such instance",
		fmt.Sprintf("The service has no instance with the id %q for this API key. An id looks like i-4f2a; "+
			"the data source hosting_instance finds an instance by its name.", id))
}

// addInstanceError reports an error of reading what is on an instance: that there is
// no such instance, or what the service said.
func addInstanceError(diags *diag.Diagnostics, summary, instanceID string, err error) {
	if errors.Is(err, client.ErrNotFound) {
		addNoInstance(diags, "instance_id", instanceID)
		return
	}
	addError(diags, summary, err)
}

// idsOf are the identifiers of records, for an error that lists them.
func idsOf[T any](records []T, id func(T) string) []string {
	ids := make([]string, len(records))
	for i, record := range records {
		ids[i] = id(record)
	}
	return ids
}
