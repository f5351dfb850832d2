// Package app builds the program: it is the only place that knows all packages, and the order they start and
// stop in.
package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"arpent/api"
	"arpent/api/coverage"
	"arpent/api/geocode"
	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/auth/apikey"
	"arpent/auth/seal"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/config"
	"arpent/internal/opendata/report"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
	"arpent/internal/opendata/topic/addresses"
	"arpent/internal/pgdb"
	"arpent/internal/trace"
	"arpent/web"
	"arpent/web/landing"
	"arpent/web/status"
)

const (
	// Requests under way may finish for this long when the process is asked
	// to stop; the counters are written after.
	drainTimeout = 6 * time.Second
	flushTimeout = 3 * time.Second
)

// Inputs are what the caller owns: the database, opened and migrated, and where log lines go.
type Inputs struct {
	Config      config.Config
	Pool        *pgxpool.Pool
	DatabaseURL string
	AccessLog   io.Writer
	// path of this program, to be started to build snapshots; empty: they are built in this process
	Program string
	Version string               // of the program, for the metrics
	Metrics *prometheus.Registry // of this instance alone
	// DrainDelay is how long a server that was asked to stop goes on as before while /readyz answers 503: a
	// load balancer has this time to stop sending requests before connections are refused.
	DrainDelay time.Duration
	// ProbeEvery is how long after one call of an operation by the server itself the next one is made, for
	// the page on its state; 0: it makes none.
	ProbeEvery time.Duration
	// Hurry ends the delay and the requests under way, and writes the counters alone. Nil: never.
	Hurry <-chan struct{}
}

// App is the service, ready to run.
type App struct {
	in          Inputs
	fiber       *fiber.App
	health      *api.Health
	listener    *pgdb.Listener
	replicas    *pgdb.Replicas
	keys        *apikey.Index
	probed      *apikey.Probed // the keys, and the one that the server calls itself with
	prober      *status.Prober
	meter       *meter.Meter
	territory   *territory.Store
	parcels     *parcel.Store
	parcelIndex *parcel.IndexStore
	reports     *report.Store
	addresses   *geocode.Store
	statistics  *stats.Store
	snapshots   []*snapshotJob
	rebuilding  chan struct{} // held while a snapshot is built
	begun       time.Time
	logReady    sync.Once
	status      *pageData
	loads       loadWatch
	coverage    *coverage.Store
	finder      *landing.Finder // of what the first page shows
	outdated    atomic.Bool     // the territory has changed since it was read
	accessLog   *api.AccessLog
	traces      *trace.Tracer // nil: there are none
	accounts    *accounts

	connections *connections
}

