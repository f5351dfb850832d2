package stripesim

import (
	"runtime"
	"syscall"
)

// live starts the process and waits for its end on one thread: the kernel ends stripe-mock with the thread that
// started it, and so with this process, however that ends.
func (m *mock) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err := m.cmd.Start()
	started <- err
	if err == nil {
		_ = m.cmd.Wait() // reports the kill as a failure
	}
	close(m.ended)
}
