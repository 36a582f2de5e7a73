// Package app has the resource, list, data sources and actions of apps.
//
// # Builds
//
// Four functions decide whether an app is built:
//
//   - planChange, for the plan: a change of branch or variables, of deploy_commit, or of
//     redeploy_triggers builds the app, and the plan says so.
//   - appDifference, for the apply: the changes as steps from the record that was read. A step
//     with a branch or variables builds the app. One redeploy is added if no step builds, and
//     redeploy_triggers differ or rebuild is true (for deploy_commit, see rebuilds).
//   - appUpdate.rebuilds computes rebuild, from builds that it reads: another commit than the
//     planned one is deployed, or mustBuildAgain. An app that this apply imports is never
//     built a second time.
//   - mustBuildAgain, for a build that an earlier apply has left behind: the build failed, it
//     was deployed and the app does not run, or there is no such build.
package app
