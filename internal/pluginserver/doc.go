// Package pluginserver sits between a CLI and the framework's server of a provider. It decides
// which logs are written, how long the context of a call is kept, and when a provider
// whose CLI was killed ends.
//
// # Logs
//
// Without a level, the plugin SDK writes each trace line of each call, and the CLI parses
// and drops it. QuietLogs turns its loggers off unless the environment asks for a level.
//
// # Contexts
//
// registerContext in the framework's proto6server derives a context for each call with
// context.WithCancel, and keeps the cancel function until StopProvider. With v1.19.0, a
// plan of 1,000 resources keeps about 13 KB for each of its 5,000 calls, which is most of
// the provider's memory. WithShortContexts passes contexts that release the real one when
// the call returns. The framework could fix this if each call deferred the removal of its
// cancel function.
//
// # Orphans
//
// The provider ignores SIGTERM, because a CI system sends it to the whole process group
// and the CLI still has to save the state. AwaitOrphaned therefore checks every second
// whether the parent process is still the same. If not, calls have 30 s to end. On
// Windows a process keeps its parent's id, so nothing is detected there.
package pluginserver
