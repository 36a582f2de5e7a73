package serving

import "strings"

// sdkLogs are the environment variables with the levels of the loggers that the
// plugin SDK makes for each call, and of the provider's own. Where one has no level
// the SDK writes every line, down to its traces, for the CLI to choose from.
var sdkLogs = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_HOSTING"}

// QuietLogs switches off the loggers of this process, by setting variables of its
// environment, where that, as os.Environ gives it, asks for no logs: the CLI reads
// each of their lines and throws it away. It has to be called before the provider is
// served.
func QuietLogs(environment []string, set func(name, value string) error) error {
	if logsWanted(environment) {
		return nil
	}
	for _, name := range sdkLogs {
		if err := set(name, "OFF"); err != nil {
			return err
		}
	}
	return nil
}

// logsWanted tells whether an environment, as os.Environ gives it, asks for logs of
// whatever part at whatever level. TF_LOG_PATH says where they go, and asks for none.
func logsWanted(environment []string) bool {
	for _, variable := range environment {
		name, level, _ := strings.Cut(variable, "=")
		isLevel := (name == "TF_LOG" || strings.HasPrefix(name, "TF_LOG_")) && !strings.HasPrefix(name, "TF_LOG_PATH")
		if isLevel && level != "" && !strings.EqualFold(level, "off") {
			return true
		}
	}
	return false
}
