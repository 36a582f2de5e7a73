// Package evidence counts what tests have done with each operation of the API document,
// and makes a table of it.
//
// A fake of a test counts its exchanges and writes the counts into a folder when the test
// is over. The counts in the folder are added up. The table shows as missing what no test
// has done.
package evidence

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/mcp"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
)

// Folder is the environment variable with the folder for a test's counts. If it is not
// set, nothing is counted.
const Folder = "HOSTING_EVIDENCE"

// A Kind is a way to test an operation.
type Kind string

// The kinds.
const (
	// Terraform is a request by the provider under a CLI. Raw is one by any other HTTP
	// client.
	Terraform Kind = "terraform"
	Raw       Kind = "raw"
	// Tool is a success of an MCP tool that does the operation.
	Tool Kind = "tool"
	// Negative is a refusal by the service with a status that the document lists for the
	// operation. It includes neither 401, which is the same for every operation, nor 429,
	// which comes from the gateway.
	Negative Kind = "negative"
	// Faults is an exchange with a fault of the gateway.
	Faults Kind = "faults"
	// DataPlane is a success with a data plane.
	DataPlane Kind = "data plane"
	// Portal is a page or a form of the portal that has carried out the operation.
	Portal Kind = "portal"
)

// agent is the beginning of the provider's User-Agent.
const agent = "terraform-provider-hosting/"

// Counts has the number of exchanges by operation ("GET /me") and kind.
type Counts struct {
	Operations map[string]map[Kind]int `json:"operations,omitempty"`
	// Clients has the number of steps of other clients, by name.
	Clients map[string]int `json:"clients,omitempty"`
}

func (c *Counts) add(operation string, kind Kind, n int) {
	if c.Operations == nil {
		c.Operations = map[string]map[Kind]int{}
	}
	if c.Operations[operation] == nil {
		c.Operations[operation] = map[Kind]int{}
	}
	c.Operations[operation][kind] += n
}

// AddClient adds steps of a client.
func (c *Counts) AddClient(name string, steps int) {
	if c.Clients == nil {
		c.Clients = map[string]int{}
	}
	c.Clients[name] += steps
}

// merge adds the counts of more.
func (c *Counts) merge(more Counts) {
	for operation, kinds := range more.Operations {
		for kind, n := range kinds {
			c.add(operation, kind, n)
		}
	}
	for name, steps := range more.Clients {
		c.AddClient(name, steps)
	}
}

// Collector counts the exchanges of one fake. It is safe for concurrent use.
type Collector struct {
	validator *apispec.Validator
	negative  map[string][]int
	dataPlane bool

	mu     sync.Mutex
	counts Counts
}

// NewCollector makes a Collector for a fake with or without a data plane.
func NewCollector(dataPlane bool) (*Collector, error) {
	validator, err := apispec.New()
	if err != nil {
		return nil, err
	}
	documented, err := apispec.Operations()
	if err != nil {
		return nil, err
	}
	c := &Collector{validator: validator, negative: map[string][]int{}, dataPlane: dataPlane}
	for _, o := range documented {
		c.negative[o.String()] = refusals(o)
	}
	return c, nil
}

// refusals returns the statuses of the operation's refusals.
func refusals(o apispec.Operation) []int {
	return slices.DeleteFunc(slices.Clone(o.Statuses), func(status int) bool {
		return status < 400 || status >= 500 || status == http.StatusUnauthorized || status == http.StatusTooManyRequests
	})
}

// Count counts a completed exchange.
func (c *Collector) Count(r requestlog.Request) {
	// The path is from a request, so it is valid.
	asked, err := http.NewRequest(r.Method, "/api/v1"+r.Path, nil) //nolint:noctx // it is never sent
	if err != nil {
		return
	}
	operation := c.validator.Operation(asked)
	if operation == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Fault {
		c.counts.add(operation, Faults, 1)
	}
	if r.Served == 0 || r.Served == http.StatusNotImplemented {
		return
	}
	client := Raw
	if strings.HasPrefix(r.Header.Get("User-Agent"), agent) {
		client = Terraform
	}
	c.counts.add(operation, client, 1)
	if slices.Contains(c.negative[operation], r.Served) {
		c.counts.add(operation, Negative, 1)
	}
	if c.dataPlane && r.Served < http.StatusBadRequest {
		c.counts.add(operation, DataPlane, 1)
	}
}

// CountTool counts a successful call of an MCP tool for each operation of the tool.
func (c *Collector) CountTool(call mcp.Call) {
	if call.Refused != "" {
		return
	}
	for _, operation := range operations.ByTool(call.Tool) {
		c.CountFace(Tool, operation)
	}
}

// CountFace counts an operation that was carried out through the MCP server or the
// portal.
func (c *Collector) CountFace(face Kind, operation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.add(operation, face, 1)
}

// Write writes the counts into a new file in a folder.
func (c *Collector) Write(folder string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts.Write(folder)
}

// Write writes the counts into a new file in a folder. It writes no file if there are
// none.
func (c *Counts) Write(folder string) error {
	if len(c.Operations)+len(c.Clients) == 0 {
		return nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, "*.json")
	if err != nil {
		return fmt.Errorf("write down the evidence: %w", err)
	}
	if _, err := file.Write(text); err != nil {
		return fmt.Errorf("write down the evidence: %w", err)
	}
	return file.Close()
}

// Read adds up the counts in a folder.
func Read(folder string) (Counts, error) {
	var all Counts
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return all, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return all, err
		}
		var one Counts
		if err := json.Unmarshal(text, &one); err != nil {
			return all, fmt.Errorf("%s: %w", file, err)
		}
		all.merge(one)
	}
	return all, nil
}

// Lacking returns a line for each missing kind of evidence. Each operation must be tested
// with Terraform or raw HTTP, with an MCP tool, and in the portal. If the document lists
// refusals for it, one of them must be tested.
func (c *Counts) Lacking(documented []apispec.Operation) (lacking []string) {
	for _, o := range documented {
		kinds := c.Operations[o.String()]
		if kinds[Terraform]+kinds[Raw] == 0 {
			lacking = append(lacking, o.String()+" is driven neither by Terraform nor by raw HTTP")
		}
		if kinds[Tool] == 0 {
			lacking = append(lacking, o.String()+" is driven by no MCP tool")
		}
		if kinds[Portal] == 0 {
			lacking = append(lacking, o.String()+" is not done in the portal")
		}
		if len(refusals(o)) > 0 && kinds[Negative] == 0 {
			lacking = append(lacking, o.String()+" has no negative case")
		}
	}
	known := map[string]bool{}
	for _, o := range documented {
		known[o.String()] = true
	}
	for _, operation := range slices.Sorted(maps.Keys(c.Operations)) {
		if !known[operation] {
			lacking = append(lacking, operation+" is not in the document")
		}
	}
	return lacking
}
