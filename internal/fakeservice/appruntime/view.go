package appruntime

// dataPoint is where an app finds its data folder, where the platform can give
// each app its own.
const dataPoint = "/data"

// buildPoint is where an app that has a view of its own finds its build.
const buildPoint = "/app"

// trustPoint is where such an app finds the machine's CA.
const trustPoint = "/trust"

// view is what an app sees of the file system, and the user as which it does.
type view struct {
	// root is an empty folder, below which the app's view is put together.
	root string
	// hidden is a folder that the app does not see.
	hidden string
	// mounts are folders by the place in the view at which they are, which is
	// directly below its root.
	mounts map[string]string
}
