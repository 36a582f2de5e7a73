// Package app has the resource, list, data sources and actions of apps.
//
// The plan says whether an app is built: planChange. The apply asks decide for each next step,
// in decide.go; app_converge.go carries the steps out.
package app
