package diagnostics

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// AddClientError reports an error of the client: the attempted operation, the service's
// answer and what to do next. If the service refused a value, the error is attached to
// its argument.
func AddClientError(diags *diag.Diagnostics, summary string, err error) {
	addError(diags, summary, err, nextStep(err))
}

func addError(diags *diag.Diagnostics, summary string, err error, next string) {
	if at, ok := refusedAttribute(err); ok {
		diags.AddAttributeError(at, summary, explain(err, next))
		return
	}
	diags.AddError(summary, explain(err, next))
}

// Explain returns the text of an error, with advice on what to do next.
func Explain(err error) string { return explain(err, nextStep(err)) }

func explain(err error, next string) string {
	text := Sentence(err.Error())
	if next != "" {
		text += "\n\n" + next
	}
	return text
}

// Sentence makes an error's text start and end like a sentence. If it begins with a name,
// such as a field of the service or a repository, the name keeps its spelling. The result is
// plain text, because an error may quote any word of the service.
func Sentence(text string) string {
	text = transport.PlainText(text)
	if text == "" {
		return text
	}
	first, _, _ := strings.Cut(text, " ")
	if !strings.ContainsFunc(first, func(r rune) bool { return !unicode.IsLetter(r) && r != '.' }) {
		letter, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToTitle(letter)) + text[size:]
	}
	if !strings.HasSuffix(text, ".") && !strings.Contains(text, "\n") {
		text += "."
	}
	return text
}

// A nextStepper is an error that says itself what a person can do about it.
type nextStepper interface {
	error
	NextStep() string
}