// New builds the service and reads what it keeps in memory: keys, counters of today, territory.
func New(ctx context.Context, in Inputs) (*App, error) {
	a := &App{in: in, begun: time.Now(), rebuilding: make(chan struct{}, 1), accessLog: api.NewAccessLog(in.AccessLog,
		in.Config.LogSuccesses),
		traces: trace.New(trace.Options{Endpoint: in.Config.Collector, Version: in.Version, Instance: rand.Text()})}
	proxies, err := parsePrefixes(in.Config.TrustedProxies)
	if err != nil {
		return nil, err
	}
	a.listener = pgdb.NewListener(in.DatabaseURL, apikey.Channel, loadsChannel)
	// Reports are read from these. What is kept in memory and in files is read from the primary: it is read
	// once, when no replica may have it yet.
	if a.replicas, err = pgdb.NewReplicas(in.Pool, in.Config.ReadURLs()); err != nil {
		return nil, err
	}
	a.listener.Subscribe(ctx, loadsChannel, func(context.Context) { a.replicas.Announce() },
		func(context.Context, string) { a.replicas.Announce() })
	a.keys = apikey.NewIndex(in.Pool, clock.Real{})
	probed, secret := apikey.NewProbed(a.keys, loopbackAddr(in.Config.Host))
	a.probed = probed
	a.territory = territory.New(in.Pool)
	if a.meter, err = meter.New(meter.Options{Pool: in.Pool, Clock: clock.Real{},
		Operations: api.OperationNames(), RedisURL: in.Config.RedisURL.Reveal()}); err != nil {
		return nil, fmt.Errorf("start the meter: %w", err)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.keys.Load(gctx) })
	g.Go(func() error { return a.meter.Load(gctx) })
	g.Go(func() error { return a.territory.Refresh(gctx) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	a.parcelIndex = parcel.NewIndex(in.Pool, in.Config.StateDir, topic.Sources())
	a.parcels = parcel.New(func(code string) (parcel.Place, bool) {
		place, ok := a.territory.Place(code)
		return parcel.Place(place), ok
	}, a.territory.Explain, a.territory.Arrondissements, a.parcelIndex.Get)
	if a.reports, err = report.Open(ctx, report.Options{Catalogue: topic.Report(), URL: in.DatabaseURL,
		Conns: in.Config.ReportConns, Replicas: a.replicas}); err != nil {
		return nil, err
	}
	a.addresses = geocode.New(in.Pool, in.Config.StateDir, topic.Sources())
	a.statistics = stats.New(in.Pool, in.Config.StateDir, topic.Statistics())
	a.coverage = coverage.New(in.Pool, clock.Real{}, coverage.Catalogue{
		Parcels:   func() []parcel.Edition { return a.parcelIndex.Get().Editions() },
		Addresses: addresses.Searched, Report: topic.Report().Keys(), Statistics: a.statistics.Snapshot,
		Loading: a.describeLoading})
	a.status = &pageData{pool: in.Pool, territory: a.territory, parcels: a.parcels, index: a.parcelIndex.Get,
		figures: a.statistics.Snapshot, changed: func() {
			a.coverage.Notify()
			if a.finder != nil {
				a.finder.Notify()
			}
		}}
	a.snapshots = []*snapshotJob{a.addressJob(), a.statisticsJob(), a.parcelJob()}
	for _, j := range a.snapshots {
		j.openFile(ctx)
	}
	a.status.readAgain(ctx)
	a.prober = a.newProber(secret)
	secrets, err := serverSecrets(in.Config)
	if err != nil {
		a.reports.Close()
		return nil, err
	}
	server := api.New(api.Options{
		TagKey:  seal.DeriveKey(secrets.current(), "entity tags"),
		BaseURL: in.Config.BaseURL, ServiceName: in.Config.ServiceName, Proxies: proxies,
		Untrusted: newUntrustedLog(in.Config).recordPeer, Clock: clock.Real{},
		Keys: a.probed, Meter: a.meter, Anonymous: a.meter.NewAnonymousLimiter(), Territory: a.territory,
		Parcels: a.parcels, Reports: a.reports, Addresses: a.addresses, Statistics: a.statistics, Log: a.accessLog,
		Metrics: api.NewMetrics(in.Metrics), Traces: a.traces,
	})
	a.health = &api.Health{Missing: a.missingFiles, Database: in.Pool.Ping, Loading: a.describeLoading,
		Details: func(c *fiber.Ctx) fiber.Map { return a.describeUpkeep(server.ClientAddress(c)) }}
	a.registerGauges()
	a.registerUpkeep()
	a.registerSources()
	if a.accounts, err = a.newAccounts(ctx, server); err != nil {
		a.reports.Close()
		return nil, err
	}
	registerQueues(in.Metrics, in.Pool)
	traffic := api.NewTraffic(in.Metrics, a.accessLog, a.traces, server.ClientAddress)
	panics := prometheus.NewCounter(prometheus.CounterOpts{Name: "arpent_http_panics_total",
		Help: "Requests whose handler panicked."})
	in.Metrics.MustRegister(panics)
	a.fiber = newFiber(a.answerError(server), panics, traffic, strings.HasPrefix(in.Config.BaseURL,
		"https://"))
	a.connections = newConnections(proxies, in.Config.BaseURL)
	server.Register(a.fiber)
	a.fiber.Use(traffic.Observe) // of all that follows; the API has counted and logged its own
	a.fiber.Use(web.Compress)    // the API has compressed its own
	server.RegisterDocument(a.fiber)
	a.health.Register(a.fiber)
	a.accounts.registerPages(a.fiber, traffic)
	return a, nil
}

func parsePrefixes(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, s := range list {
		if p, err := netip.ParsePrefix(s); err == nil {
			out = append(out, p)
			continue
		}
		a, err := netip.ParseAddr(s)
		if err != nil {
			return nil, fmt.Errorf("read trusted proxy %q: %w", s, err)
		}
		out = append(out, netip.PrefixFrom(a, a.BitLen()))
	}
	return out, nil
}

// Fiber is the server, for callers in this process: its routes, and its handler without a network.
func (a *App) Fiber() *fiber.App { return a.fiber }

// Run serves until ctx ends, then stops in order: not ready, no new connection, requests under way, counters,
// log. ready is called once the port is open.
func (a *App) Run(ctx context.Context, ready func(address string)) error {
	open, err := net.Listen("tcp", net.JoinHostPort(a.in.Config.Host, strconv.Itoa(int(a.in.Config.Port))))
	if err != nil {
		return fmt.Errorf("listen on port %d: %w", a.in.Config.Port, err)
	}
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	g, gctx := errgroup.WithContext(work)
	a.startBackground(gctx, g)
	a.checkReady(ctx)
	a.accounts.mailing.logState(ctx)
	if err := a.accounts.jobs.start(work); err != nil {
		stopWork()
		return errors.Join(err, open.Close(), g.Wait())
	}
	g.Go(func() error { a.connections.keepTime(gctx); return nil })
	g.Go(func() error { return a.fiber.Listener(listener{open, a.connections}) })
	if ready != nil {
		ready(open.Addr().String())
	}
	probing, stopProbing := context.WithCancel(ctx) // a call that the end of the service cuts off is no failure
	host := loopbackAddr(a.in.Config.Host)
	g.Go(func() error {
		a.prober.Run(probing, "http://"+netip.AddrPortFrom(host, uint16(open.Addr().(*net.TCPAddr).Port)).String())
		return nil
	})
	select {
	case <-ctx.Done():
	case <-gctx.Done():
	}
	stopProbing()
	a.health.Drain()
	a.awaitDrainDelay(gctx)
	worked := make(chan error, 1)
	go func() { worked <- a.accounts.jobs.stop(context.WithoutCancel(ctx)) }()
	stopped := a.shutdownServer()
	_ = open.Close() // closed already, unless the end came before the server had begun to accept
	flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	flushed := a.meter.Close(flush)
	stopWork()
	a.reports.Close()
	return errors.Join(stopped, <-worked, flushed, g.Wait())
}

// awaitDrainDelay waits until no new request should come any more. It
// ends with ctx, too: something has failed then.
func (a *App) awaitDrainDelay(ctx context.Context) {
	if a.in.DrainDelay == 0 {
		return
	}
	slog.Info("not ready any more; serving on for a while", "delay", a.in.DrainDelay.String())
	select {
	case <-time.After(a.in.DrainDelay):
	case <-a.in.Hurry:
	case <-ctx.Done():
	}
}

// shutdownServer lets requests under way finish, for a while.
func (a *App) shutdownServer() error {
	limited, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-a.in.Hurry:
			cancel()
		case <-ended:
		}
	}()
	err := a.fiber.ShutdownWithContext(limited)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		slog.Warn("requests were still under way when time ran out")
		return nil
	}
	return err
}

