package fakeservice

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/mcp"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
)

// Types of package core for users of a Service. They are documented there.
//
//nolint:revive // each has its comment in core
type (
	Account        = core.Account
	NewKey         = core.NewKey
	Instance       = core.Instance
	Engine         = core.Engine
	Backup         = core.Backup
	Activity       = core.Activity
	App            = core.App
	AppFailure     = core.AppFailure
	Build          = core.Build
	Database       = core.Database
	Extension      = core.Extension
	Webhook        = core.Webhook
	Job            = core.Job
	Event          = core.Event
	Delivery       = core.DeliveryRecord
	Attempt        = core.Attempt
	Mail           = core.Mail
	Query          = core.Query
	QueryResult    = core.QueryResult
	SQLError       = core.SQLError
	Querier        = core.Querier
	QuerierFunc    = core.QuerierFunc
	DataPlane      = core.DataPlane
	ControlPlane   = core.ControlPlane
	DesiredMachine = core.DesiredMachine
	Endpoints      = core.Endpoints
	Failure        = core.Failure
	Finding        = core.Finding
	JobMatch       = core.JobMatch
	BuildMatch     = core.BuildMatch
	AppMatch       = core.AppMatch
	Catalog        = core.Catalog
	Plan           = core.Plan
	Request        = requestlog.Request
	ToolCall       = mcp.Call
)

// Statuses of instances, jobs, builds and apps, and the names of engines.
const (
	StatusCreating   = core.StatusCreating
	StatusRunning    = core.StatusRunning
	StatusDeleting   = core.StatusDeleting
	StatusFailed     = core.StatusFailed
	StatusDone       = core.StatusDone
	StatusSuccessful = core.StatusSuccessful
	StatusBuilding   = core.StatusBuilding
	StatusStopped    = core.StatusStopped
	EnginePostgres   = core.EnginePostgres
	EngineApps       = core.EngineApps
)
