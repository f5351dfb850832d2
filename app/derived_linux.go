package app

import (
	"os/exec"
	"syscall"
)

// endWithUs makes the process stop when this one is gone, however that happens: the next start would build beside it.
// The system watches the thread that starts the process, so the caller keeps to its thread until the process has ended.
func endWithUs(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
