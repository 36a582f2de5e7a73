package process

import (
	"bytes"
	"encoding/binary"
	"runtime"

	"golang.org/x/sys/unix"
)

// forbidden are the system calls that no program in a sandbox can make. With them, a
// program could become root in a user namespace of its own, and from there reach parts of
// the kernel that are seldom used, or use memory that belongs to no process.
var forbidden = []uint32{
	unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MEMFD_CREATE,
}

// namespaces are the flags with which clone creates namespaces.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// architectures are those on which the flags are the first argument of clone, and a program
// sees the lower half of an argument first.
var architectures = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "386": unix.AUDIT_ARCH_I386, "arm": unix.AUDIT_ARCH_ARM,
}

// Offsets in the data that a filter sees of a system call.
const (
	callNumber     = 0
	callMachine    = 4
	firstArgument  = 16
	numbersOfX32   = 0x40000000 // a second set of numbers on amd64
	refusedAsAlien = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	refused        = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
)

// systemCallFilter returns a seccomp filter as bubblewrap reads it, or nil if there is none
// for this machine. Calls of another architecture are refused, because they have other
// numbers. So is clone3, because a filter cannot see its flags: programs then use clone.
func systemCallFilter() []byte {
	machine, known := architectures[runtime.GOARCH]
	if !known {
		return nil
	}
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	give := func(verdict uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: verdict}
	}
	// unless skips the next instruction if the comparison is false.
	unless := func(comparison uint16, value uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | comparison | unix.BPF_K, Jf: 1, K: value}
	}
	program := []unix.SockFilter{
		load(callMachine),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: machine},
		give(refusedAsAlien),
		load(callNumber),
		unless(unix.BPF_JGE, numbersOfX32), give(refusedAsAlien),
		unless(unix.BPF_JEQ, unix.SYS_CLONE3), give(refusedAsAlien),
	}
	for _, call := range forbidden {
		program = append(program, unless(unix.BPF_JEQ, call), give(refused))
	}
	program = append(program,
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: unix.SYS_CLONE},
		load(firstArgument),
		unless(unix.BPF_JSET, namespaces), give(refused),
		give(unix.SECCOMP_RET_ALLOW),
	)
	var text bytes.Buffer
	_ = binary.Write(&text, binary.NativeEndian, program) // a buffer takes everything
	return text.Bytes()
}
