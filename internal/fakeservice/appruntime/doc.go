// Package appruntime builds repositories and runs them as apps. Each version of an app is a
// separate process, which is watched at its health path and restarted when it crashes. A
// proxy with a stable address forwards requests to it.
//
// The package is the apps engine of the fake service and does not depend on the fake: the
// repositories, the builds and the apps to run come from the caller.
//
// An app gets PORT, DATA_DIR, its own variables, and DATABASE_URL if its machine has a
// database. Its data folder outlives redeploys, restarts and crashes, and is deleted with
// the app. If this program runs as root, each app and each build has its own user. In a
// sandbox the data folder is /data, and other apps' folders are not visible.
package appruntime
