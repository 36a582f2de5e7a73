package pluginserver

import "strings"

// sdkLogs are the environment variables with the levels of the loggers that the plugin
// SDK creates for each call, and of the provider's logger. If a logger has no level, the
// SDK writes every line, including traces, and leaves the choice to the CLI.
var sdkLogs = []string{"TF_LOG_SDK", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_PROTO", "TF_LOG_PROVIDER_HOSTING"}

// QuietLogs switches off the loggers of this process by setting environment variables,
// unless environment, in the form of os.Environ, asks for logs. Otherwise the CLI would
// read each line and drop it. QuietLogs must be called before the provider is served.
func QuietLogs(environment []string, set func(name, value string) error) error {
	if LogsWanted(environment) {
		return nil
	}
	for _, name := range sdkLogs {
		if err := set(name, "OFF"); err != nil {
			return err
		}
	}
	return nil
}

// LogsWanted reports whether an environment, in the form of os.Environ, asks for logs of
// any part at any level. TF_LOG_PATH only sets where they are written.
func LogsWanted(environment []string) bool {
	for _, variable := range environment {
		name, level, _ := strings.Cut(variable, "=")
		isLevel := (name == "TF_LOG" || strings.HasPrefix(name, "TF_LOG_")) && !strings.HasPrefix(name, "TF_LOG_PATH")
		if isLevel && level != "" && !strings.EqualFold(level, "off") {
			return true
		}
	}
	return false
}
