package auth

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// lowestPriority makes the calling thread run only when nobody else wants the processor.
func lowestPriority() error {
	if err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0); err != nil {
		return syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19)
	}
	return nil
}
