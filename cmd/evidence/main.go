// Command evidence generates the table of tests of the fake from the folder into which the
// tests have written their counts. `make evidence` runs both.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/evidence"
)

const head = `# Evidence

What tests have done with the fake, for each operation of the API's document: how many exchanges there were of each kind. ` + "`make evidence`" + ` runs the tests that it names and writes this page. A cell without any is missing.

By Terraform and by raw HTTP counts what the service itself has answered; by an MCP tool, the successes of tools that do the operation; refused, each status from 400 to 499 that the document lists for the operation, but 401 and 429; under faults, where the gateway took part; with the real data plane, each success while Postgres and apps ran; in the portal, each page and form that has carried it out.`

func main() {
	log.SetFlags(0)
	folder := flag.String("folder", "", "folder with the evidence that the tests wrote")
	table := flag.String("table", "", "page to write")
	flag.Parse()
	operations, err := apispec.Operations()
	if err != nil {
		log.Fatal(err)
	}
	counts, err := evidence.Read(*folder)
	if err != nil {
		log.Fatal(err)
	}
	page := counts.Table(operations, head)
	if err := os.WriteFile(*table, []byte(page), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(page)
	if lacking := counts.Lacking(operations); len(lacking) > 0 {
		log.Fatal("something is missing:\n" + strings.Join(lacking, "\n"))
	}
}
