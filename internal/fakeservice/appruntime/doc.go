// Package appruntime builds repositories and runs them as apps: each version a
// process of its own, started again when it crashes, watched at its health
// path, and reached through a proxy whose address stays.
//
// It is the apps engine of the fake service, and it knows nothing of the fake:
// a Runtime is given repositories and told what to build and run.
//
// An app gets PORT, DATABASE_URL where its machine has a database, DATA_DIR,
// and the variables of its own. Its data folder outlives redeploys, restarts
// and crashes, and goes with the app. As root an app and a build have a user of
// their own each. In a sandbox that folder is /data, and other apps' folders are not
// there.
package appruntime
