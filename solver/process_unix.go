//go:build unix

package solver

import (
	"os/exec"
	"syscall"
)

// A solver may be a script that runs another program: kill them together, or
// the other one would go on for hours.
func init() {
	isolate = func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
}
