package gdal

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	landlockabi "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// cageName is the name under which this program runs as a cage: it
// restricts itself and becomes a program of GDAL.
const cageName = "arpent-cage"

// otherUser runs GDAL where this process is root: the unprivileged user of every system.
const otherUser = 65534

const (
	memoryBytes = 448 << 20 // of a run: GDAL reads piece by piece
	fileBytes   = 64 << 30  // of a file that it writes
	cpuSeconds  = 6 * 3600  // the largest national layers take a tenth of it
)

// probeOnly in place of an order has the cage report and end.
const probeOnly = "probe"

// order is what the cage is started with, as its only argument.
type order struct {
	Path    string
	Args    []string
	Folders []string // read
	Files   []string // read
	Writes  string
}

// cageCommand prepares a run of this program as a cage, which becomes the program of the
// call. A call without a program is a probe.
func cageCommand(ctx context.Context, c Call, env []string) (*exec.Cmd, error) {
	o := order{Args: append([]string{c.Program}, c.Args...), Writes: c.Writes}
	if c.Program != "" {
		var err error
		if o.Path, err = findProgram(c.Program); err != nil {
			return nil, err
		}
		prefix := filepath.Dir(filepath.Dir(o.Path))
		// the programs, what they are linked with, and the tables of projections
		folders := []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/gdal",
			"/usr/share/proj", filepath.Join(prefix, "bin"), filepath.Join(prefix, "lib"),
			filepath.Join(prefix, "share", "gdal"), filepath.Join(prefix, "share", "proj")}
		for _, name := range libraryVariables {
			folders = append(folders, filepath.SplitList(os.Getenv(name))...)
		}
		slices.Sort(folders)
		o.Folders = slices.DeleteFunc(slices.Compact(folders), func(f string) bool { return !filepath.IsAbs(f) })
	}
	for _, path := range c.Reads {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			o.Folders = append(o.Folders, path)
		} else {
			o.Files = append(o.Files, path)
		}
	}
	var coded bytes.Buffer
	err := gob.NewEncoder(&coded).Encode(o) // names of files are bytes, not always UTF-8
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "/proc/self/exe")
	cmd.Args, cmd.Env, cmd.Dir = []string{cageName, base64.StdEncoding.EncodeToString(coded.Bytes())}, env, "/"
	if hasOtherUser() {
		cmd.SysProcAttr = asOtherUser()
		if c.Writes != "" {
			err = os.Chown(c.Writes, otherUser, otherUser)
		}
	}
	return cmd, err
}

// asOtherUser are the attributes of a process of the other user. Behind Landlock it may read files of any
// user: those that the cage leaves. Without Landlock it reads what everyone may read.
func asOtherUser() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	if abi, err := landlockabi.LandlockGetABIVersion(); err == nil && abi > 0 {
		attr.AmbientCaps = []uintptr{unix.CAP_DAC_READ_SEARCH}
	}
	return attr
}

// hasOtherUser reports whether this process may start others as another user:
// as root, unless a container took the right.
var hasOtherUser = sync.OnceValue(func() bool {
	if os.Geteuid() != 0 {
		return false
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args, cmd.Env, cmd.Dir, cmd.SysProcAttr = []string{cageName, probeOnly}, []string{}, "/", asOtherUser()
	return cmd.Run() == nil
})

// init is the cage: it has to run before anything else of this program, and in
// test binaries, which have no main of ours.
func init() {
	if len(os.Args) != 2 || os.Args[0] != cageName {
		return
	}
	fmt.Fprintln(os.Stderr, "ERROR: start the cage:", enterCage(os.Args[1]))
	os.Exit(1)
}

// enterCage restricts this process and becomes the program of an order. It returns only when that fails.
func enterCage(text string) error {
	var o order
	if text != probeOnly {
		if err := gob.NewDecoder(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))).Decode(
			&o); err != nil {
			return fmt.Errorf("read its order: %w", err)
		}
	}
	if err := restrictFiles(o); err != nil {
		return fmt.Errorf("restrict files: %w", err)
	}
	if seccomp.Supported() {
		if err := denySystemCalls(); err != nil {
			return fmt.Errorf("restrict system calls: %w", err)
		}
	}
	if o.Path == "" {
		return reportDenials()
	}
	for resource, most := range map[int]uint64{
		unix.RLIMIT_DATA: memoryBytes, unix.RLIMIT_FSIZE: fileBytes, unix.RLIMIT_CPU: cpuSeconds,
		unix.RLIMIT_CORE: 0,
	} {
		var now unix.Rlimit
		err := unix.Getrlimit(resource, &now)
		if err == nil { // one that is lower stays
			most = min(most, now.Max)
			err = unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most})
		}
		if err != nil {
			return fmt.Errorf("set resource limit %d: %w", resource, err)
		}
	}
	return syscall.Exec(o.Path, o.Args, os.Environ())
}

// restrictFiles leaves the input and the libraries to read and one folder to write, as far as the kernel can.
func restrictFiles(o order) error {
	rules := []landlock.Rule{
		landlock.RODirs(o.Folders...).IgnoreIfMissing(),
		landlock.ROFiles(o.Files...),
		landlock.ROFiles("/etc/ld.so.cache", "/dev/urandom").IgnoreIfMissing(),
		landlock.RWFiles("/dev/null").IgnoreIfMissing(),
	}
	if o.Writes != "" {
		rules = append(rules, landlock.RWDirs(o.Writes))
	}
	return landlock.V7.BestEffort().Restrict(rules...)
}

// deniedCalls reach a network, another process or the kernel past Landlock.
// Reading and writing files needs none of them.
var deniedCalls = []string{
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "ptrace", "process_vm_readv", "process_vm_writev",
	"pidfd_open", "pidfd_getfd", "pidfd_send_signal",
	"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	"kcmp", "bpf", "userfaultfd", "perf_event_open", "keyctl", "add_key", "request_key", "open_by_handle_at",
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "kexec_load", "init_module", "finit_module",
}

// denySystemCalls allows the system calls of this architecture without deniedCalls. All others fail, those
// of another architecture included: a program of 64 bits can make the calls of 32 bits, whose numbers
// differ, and a filter that denies by number alone would let them pass.
func denySystemCalls() error {
	native, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	allowed := slices.DeleteFunc(slices.Sorted(maps.Keys(native.SyscallNames)), func(name string) bool {
		return slices.Contains(deniedCalls, name)
	})
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionAllow, Names: allowed}},
		}})
}

// reportDenials tries what a hostile file would, writes which attempts were stopped, and ends the process.
func reportDenials() error {
	_, files := os.ReadFile("/etc/passwd")
	fd, network := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if network == nil {
		_ = unix.Close(fd)
	}
	denied := func(err error) bool { return errors.Is(err, os.ErrPermission) }
	err := json.NewEncoder(os.Stdout).Encode(Protection{Files: denied(files), Network: denied(network),
		UID: os.Getuid()})
	if err != nil {
		return err
	}
	os.Exit(0)
	return nil
}
