//go:build !linux

package gdal

import (
	"context"
	"os"
	"os/exec"
)

// cageCommand runs a program without a cage, which this system does not have.
func cageCommand(ctx context.Context, c Call, env []string) (*exec.Cmd, error) {
	if c.Program == "" {
		return exec.CommandContext(ctx, "echo", "{}"), nil
	}
	path, err := findProgram(c.Program)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, c.Args...)
	cmd.Env = env
	if c.Writes != "" {
		cmd.Dir = c.Writes
	} else {
		cmd.Dir = os.TempDir()
	}
	return cmd, nil
}