// nextStep says what a person can do about an error, by its kind.
func nextStep(err error) string {
	if own := (nextStepper)(nil); errors.As(err, &own) {
		return own.NextStep()
	}
	var (
		namesake    *client.NamesakeError
		ambiguous   *client.AmbiguousError
		checkout    *client.CheckoutError
		interrupted *client.InterruptedError
		job         *client.JobError
		build       *client.BuildError
		app         *client.AppError
		outcome     *transport.OutcomeError
		unknown     *client.UnknownCreationError
		missing     *client.MissingJobError
		noEvidence  *client.NoProofError
		timeout     *lifetime.TimeoutError
		refused     *transport.APIError
		closed      *transport.ClosedError
		kept        *client.KeptNameError
	)
	errors.As(err, &refused)
	switch {
	case errors.As(err, &kept):
		address := map[string]string{"app": "hosting_app.NAME", "database": "hosting_postgres_database.NAME"}[kept.Noun]
		return fmt.Sprintf("It is in the state, but tainted. Write name = %q in the configuration, untaint it, and apply again:\n\n"+
			"terraform untaint %s", kept.Kept, address)
	case refused != nil && refused.RedirectsTo != "":
		return "It redirects to " + refused.RedirectsTo + ": use that in base_url."
	case errors.As(err, &namesake):
		return "An earlier apply may have been killed before it could save the instance's id, so no second instance was requested. " +
			"If another resource manages it, apply again once it is running. " +
			"If it is yours and no resource manages it, add this import block and apply again:\n\n" + ImportBlock("hosting_instance.NAME", namesake.ID) +
			"\nIf it is not, wait until it is running, or choose another name."
	case errors.As(err, &ambiguous):
		var blocks strings.Builder
		for _, id := range ambiguous.Candidates {
			blocks.WriteString("\n" + ImportBlock("hosting_"+strings.ReplaceAll(ambiguous.Noun, " ", "_")+".NAME", id))
		}
		return "Check in the portal which of them this apply created, and add its import block before you apply again:\n" + blocks.String()
	case errors.As(err, &unknown):
		return "Check in the portal whether it exists before you apply again. If it does, import it; " +
			"if it does not, apply again. An apply that finds one with the same name being created stops and says so."
	case errors.As(err, &missing), errors.As(err, &noEvidence):
		return "Check in the portal whether the change is in effect, then apply again: the next plan shows what is missing."
	case errors.As(err, &checkout):
		return "Open that page to pay for the instance, then apply again: the creation continues where it stopped."
	case errors.As(err, &job):
		return "Fix the cause, then apply again."
	case errors.As(err, &build):
		return buildFixText(build) + buildAgain
	case errors.As(err, &app):
		return appFixText(app.App) + buildAgain
	case errors.As(err, &interrupted) && errors.As(err, &timeout):
		return "The service continues with it. Apply again to wait for it. " + longerText(timeout)
	case errors.As(err, &interrupted):
		return "The service continues with it. Apply again to wait for it."
	case errors.As(err, &outcome):
		return "Check in the portal whether it took effect before you apply again."
	case errors.As(err, new(*transport.FieldError)), errors.As(err, new(*client.PartialListError)):
		return unreadableText
	case errors.As(err, new(*client.ShiftedListError)):
		return "Nothing was concluded from it. Try again when nobody changes what it lists."
	case errors.As(err, new(*client.HiddenError)):
		return "The API key may not be allowed to read it. Use a key that is, and try again; the state is unchanged."
	case errors.Is(err, transport.ErrRateLimited) && refused != nil && !refused.Foreign() && refused.Code != "rate_limited":
		return "If that is a limit of the account, delete what you do not need, or ask for a higher limit. Otherwise, apply again later."
	case errors.Is(err, transport.ErrRateLimited) && refused != nil && refused.RetryAfter > lifetime.MaxWait:
		return waitText(refused.RetryAfter)
	case errors.As(err, &closed):
		return waitText(closed.RetryAfter)
	case errors.Is(err, transport.ErrRateLimited):
		return "Apply again later, or with a lower -parallelism."
	case refused != nil && refused.TooLarge():
		return "Nothing was done. Make the request smaller, such as by fewer or shorter values, or by dividing a script, then apply again."
	case errors.Is(err, transport.ErrForeign) && errors.Is(err, client.ErrConflict):
		return "Check in the portal whether it exists already, or whether something else is changing it, then apply again."
	case errors.Is(err, transport.ErrForeign) && errors.Is(err, client.ErrValidation):
		return changeText(err) + ", then apply again."
	case refused != nil && refused.Foreign() && refused.Fails() && strings.Count(refused.Path, "/") > 2:
		return "Try again later. If this belongs to an instance that is to be destroyed, remove it from the state: it goes with the instance. " +
			"Then destroy the instance. This command deletes nothing at the service:\n\nterraform state rm ADDRESS"
	case errors.Is(err, transport.ErrForeign), errors.Is(err, transport.ErrUnreachable), errors.Is(err, transport.ErrOutage):
		return "Check the base URL: the provider's base_url or the environment variable " + EnvBaseURL + ". It is the service's REST address and ends in /api/v1. " +
			"If it is correct, there is a network problem between you and the service: try again later."
	case errors.Is(err, client.ErrContradiction):
		return "The service's replicas may be out of sync. Try again in a minute; the resource stays in the state."
	case errors.Is(err, client.ErrUnauthorized):
		return "Check api_key or " + EnvAPIKey + "; keys are created on the portal's Access page."
	case errors.Is(err, client.ErrForbidden):
		return keyText(err)
	case errors.Is(err, client.ErrAlreadyExists):
		return "Choose another name, or import the existing one."
	case errors.Is(err, client.ErrValidation):
		return changeText(err) + ", then apply again."
	case errors.Is(err, client.ErrNotFound):
		return notFoundText(err)
	case errors.Is(err, client.ErrJobRunning):
		return "Apply again once that job has ended. If there is no job, the deletion of the instance has failed, and it can only be deleted: destroy it. " +
			"If it is protected, undo all other changes of the instance in the configuration, set deletion_protection = false and apply before that."
	case errors.Is(err, client.ErrConsoleOff):
		return "The console was turned off while the script was about to run. Apply again."
	case errors.Is(err, client.ErrUnavailable):
		return "The service is unavailable at the moment. Apply again later; nothing is lost."
	case errors.As(err, &timeout):
		if timeout.Asked() == 0 {
			return "Apply again. " + longerText(timeout)
		}
		return longerText(timeout)
	case errors.Is(err, context.Canceled):
		return "Apply again to continue."
	}
	return ""
}

// keyText returns the advice for a key that may not do something, and "" for another error.
func keyText(err error) string {
	if !errors.Is(err, client.ErrForbidden) {
		return ""
	}
	return "The API key may not be allowed to do this. Use a key that is, of the account that owns the object."
}

// buildAgain follows the advice for an app whose build or deployment failed.
const buildAgain = " Then apply again: that builds and deploys the newest commit of the branch."

// longerText returns advice on how to set a longer timeout, or on when to come back.
func longerText(e *lifetime.TimeoutError) string {
	if asked := e.Asked(); asked > 0 {
		return "The service asked to wait for " + lifetime.ShortDuration(asked) + ", which is longer than the timeout allowed. Apply again after that."
	}
	longer := &lifetime.TimeoutError{Limit: 2 * e.Limit}
	return fmt.Sprintf("If %s is too short, set a longer timeout, such as timeouts = { %s = %q }.", e.Duration(), e.Operation, longer.Duration())
}