// startBackground starts the tasks that run next to the requests: the meter's flush, the access log, the
// listener to the database that keeps up to date what is in memory, the metrics listener.
func (a *App) startBackground(ctx context.Context, g *errgroup.Group) {
	g.Go(func() error { a.keys.Run(ctx, a.listener); return nil })
	for _, j := range a.snapshots {
		g.Go(func() error { a.keepCurrent(ctx, j); return nil })
	}
	for _, run := range []func(context.Context){a.meter.Run, a.accessLog.Run, a.traces.Run, a.replicas.Run,
		a.followLoads, a.coverage.Run, a.watchDisks,
		a.finder.Run, a.listener.Run} {
		g.Go(func() error { run(ctx); return nil })
	}
	if a.in.Config.MetricsAddr != "" {
		g.Go(func() error { return serveMetrics(ctx, a.in.Config.MetricsAddr, a.in.Metrics) })
	}
}

// DevMail is the address, with its token, at which mails are shown instead of
// sent; empty: they are sent, or kept waiting.
func (a *App) DevMail() string {
	if a.accounts.mailing.dev == nil {
		return ""
	}
	return a.accounts.mailing.dev.tokenURL()
}

// MemoryTarget is what the collector works harder for rather than let the process grow beyond it.
const MemoryTarget = 230 << 20

// LimitMemory sets the target for this process, unless it was started with GOMEMLIMIT, which the runtime has
// read. A process that runs one instance calls it; tests run several.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(MemoryTarget)
	}
}
