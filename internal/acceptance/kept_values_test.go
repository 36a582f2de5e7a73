package acceptance

import (
	"math"
	"strings"
)

func rewrite(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			rewrite(element)
		}
	case map[string]any:
		for name, of := range value {
			value[name] = rewritten(name, of)
			rewrite(of)
		}
	}
}

func rewritten(name string, value any) any {
	all := func(change func(string) string) any {
		var changed []any
		list, _ := value.([]any)
		for _, element := range list {
			changed = append(changed, change(element.(string)))
		}
		return changed
	}
	switch text, isText := value.(string); {
	case name == "tags":
		return all(strings.ToLower)
	case name == "cidrs":
		return all(func(block string) string {
			if strings.Contains(block, "/") {
				return block
			}
			return block + "/32"
		})
	case name == "memory_mb":
		if budget, ok := value.(float64); ok {
			return math.Ceil(budget/64) * 64
		}
	case isText && (name == "url" || name == "site_url" || name == "health_path"):
		return strings.TrimSuffix(text, "/") + "/"
	case isText && name == "company":
		return strings.TrimSpace(text)
	}
	return value
}
