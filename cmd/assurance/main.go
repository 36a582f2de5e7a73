// Command assurance prints the evidence for each promise of README.md, with the line of
// each test, fault row, check and run. It exits with 1 if evidence is missing or wrong.
package main

import (
	"fmt"
	"os"

	"github.com/instance-hosting/terraform-provider-hosting/internal/repository"
)

func main() {
	report, wrong := repository.Assure(os.DirFS("."))
	fmt.Print(report)
	for _, err := range wrong {
		fmt.Fprintln(os.Stderr, "assurance:", err)
	}
	if len(wrong) > 0 {
		os.Exit(1)
	}
}
