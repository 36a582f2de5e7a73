package simulation

import (
	"fmt"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// A scenario describes a whole world as plain data. Nothing else in a world is random.
type scenario struct {
	// Seed is the source of the provider's randomness.
	Seed uint64
	// Clock is the offset of the Date header.
	Clock time.Duration
	// Lag is the lag of all reads.
	Lag time.Duration
	// Rate is the number of requests per second that the service accepts; 0 means no limit.
	Rate int
	// Shapes vary the form of the service's answers.
	Shapes shapes
	// Hides are fields that the records lack.
	Hides hidden
	// Habits select the service's behaviour where SERVICE.md#tolerance leaves a choice.
	Habits habits
	// Other selects the second CLI's configuration.
	Other otherState
	// CLI is the kind of the first CLI.
	CLI cliKind
	// Begin is the first CLI's configuration before the first step's edits.
	Begin beginning
	Steps []step
}

// A step is one command of a CLI, with the events during it.
type step struct {
	// By is the CLI: 0 is the first, 1 the second.
	By   int
	Verb verb
	// Target selects the address of a verb, by its number among the existing addresses.
	Target int
	// Key is the credential of the command's provider.
	Key credential
	// Flags are the flags of the command line.
	Flags flags
	// Edits change the first CLI's configuration before the command.
	Edits   []edit
	Strikes []strike
	Deeds   []deed
	Cut     cut
	// If set, the other CLI applies at the same moment.
	Beside bool
	// Pause is the time without events after the step.
	Pause time.Duration
}

// A verb is a command of a CLI.
type verb int

const (
	apply verb = iota
	refresh
	destroy
	targeted
	replace
	reimport
	rotate
	restartEngine
	redeploy
	restartApp
	verbs // the number of verbs
)

// Verbs only for transcripts, which worlds do not draw.
const (
	taint            verb = verbs + 1 + iota
	importByID            // An import block imports an object again that was removed from the state.
	importByIdentity      // The same, by its identity.
	move                  // A moved block, and the apply.
	forget                // A removed block with destroy = false, and the apply.
	query
	transcriptVerbs
)

func (v verb) isAction() bool { return v >= rotate && v <= restartApp }

func (v verb) String() string {
	if v > verbs {
		return [...]string{"taint", "import block", "import block with an identity", "moved block", "removed block that keeps it", "query"}[v-taint]
	}
	return [...]string{"apply", "refresh", "destroy", "apply -target", "apply -replace", "import again",
		"rotate", "restart the engine", "redeploy the app", "restart the app"}[v]
}

// otherState selects the second CLI's configuration.
type otherState int

const (
	twin      otherState = iota // An instance equal to the first CLI's.
	namesake                    // One of the same name with other tags.
	onTheSame                   // A database and the console's mode on the first CLI's instance.
	theSame                     // The first CLI's instance itself, imported.
	otherStates
)

func (o otherState) String() string {
	return [...]string{"a twin", "a namesake", "on the same instance", "the same instance"}[o]
}

// beginning is a configuration to begin with.
type beginning int

const (
	oneInstance beginning = iota // One instance.
	everything                   // One of each type.
	guarded                      // One of each, with all possible protection.
	siblings                     // Two instances that the service cannot distinguish.
	adopted                      // Objects that a person has set up in the portal, imported.
	beginnings
)

func (b beginning) String() string {
	return [...]string{"one instance", "everything", "everything, protected", "two siblings", "an import of what there is"}[b]
}

func (b beginning) configuration() configuration {
	var c configuration
	if b == siblings {
		c[argSpare] = 2
	}
	if b == everything || b == guarded {
		c = configuration{
			argEngines: 2, argAllowlist: 1, argConsole: 1, argAuth: 1, argEndpoint: 1, argEndpointSecret: 2, argDatabase: 1,
			argExtension: 1, argScript: 1, argApp: 1, argEnv: 1, argSecretEnv: 1, argLinks: 1, argPublic: 1, argProfile: 1, argEphemeral: 1,
		}
	}
	if b == adopted {
		c = configuration{argEngines: 2, argApp: 1, argDatabase: 1}
	}
	if b == guarded {
		c[argProtected], c[argDatabaseProtected], c[argAppProtected] = 1, 1, 1
	}
	return c
}

// An edit sets one argument of the configuration to one of its values.
type edit struct {
	Argument argument
	Value    int
}

func (e edit) String() string { return fmt.Sprintf("%s=%d", e.Argument, e.Value) }

// class is a class of requests that a strike affects.
type class int

const (
	writes    class = iota // mutations
	creations              // POST
	reads                  // GET, except of jobs and builds
	polls                  // GET of a job or of builds
	classes
)

func (c class) String() string { return [...]string{"write", "POST", "read", "poll"}[c] }

// A strike is a network fault that affects some of a step's requests.
type strike struct {
	Kind  strikeKind
	Class class
	// Nth is the first affected request, counted from 0. Times is the number of affected
	// requests, and For is the time during which they are affected: the longer one counts.
	Nth, Times int
	For        time.Duration
	// Amount is the duration of kinds that have one.
	Amount time.Duration
}

func (s strike) String() string {
	text := fmt.Sprintf("%s at %s %d", s.Kind, s.Class, s.Nth)
	if s.Times > 1 {
		text += fmt.Sprintf(" x%d", s.Times)
	}
	if s.For > 0 {
		text += " for " + s.For.String()
	}
	if s.Amount > 0 {
		text += " by " + s.Amount.String()
	}
	return text
}

type strikeKind int

// The first kinds are the weather's.
const (
	badGateway = strikeKind(weather.BadGateway)
	foreign404 = strikeKind(weather.Foreign404)
	neverSent  = strikeKind(weather.NeverSent)
	lostAnswer = strikeKind(weather.LostAnswer)
	timedOut   = strikeKind(weather.TimedOut)
	lateCommit = strikeKind(weather.LateCommit)
	lagging    = strikeKind(weather.Lagging)
)

const (
	away       = strikeKind(weather.Kinds) + iota // The service is unreachable for a time, for all clients.
	goesSilent                                    // The connection falls silent, and no longer delivers answers.
	leaky                                         // 422 in the service's envelope, with secrets in its text.
	forbidden                                     // 404 in the service's envelope for what is on an instance: the key may not see it.
	ignored                                       // A change is accepted, and one of its arguments is ignored.
	strikeKinds
)

func (k strikeKind) String() string {
	if k < away {
		return weather.Kind(k).String()
	}
	return [...]string{"away", "silent connection", "422 that leaks", "forbidden collections", "ignored argument"}[k-away]
}

// A deed is an action of a person in the portal when the step's n-th request arrives; 0 is
// before the step.
type deed struct {
	Kind deedKind
	At   int
}

func (d deed) String() string { return fmt.Sprintf("%s at request %d", d.Kind, d.At) }

type deedKind int

const (
	opensCheckout deedKind = iota
	addsTag
	addsAddress
	addsEngine
	setsConsole
	renames
	startsJob
	startsAction
	addsVariable
	disablesEndpoint
	failsJob
	failsBuild
	strangeStatus
	seemsFailed
	crashesApp
	deletesInstance
	deletesApp
	deletesDatabase
	deletesEndpoint
	holdsJobs
	closesConsole
	resizesMachine
	failsDeletion
	failsResize
	failsCreation
	breaksMachine
	repairsMachine
	hidesEngine
	deedKinds
)

func (k deedKind) String() string {
	return [...]string{"opens the checkout", "adds a tag", "adds an address", "adds an engine", "sets the console", "renames the instance",
		"starts a job", "starts a job like an action's", "adds a variable", "disables the endpoint", "a job will fail", "a build will fail",
		"a strange status", "the status failed for a while", "the app crashes", "deletes the instance", "deletes the app", "deletes the database", "deletes the endpoint", "jobs last for 40 minutes",
		"closes the console", "resizes the machine", "a deletion will fail", "a resize will fail", "a creation will fail", "breaks the machine", "repairs the machine",
		"an engine is hidden"}[k]
}

// A cut ends a command early, during its n-th request, counted from 1; 0 means never. With
// Writes, only mutations count.
type cut struct {
	Kind   cutKind
	At     int
	Writes bool
}

func (c cut) String() string {
	if c.Writes {
		return fmt.Sprintf("%s at write %d", c.Kind, c.At)
	}
	return fmt.Sprintf("%s at request %d", c.Kind, c.At)
}

type cutKind int

const (
	interrupt  cutKind = iota // Ctrl-C
	killBefore                // kill -9 before the service sees the request
	killAfter                 // kill -9 when the service has answered
	cutKinds
)

func (k cutKind) String() string {
	return [...]string{"Ctrl-C", "kill before the commit", "kill after the commit"}[k]
}

// String returns the scenario as text: a line for the whole world, and a line for each
// step.
func (s scenario) String() string {
	world := []string{fmt.Sprintf("seed %d", s.Seed)}
	addTo(&world, s.Clock != 0, "clock off by %s", s.Clock)
	addTo(&world, s.Lag != 0, "reads lag by %s", s.Lag)
	addTo(&world, s.Rate != 0, "%d requests per second", s.Rate)
	addTo(&world, s.Shapes != 0, "shapes %s", s.Shapes)
	addTo(&world, s.Hides != 0, "records hide %s", s.Hides)
	addTo(&world, s.Habits != 0, "%s", s.Habits)
	addTo(&world, s.CLI != 0, "%s", s.CLI)
	addTo(&world, s.Begin != oneInstance, "begins with %s", s.Begin)
	other := false
	lines := make([]string, 1, 1+len(s.Steps))
	for _, st := range s.Steps {
		other = other || st.Beside || st.By == 1
		lines = append(lines, st.String())
	}
	addTo(&world, other, "the other: %s", s.Other)
	lines[0] = strings.Join(world, "; ")
	return strings.Join(lines, "\n")
}

// String returns the step as text, in a line.
func (st step) String() string {
	parts := []string{st.Verb.String()}
	addTo(&parts, st.By == 1, "by the other")
	addTo(&parts, st.Verb == targeted || st.Verb == replace || st.Verb == reimport || st.Verb > verbs && st.Verb != query, "target %d", st.Target)
	addTo(&parts, st.Key != usualKey, "with %s", st.Key)
	addTo(&parts, st.Flags != 0, "%s", st.Flags)
	for _, e := range st.Edits {
		parts = append(parts, e.String())
	}
	for _, k := range st.Strikes {
		parts = append(parts, k.String())
	}
	for _, d := range st.Deeds {
		parts = append(parts, d.String())
	}
	addTo(&parts, st.Cut.At > 0, "%s", st.Cut)
	addTo(&parts, st.Beside, "the other beside")
	addTo(&parts, st.Pause > 0, "then %s", st.Pause)
	return strings.Join(parts, "; ")
}

// addTo adds a formatted part to a list if it is given.
func addTo(list *[]string, given bool, format string, args ...any) {
	if given {
		*list = append(*list, fmt.Sprintf(format, args...))
	}
}
