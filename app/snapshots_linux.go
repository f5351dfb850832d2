package app

import (
	"bytes"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// lowestPriority is the nice value of the process that builds a snapshot.
const lowestPriority = 19

// runLowPriority runs a process at the lowest priority and returns what it writes. The process is stopped
// when this one is gone, however that happens: the next start would build concurrently with it.
func runLowPriority(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	started := make(chan error)
	lowPriorityThread() <- func(err error) {
		if err == nil {
			err = cmd.Start()
		}
		started <- err
	}
	if err := <-started; err != nil {
		return nil, err
	}
	err := cmd.Wait()
	return out.Bytes(), err
}

// lowPriorityThread returns the queue of a thread of the lowest priority, which its children
// inherit. It never ends: the system kills the children of a thread that ends, and it may have
// been the parent of others before it was taken.
var lowPriorityThread = sync.OnceValue(func() chan<- func(error) {
	queue := make(chan func(error))
	go func() {
		runtime.LockOSThread()
		err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowestPriority)
		for start := range queue {
			start(err)
		}
	}()
	return queue
})
