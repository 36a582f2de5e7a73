package process

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Sandbox runs programs with bubblewrap (bwrap). A program in a sandbox sees the system's
// programs and libraries, Go and Node.js, the mounts of its Spec, and its own processes. It
// shares the network with this program, so that it can listen and connect.
type Sandbox struct {
	// Limits apply to each program with its descendants.
	Limits Limits

	bubblewrap string
	setpriv    string   // changes the user; empty if this program is not root
	prlimit    string   // limits the number of processes; empty if it is missing
	filter     []byte   // the system calls that a program can make; empty means all
	system     []string // bubblewrap's arguments for the files that every program sees
	path       string
}

// Mount is a file or folder that a program in a Sandbox sees.
type Mount struct {
	// Point is the absolute path at which the program finds it.
	Point string
	// Source is the absolute path of the file or folder.
	Source string
	// Writable lets the program write there, if its user may.
	Writable bool
}

// Path returns the PATH of programs in the sandbox.
func (s *Sandbox) Path() string { return s.path }

// temporary is the size of /tmp and of /dev/shm in a sandbox, in bytes. They are in memory.
const temporary = 256 << 20

// headroom is the number of processes and threads that the kernel allows a sandbox above its
// limit of processes. The guard ends the sandbox then, with a reason. The kernel alone would
// let it continue with errors.
const headroom = 3584

// Descriptors that bubblewrap inherits. It writes the id of the sandbox's first process to
// infoFile; the shell writes to readyFile once the sandbox is complete. It reads the filter
// of system calls from filterFile.
const (
	infoFile   = 3
	readyFile  = 4
	filterFile = 5
)

// The shell in the sandbox reports that it is ready, and then executes the script of
// exports from its input. If this program is killed before it has sent the script, nothing
// runs. If the machine has no memory left, the kernel ends programs in sandboxes first.
const insideScript = `{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; echo ready >&4; exec 3>&- 4>&- 5<&-; eval "$(cat)"`

// command returns the command with which bubblewrap runs a program. The program's
// environment is not bubblewrap's: there, variables such as LD_PRELOAD would execute the
// program's files outside the sandbox. Instead, a shell reads it from its input and sets
// it. That shell runs in the sandbox and has the program's user.
func (s *Sandbox) command(spec Spec) []string {
	words := []string{s.bubblewrap, "--info-fd", strconv.Itoa(infoFile), "--die-with-parent", "--new-session",
		"--unshare-pid", "--unshare-ipc", "--unshare-uts"}
	if s.setpriv == "" {
		words = append(words, "--unshare-user")
	}
	if len(s.filter) > 0 {
		words = append(words, "--seccomp", strconv.Itoa(filterFile))
	}
	words = append(words, s.system...)
	var points []string
	for _, m := range spec.Mounts {
		points = append(points, m.Point)
	}
	words = append(words, foldersAbove(points)...)
	for _, m := range spec.Mounts {
		bind := "--ro-bind"
		if m.Writable {
			bind = "--bind"
		}
		words = append(words, bind, m.Source, m.Point)
	}
	words = append(words, "--remount-ro", "/", "--chdir", spec.Folder, "--")
	if s.setpriv != "" {
		words = append(words, s.setpriv, "--reuid", strconv.Itoa(spec.User.UID), "--regid", strconv.Itoa(spec.User.GID),
			"--clear-groups", "--inh-caps", "-all", "--no-new-privs")
	}
	// The user of an app or a build has no other processes, or none outside the sandbox's
	// user namespace.
	if s.prlimit != "" {
		words = append(words, s.prlimit, "--nproc="+strconv.Itoa(s.Limits.Processes+headroom), "--")
	}
	words = append(words, "/bin/sh", "-c", insideScript, "sh")
	return append(words, spec.Command...)
}

// ofShells matches the variables that dash or bash refuse to set, or change.
var ofShells = regexp.MustCompile(`^(_|BASH.*|DIRSTACK|E?UID|EPOCH.*|FUNCNAME|GROUPS|IFS|LINENO|OPTIND|PPID|S?RANDOM|SECONDS|SHELLOPTS|SHLVL)$`)

// exports returns a shell script that sets the variables of an environment and runs the
// program named by the script's arguments. The program env sets those that shells keep to
// themselves. It sets no others, because other users see its arguments until it runs the
// program.
func exports(environment []string) string {
	var script, arguments strings.Builder
	script.WriteString("unset PWD OLDPWD\n")
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if ofShells.MatchString(name) {
			fmt.Fprintf(&arguments, "%s=%s ", name, quoted(value))
			continue
		}
		fmt.Fprintf(&script, "export %s=%s\n", name, quoted(value))
	}
	if arguments.Len() > 0 {
		script.WriteString("set -- /usr/bin/env " + arguments.String() + "\"$@\"\n")
	}
	script.WriteString("exec \"$@\" </dev/null\n")
	return script.String()
}

