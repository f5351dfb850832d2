package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// HashCommand is the argument by which the program hashes passwords for another process of itself.
const HashCommand = "hash-passwords"

// Hashing in the serving process would hold one of its few processors for 40 ms at a time and make its collector run
// after each 19 MiB: measured on two processors, the API's slowest answers took seven times as long. A process of its
// own, with the lowest priority, takes the time that is left over.
const (
	hashPatience = 10 * time.Second // of one answer; the processors may be busy with better things
	hashIdle     = time.Minute      // an idle process ends, and gives its memory back
)

// hashTask is one line to the process: hash the password, or, with Hash, compare it.
type hashTask struct {
	Password string `json:"password"`
	Hash     string `json:"hash,omitempty"`
}

// hashDone is one line back.
type hashDone struct {
	Hash  string `json:"hash,omitempty"`
	Same  bool   `json:"same,omitempty"`
	Error string `json:"error,omitempty"`
}

// ServeHashes does the tasks on in until it ends, which it does when the process that asks is gone.
func ServeHashes(in io.Reader, out io.Writer) error {
	if err := stepBack(); err != nil {
		fmt.Fprintln(os.Stderr, "arpent: passwords are hashed at normal priority:", err)
	}
	tasks, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var t hashTask
		if err := tasks.Decode(&t); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return errors.New("read a task: not what was expected") // without the text: it holds a password
		}
		if err := answers.Encode(t.do()); err != nil {
			return fmt.Errorf("answer a task: %w", err)
		}
	}
}

// stepBackMark is in the environment of a process that has stepped back.
const stepBackMark = "ARPENT_STEPPED_BACK"

// stepBack gives way to all other processes. Linux keeps the priority of each thread apart, and new ones have that of
// the thread that makes them: so the program starts anew from the one that has the lowest.
func stepBack() error {
	if os.Getenv(stepBackMark) != "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := lowestPriority(); err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, append(os.Environ(), stepBackMark+"=1"))
}

func (t hashTask) do() (d hashDone) {
	var err error
	if t.Hash == "" {
		d.Hash, err = hashOf(t.Password)
	} else {
		d.Same, err = compare(t.Password, t.Hash)
	}
	if err != nil {
		d.Error = err.Error()
	}
	return d
}

// hashProcess is one process that hashes, or none until it is needed.
type hashProcess struct {
	command string // path of the program

	mu      sync.Mutex // held during a task: it does one at a time
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
	retire  *time.Timer
	notTill time.Time // it could not be started: not tried before
}

// do has a task done. An error means that it was not, and that the caller may do it itself.
func (p *hashProcess) do(ctx context.Context, t hashTask) (hashDone, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.start(); err != nil {
		return hashDone{}, err
	}
	p.retire.Reset(hashIdle)
	ctx, cancel := context.WithTimeout(ctx, hashPatience)
	defer cancel()
	process := p.cmd.Process
	kill := context.AfterFunc(ctx, func() { _ = process.Kill() }) // ends the reading below, and may run when p has moved on
	var d hashDone
	err := json.NewEncoder(p.in).Encode(t)
	if err == nil {
		err = p.out.Decode(&d)
	}
	if !kill() || err != nil {
		_ = process.Kill() // whatever it is doing, nobody reads it any more
		p.end()
		return hashDone{}, errors.Join(ctx.Err(), err)
	}
	return d, nil
}

func (p *hashProcess) start() error {
	if time.Now().Before(p.notTill) {
		return errors.New("no process hashes")
	}
	if p.cmd != nil {
		return nil
	}
	cmd := exec.Command(p.command, HashCommand)
	cmd.Env = []string{"GOMAXPROCS=1", "GOMEMLIMIT=64MiB"}
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			p.out = json.NewDecoder(out)
			err = cmd.Start()
		}
	}
	if err != nil {
		p.notTill = time.Now().Add(hashIdle)
		slog.Warn("passwords are hashed beside the requests: no process of its own could be started", "error", err)
		return err
	}
	p.cmd, p.in = cmd, in
	p.retire = time.AfterFunc(hashIdle, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.end()
	})
	return nil
}

// end lets the process go. The next task starts another.
func (p *hashProcess) end() {
	if p.cmd == nil {
		return
	}
	p.retire.Stop()
	_ = p.in.Close()
	cmd := p.cmd
	p.cmd = nil
	go func() { _ = cmd.Wait() }() // it ends once it has read the end of its tasks
}
