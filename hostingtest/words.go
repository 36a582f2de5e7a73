package hostingtest

// Operations of jobs, for JobMatch and SetDuration.
const (
	OperationCreate         = "create"
	OperationUpdate         = "update"
	OperationDelete         = "delete"
	OperationEngines        = "engines"
	OperationAllowlist      = "allowlist"
	OperationConsole        = "console"
	OperationAuthSettings   = "auth_settings"
	OperationRotate         = "rotate"
	OperationResize         = "resize"
	OperationReset          = "reset"
	OperationRestore        = "restore"
	OperationEngineRestart  = "engine_restart"
	OperationDatabaseCreate = "database_create"
	OperationDatabaseDrop   = "database_drop"
	OperationExtensionSet   = "extension_set"
	OperationExtensionDrop  = "extension_drop"
	OperationAppImport      = "app_import"
	OperationAppUpdate      = "app_update"
	OperationAppDelete      = "app_delete"
	OperationAppRedeploy    = "app_redeploy"
	OperationAppRestart     = "app_restart"
	OperationBuild          = "build" // of SetDuration alone
)

// Statuses of instances, jobs, builds and apps.
const (
	StatusCreating   = "creating"
	StatusRunning    = "running"
	StatusDeleting   = "deleting"
	StatusFailed     = "failed"
	StatusQueued     = "queued"
	StatusDone       = "done"
	StatusSuccessful = "successful"
	StatusBuilding   = "building"
	StatusStopped    = "stopped"
)

// must panics if a control can never match or apply: a test would pass without it.
func must(err error) {
	if err != nil {
		panic("hostingtest: " + err.Error())
	}
}