// notFoundText says what to check after a request that named something unknown. A request
// of a whole collection names nothing.
func notFoundText(err error) string {
	request := ""
	if refused := (*transport.APIError)(nil); errors.As(err, &refused) {
		request = refused.Path
	}
	switch names := strings.Split(strings.Trim(request, "/"), "/"); {
	case request != "" && len(names) == 1:
		return "The request names no object, so the key may not be allowed to send it, or the service does not have it. " +
			"Check the API key and the base URL: the provider's api_key and base_url, or the environment variables " + EnvAPIKey + " and " + EnvBaseURL + "."
	case request == "" || names[0] == "instances":
		return "Check the id and the name. " + idHint
	}
	return "Check the id."
}

// changeText returns the beginning of the advice to change a refused value.
func changeText(err error) string {
	if at, ok := refusedAttribute(err); ok {
		return fmt.Sprintf("Set %s to a value that the service accepts", at)
	}
	return "Change the value that the service refused"
}

// An existingError reports that the object to create exists already. It has the address
// and the id for an import.
type existingError struct {
	error
	address, id string
}

func (e *existingError) Unwrap() error { return e.error }

// NextStep cannot say which of the reasons it is: Terraform keeps from a replacement's
// creation all that it knows of the old object.
func (e *existingError) NextStep() string {
	return "If Terraform is replacing it, create_before_destroy asks for the new one while the old one still has the name. " +
		"Then remove create_before_destroy from the lifecycle of this resource, and of every resource that refers to it, or give the new one another name, and apply again.\n\n" +
		"If it is yours, or an earlier apply was killed before it could save it, add this import block and apply again:\n\n" +
		ImportBlock(e.address, e.id) + "\nIf it is neither, choose another name."
}

// OrExisting adds what to import to an error that says that it is there already.
func OrExisting(err error, kind, id string) error {
	if errors.Is(err, client.ErrAlreadyExists) {
		return &existingError{err, kind + ".NAME", id}
	}
	return err
}

// ImportBlock returns the import block of an object.
func ImportBlock(to, id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", to, id)
}

// Failed reports whether the requested work failed at the service: a job, a build, or an
// app that does not run.
func Failed(err error) bool {
	var (
		job   *client.JobError
		build *client.BuildError
		app   *client.AppError
	)
	return errors.As(err, &job) || errors.As(err, &build) || errors.As(err, &app)
}

// StillInProgress reports whether the requested work continues at the service despite an
// error: the wait was interrupted, or the service could not be reached. Work that failed
// or was refused does not continue.
func StillInProgress(err error) bool {
	return err != nil && !Failed(err) && !errors.Is(err, client.ErrValidation) && !errors.Is(err, client.ErrAlreadyExists)
}

// idHint explains ids to a user who passed a name instead.
const idHint = "An instance id looks like i-4f2a; the data source hosting_instance finds an instance by its name."

// AddNoInstance reports that no instance has an id. The message explains ids, because the
// user may have passed a name.
func AddNoInstance(diags *diag.Diagnostics, attribute, id string) {
	diags.AddAttributeError(path.Root(attribute), "Unknown instance",
		fmt.Sprintf("The service has no instance with the id %q for this API key. "+idHint, id))
}

// AddInstanceError reports an error of reading something on an instance. If the instance
// does not exist, the message says so. Otherwise it contains the service's answer.
func AddInstanceError(diags *diag.Diagnostics, summary, instanceID string, err error) {
	if errors.Is(err, client.ErrNotFound) {
		AddNoInstance(diags, "instance_id", instanceID)
		return
	}
	AddClientError(diags, summary, err)
}

// IdsOf returns the identifiers of records.
func IdsOf[T any](records []T, id func(T) string) []string {
	ids := make([]string, len(records))
	for i, record := range records {
		ids[i] = id(record)
	}
	return ids
}

// AdoptedText explains that an existing object was taken as the result of a creation.
func AdoptedText(object string) string {
	return fmt.Sprintf("%s did not exist before and matches the request, so this apply manages it and did not request another. "+
		"Check in the portal that nobody else created an identical one at the same time.", object)
}

func waitText(wait time.Duration) string {
	return "The service asks to wait for " + lifetime.ShortDuration(wait.Round(time.Minute)) + ". Apply again after that."
}
