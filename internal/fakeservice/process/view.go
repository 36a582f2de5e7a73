package process

// View is what a program sees of the file system: a copy of this program's, in
// which some folders are not there and others are added. It takes CanContain.
type View struct {
	// Root is an empty folder, below which the view is put together. Programs
	// may share it: each sees another thing there.
	Root string
	// Hidden are folders in whose place the program finds an empty one.
	Hidden []string
	// Mounts are added.
	Mounts []Mount
}

// Mount is a folder in a view.
type Mount struct {
	// Point is where the program finds it: directly below the root.
	Point string
	// Folder is what it finds there.
	Folder string
	// ReadOnly keeps the program from writing there, whosever the folder is.
	ReadOnly bool
	// Changes is where what the program writes is kept, and Folder stays as it
	// is: a folder that holds the two folders upper and work. Empty is Folder
	// itself.
	Changes string
}
