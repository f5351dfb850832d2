//go:build !linux

package app

import "os/exec"

// runLowPriority runs a process; priorities of threads are a service of Linux.
func runLowPriority(cmd *exec.Cmd) ([]byte, error) { return cmd.CombinedOutput() }
