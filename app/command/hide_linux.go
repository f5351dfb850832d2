package command

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// hideSecrets has the system refuse the memory and the environment of this process to other processes of its
// user, such as a program that reads a hostile file: unsetting a variable leaves it in /proc/<pid>/environ.
func hideSecrets() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hide the memory of this process: %w", err)
	}
	return nil
}
