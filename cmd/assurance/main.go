// Command assurance prints what holds each promise of README.md, with the line of each
// test, fault row, check and run. It exits with 1 where something is wrong with that.
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
