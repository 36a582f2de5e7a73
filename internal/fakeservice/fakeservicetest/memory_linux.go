package fakeservicetest

import "syscall"

// sharedMemory is a folder that is in memory on most systems.
const sharedMemory = "/dev/shm"

// roomNeeded is an upper limit for the size of the clusters and backups of a test run.
const roomNeeded = 2 << 30

// FastFolder returns the folder in which clusters are created fastest: a cluster has a
// thousand files, and some disks take a second for them. It is "" if the usual folder is
// best; many containers have little shared memory.
func FastFolder() string {
	var found syscall.Statfs_t
	if err := syscall.Statfs(sharedMemory, &found); err != nil {
		return ""
	}
	if free := found.Bavail * uint64(found.Bsize); free < roomNeeded {
		return ""
	}
	return sharedMemory
}
