//go:build transcripts

package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// hclOf returns a configuration in the CLI's language. createsFirst is the address of a
// resource with create_before_destroy, if any.
func hclOf(blocks []block, ephemeral bool, createsFirst string) string {
	var out strings.Builder
	out.WriteString("terraform {\n  required_providers {\n    hosting = { source = \"instance-hosting/hosting\" }\n  }\n}\n")
	for _, b := range blocks {
		_, name, _ := strings.Cut(b.address, ".")
		fmt.Fprintf(&out, "\nresource %q %q {\n", b.kind, name)
		for _, argument := range slices.Sorted(maps.Keys(b.arguments)) {
			fmt.Fprintf(&out, "  %s = %s\n", argument, hclValue(b.arguments[argument]))
		}
		if b.address == createsFirst {
			out.WriteString("  lifecycle {\n    create_before_destroy = true\n  }\n")
		}
		out.WriteString("}\n")
	}
	if ephemeral {
		fmt.Fprintf(&out, "\nephemeral %q \"this\" {\n  instance_id = %s.id\n}\n", connectionKind, webAddress)
	}
	return out.String()
}

func hclValue(given any) string {
	switch given := given.(type) {
	case string:
		return strconv.Quote(strings.ReplaceAll(strings.ReplaceAll(given, "${", "$${"), "%{", "%%{"))
	case reference:
		return given.address + "." + given.attribute
	case []string:
		quoted := make([]string, 0, len(given))
		for _, element := range given {
			quoted = append(quoted, hclValue(element))
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case map[string]any:
		members := make([]string, 0, len(given))
		for _, name := range slices.Sorted(maps.Keys(given)) {
			members = append(members, name+" = "+hclValue(given[name]))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	}
	return fmt.Sprint(given) // a number, or true or false
}
