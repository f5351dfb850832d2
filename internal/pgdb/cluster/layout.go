package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A unix socket's path has at most 107 bytes; this is the file that PostgreSQL puts into the socket folder.
const (
	maxSocketPath = 107
	socketFile    = "/.s.PGSQL.5432"
)

// owner is who runs the server. PostgreSQL refuses to run as root, which starts it as user postgres.
type owner struct {
	uid, gid int
	cred     *syscall.Credential // nil: ourselves
}

func findOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return owner{}, fmt.Errorf("%w: there is no user postgres for root to start it as; %s", ErrNotInstalled,
			installHint)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return owner{}, fmt.Errorf("read the id of user postgres: %w", err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return owner{}, fmt.Errorf("read the group of user postgres: %w", err)
	}
	cred := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	groups, err := u.GroupIds() // ssl-cert among them, for Debian's certificate
	if err != nil {
		return owner{}, fmt.Errorf("read the groups of user postgres: %w", err)
	}
	for _, g := range groups {
		if n, err := strconv.ParseUint(g, 10, 32); err == nil {
			cred.Groups = append(cred.Groups, uint32(n))
		}
	}
	return owner{uid: uid, gid: gid, cred: cred}, nil
}

// newCommand runs as the owner, in a process group of its own so that Ctrl-C in the terminal reaches only us,
// and without the PG… variables of our own environment.
func (o owner) newCommand(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: o.cred}
	return cmd
}

// layout says where things are. The locks belong to us, data and socket to the server's owner.
type layout struct {
	dir    string // absolute
	socket string // folder of the socket
}

func (l layout) dataDir() string   { return filepath.Join(l.dir, "data") }
func (l layout) logFile() string   { return filepath.Join(l.dataDir(), "server.log") }
func (l layout) startLock() string { return filepath.Join(l.dir, "start.lock") }
func (l layout) leaseLock() string { return filepath.Join(l.dir, "lease.lock") }

// dataVersion is the major version of the data; empty when there is none yet.
func (l layout) dataVersion() string {
	b, err := os.ReadFile(filepath.Join(l.dataDir(), "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func newLayout(ctx context.Context, dir string, o owner, log *slog.Logger) (layout, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return layout{}, fmt.Errorf("make the database folder: %w", err)
	}
	l := layout{dir: o.usableFolder(ctx, dir)}
	l.socket = filepath.Join(l.dir, "run")
	if err := writeMoveNote(dir, l.dir); err != nil {
		return layout{}, err
	}
	if l.dir != dir {
		log.WarnContext(ctx, "user postgres may not enter the database folder; using another one", "folder", dir,
			"instead", l.dir)
		if err := makeFolder(l.dir, 0o755, os.Geteuid(), os.Getegid()); err != nil {
			return layout{}, err
		}
	}
	if len(l.socket)+len(socketFile) > maxSocketPath {
		l.socket = filepath.Join("/tmp", "arpent-"+shortHash(l.dir))
	}
	return l, nil
}

// Folder is where a cluster asked for in dir really is, or would be made.
func Folder(ctx context.Context, dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the database folder: %w", err)
	}
	o, err := findOwner()
	if err != nil {
		return "", err
	}
	return o.usableFolder(ctx, dir), nil
}

// usableFolder is dir, or another one when the owner may not enter dir. Folders that are not there
// yet will be open to all; those above decide.
func (o owner) usableFolder(ctx context.Context, dir string) string {
	if o.cred == nil {
		return dir
	}
	nearest := dir
	for nearest != "/" && !pathExists(nearest) {
		nearest = filepath.Dir(nearest)
	}
	if o.newCommand(ctx, "test", "-x", nearest).Run() == nil {
		return dir
	}
	return filepath.Join("/var/tmp", "arpent-"+shortHash(dir))
}

func pathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// movedFile is the file that says, in the folder asked for, where the cluster is instead.
const movedFile = "moved-to"

func writeMoveNote(dir, instead string) error {
	note := filepath.Join(dir, movedFile)
	if dir == instead {
		if err := os.Remove(note); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove an old note in the database folder: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(note, []byte(instead+"\n"), 0o644); err != nil {
		return fmt.Errorf("say in the database folder where the database is: %w", err)
	}
	return nil
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}

// makeFolder makes a folder that belongs to uid. One that is there and belongs to somebody else is refused:
// under /tmp anybody could have put it there.
func makeFolder(path string, mode os.FileMode, uid, gid int) error {
	err := os.Mkdir(path, mode)
	if err == nil {
		return os.Lchown(path, uid, gid)
	}
	if !os.IsExist(err) {
		return fmt.Errorf("make database folder %s: %w", path, err)
	}
	st, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("stat database folder %s: %w", path, err)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !st.IsDir() || !ok || int(sys.Uid) != uid {
		return fmt.Errorf("%s is there already and is not a folder of user %d; remove it", path, uid)
	}
	return nil
}
