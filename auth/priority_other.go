//go:build !linux

package auth

import "syscall"

// lowestPriority makes the process give way to others.
func lowestPriority() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19) }
