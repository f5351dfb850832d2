package command_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"arpent/app/command"
)

// A process that holds secrets is closed to all others of its user, so
// that a hole in one of them gives nothing away.
func TestMainHidesSecrets(t *testing.T) {
	if os.Getenv("ARPENT_HIDDEN") != "" { // the process that is looked at
		command.Main(&cobra.Command{Use: "x", Args: cobra.ArbitraryArgs, Run: func(*cobra.Command, []string) {
			var look exec.Cmd // another process of the same user
			look.Path, look.Args = "/bin/sh", []string{"sh", "-c", `cat /proc/$PPID/environ >/dev/null 2>&1`}
			visible := look.Run() == nil
			dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
			if visible || dumpable != 0 || err != nil {
				os.Exit(3)
			}
			os.Exit(0)
		}})
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^TestMainHidesSecrets$")
	cmd.Env = append(os.Environ(), "ARPENT_HIDDEN=1")
	if os.Geteuid() == 0 { // root may read everything
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); errors.Is(err, syscall.EPERM) {
		t.Skip("no other user can be taken: ", err)
	} else if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
