package app

import (
	"context"
	"net"
	"net/netip"
	"os/exec"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"arpent/billing"
	"arpent/internal/clock"
	"arpent/internal/config"
	basejobs "arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/pgdb"
)

// Connections counts connections as the listener does, up to a maximum.
type Connections struct{ c *connections }

// NewConnections makes Connections.
func NewConnections(max int, exempt ...netip.Prefix) Connections {
	c := newConnections(exempt, "")
	c.max = max
	return Connections{c}
}

// Enter reports whether a connection is taken.
func (c Connections) Enter(from netip.Addr) bool { return c.c.acquireSlot(from) == "" }

// Leave ends a connection.
func (c Connections) Leave(from netip.Addr) { c.c.releaseSlot(from) }

// ConnectionsFor is how many connections fit into a limit of open files.
func ConnectionsFor(files uint64) int { return connectionsFor(files) }

// Limits of connections.
const (
	MaxPerAddress  = maxPerAddress
	MaxConnections = maxConnections
)

// Connections are those of the listener.
func (a *App) Connections() Connections { return Connections{a.connections} }

// Narrow lets only that many connections in.
func (a *App) Narrow(max int) {
	a.connections.mu.Lock()
	defer a.connections.mu.Unlock()
	a.connections.max = max
}

// RunLowPriority runs a process as snapshots are built.
func RunLowPriority(cmd *exec.Cmd) ([]byte, error) { return runLowPriority(cmd) }

// Secrets are all that the server has; new things are made with the first.
func Secrets(c config.Config) ([][]byte, error) { return serverSecrets(c) }

// Jobs send mails for a test: as the program does, with shorter pauses.
type Jobs struct {
	*jobs
	mailing mailing
	pool    *pgxpool.Pool
}

// NewJobs makes them on a database.
func NewJobs(pool *pgxpool.Pool, c config.Config, cl clock.Clock) (Jobs, error) {
	m, err := newMailing(c)
	if err != nil {
		return Jobs{}, err
	}
	mailer := mail.NewWorker(mail.WorkerOptions{Sender: m.sender, BaseURL: c.BaseURL, ServiceName: c.ServiceName, Clock: cl,
		Token: func(context.Context, string, int64) (string, error) { return "token", nil },
		Pause: 100 * time.Millisecond, Backoff: 20 * time.Millisecond})
	j, err := newJobs(pool, c.DatabaseConns, 100*time.Millisecond, mailer.Jobs()...)
	return Jobs{j, m, pool}, err
}

// Start begins to work.
func (j Jobs) Start(ctx context.Context) error { return j.start(ctx) }

// Stop ends it.
func (j Jobs) Stop(ctx context.Context) error { return j.stop(ctx) }

// MailDown reports that no mail leaves.
func (j Jobs) MailDown() bool { return j.mailing.down }

// HasDevMail reports that mails are shown.
func (j Jobs) HasDevMail() bool { return j.mailing.dev != nil }

// Send leaves a mail in a transaction of its own.
func (j Jobs) Send(ctx context.Context, m mail.Job) error {
	return pgx.BeginFunc(ctx, j.pool, func(tx pgx.Tx) error { return mail.Send(ctx, tx, m) })
}

// RegisterDevMail adds the development mailbox to a server and gives what it shows, and its address.
func RegisterDevMail(f fiber.Router, baseURL string) (kept *mail.Memory, address string) {
	d := newDevMail(baseURL)
	d.Register(f)
	return d.kept, d.tokenURL()
}

// BillingClient does the jobs about subscriptions, and the mails they cause.
func BillingClient(pool *pgxpool.Pool, b *billing.Service, cl clock.Clock) (*river.Client[pgx.Tx], error) {
	mailer := mail.NewWorker(mail.WorkerOptions{Sender: mail.NewMemory(10), BaseURL: "https://arpent.example", ServiceName: "Arpent", Clock: cl})
	workers, _ := basejobs.Workers(append(b.Jobs(), mailer.Jobs()...)...)
	return river.NewClient(riverpgxv5.New(pool), &river.Config{Schema: pgdb.JobSchema, Workers: workers,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}, FetchPollInterval: 100 * time.Millisecond})
}

// UpdateIsScheduled reports whether a configuration has a daily update.
func UpdateIsScheduled(c config.Config) (bool, error) {
	all, err := updateJobs(c, "arpent")
	_, scheduled := basejobs.Workers(all...)
	return len(scheduled) > 0, err
}

// RunUpdate runs the update of a program.
func RunUpdate(ctx context.Context, program string) error {
	return (&updater{program: program}).Work(ctx, nil)
}

// LoadedHere is what an assistant reads of what the server holds.
var LoadedHere = describeLoaded

// Coarse is a connection as the listener gives it, with deadlines that count in ticks, and what makes a tick.
func Coarse(c net.Conn) (conn net.Conn, tick func()) {
	from := newConnections(nil, "")
	return &coarseConn{Conn: c, tick: &from.tick, release: func() {}}, func() { from.tick.Add(1) }
}

// Ticks is how often the clock of the listener has ticked.
func (a *App) Ticks() uint32 { return a.connections.tick.Load() }
