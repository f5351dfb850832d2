package app

import (
	"os/exec"
	"runtime"
	"syscall"
)

// lowestPriority is the nice value of the process that builds a snapshot.
const lowestPriority = 19

// runLowPriority runs a process at the lowest priority, and stops it when this one is gone, however that happens: the next
// start would build beside it. Both are of the thread that starts the process: it inherits the priority of the thread,
// and the system watches the thread. So it gets a thread of its own, which ends with it.
func runLowPriority(cmd *exec.Cmd) (out []byte, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // not unlocked: nothing else may run on it
		if err = syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowestPriority); err == nil {
			out, err = cmd.CombinedOutput()
		}
	}()
	<-done
	return out, err
}