// quoted returns a text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// systemFolders contain the system's programs. If one is a link, as /bin is to usr/bin, the
// sandbox has the link.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// systemFiles are the files in /etc that programs need: for name resolution, time zone,
// certificates, and for finding libraries and the system's programs.
var systemFiles = []string{
	"/etc/alternatives", "/etc/ca-certificates", "/etc/gai.conf", "/etc/host.conf", "/etc/hosts", "/etc/ld.so.cache", "/etc/ld.so.conf",
	"/etc/ld.so.conf.d", "/etc/localtime", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/pki", "/etc/protocols", "/etc/resolv.conf",
	"/etc/services", "/etc/ssl", "/etc/timezone",
}

// systemArguments returns bubblewrap's arguments for the files that every program sees,
// with the mounts of toolchains, each at its own path.
func systemArguments(mounts []string) ([]string, error) {
	var words []string
	for _, folder := range systemFolders {
		info, err := os.Lstat(folder)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			return nil, err
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(folder)
			if err != nil {
				return nil, err
			}
			words = append(words, "--symlink", target, folder)
		default:
			words = append(words, "--ro-bind", folder, folder)
		}
	}
	// A toolchain may be in /tmp, so its mounts come after the sandbox's own.
	words = append(words, "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", strconv.Itoa(temporary), "--tmpfs", "/tmp",
		"--perms", "1777", "--size", strconv.Itoa(temporary), "--tmpfs", "/dev/shm", "--remount-ro", "/dev")
	words = append(words, foldersAbove(append(slices.Clone(systemFiles), mounts...))...)
	for _, file := range systemFiles {
		words = append(words, "--ro-bind-try", file, file)
	}
	for _, mount := range mounts {
		words = append(words, "--ro-bind", mount, mount)
	}
	return words, nil
}

// foldersAbove returns bubblewrap's arguments that create the parent folders of paths,
// outermost first, except the system's. Only bubblewrap's own user could enter the folders
// that it creates for a mount by itself.
func foldersAbove(paths []string) []string {
	var folders []string
	for _, path := range paths {
		for folder := filepath.Dir(path); folder != "/" && !inSystem(folder) && !slices.Contains(folders, folder); folder = filepath.Dir(folder) {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	var words []string
	for _, folder := range folders {
		words = append(words, "--dir", folder)
	}
	return words
}

// inSystem reports whether a path is in one of the system's folders.
func inSystem(path string) bool {
	return slices.ContainsFunc(systemFolders, func(folder string) bool {
		return path == folder || strings.HasPrefix(path, folder+"/")
	})
}

// toolchains are the programs that build apps and may be installed outside the system's
// folders. proof is a folder that a toolchain has next to its bin folder. parts are the
// folders that it needs there. Node.js may be installed in a folder with other things, such
// as ~/.local, so only its parts are shown.
var toolchains = []struct {
	program, proof string
	parts          []string
}{
	{"go", "pkg/tool", []string{"."}},
	{"node", "lib/node_modules", []string{"bin", "lib/node_modules"}},
}

// toolchainsOf finds Go and Node.js, with which apps are built, on a PATH. It returns the
// PATH of a sandbox, which contains the system's folders and the toolchains', and the
// mounts for the toolchains outside the system's folders.
func toolchainsOf(path string) (inside string, mounts []string) {
	var folders []string
	add := func(list *[]string, item string) {
		if !slices.Contains(*list, item) {
			*list = append(*list, item)
		}
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		folder = filepath.Clean(folder)
		if inSystem(folder) {
			add(&folders, folder)
		}
		for _, known := range toolchains {
			file, err := filepath.EvalSymlinks(filepath.Join(folder, known.program))
			if err != nil || inSystem(file) {
				continue
			}
			bin := filepath.Dir(file)
			add(&folders, bin)
			// A single program may be in a home folder's bin, whose other files must stay
			// hidden.
			if info, err := os.Stat(filepath.Join(filepath.Dir(bin), known.proof)); err != nil || !info.IsDir() {
				add(&mounts, file)
				continue
			}
			for _, part := range known.parts {
				add(&mounts, filepath.Join(filepath.Dir(bin), part))
			}
		}
	}
	for _, folder := range []string{"/usr/local/bin", "/usr/bin", "/bin"} {
		add(&folders, folder)
	}
	return strings.Join(folders, string(filepath.ListSeparator)), mounts
}
