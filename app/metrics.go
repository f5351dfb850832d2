package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"arpent/web"
)

// registerGauges adds what an operator wants to be woken up for: counts that are not written, a shared store
// that is lost, a pool that is exhausted, a territory that is empty.
func (a *App) registerGauges() {
	a.in.Metrics.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.in.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "arpent_build_info",
		Help:        "1, with the version of the program.",
		ConstLabels: prometheus.Labels{"version": a.in.Version, "goversion": runtime.Version()}},
		func() float64 { return 1 }))
	gauge := func(name, help string, read func() float64) { addGauge(a.in.Metrics, name, help, read) }
	gauge("arpent_meter_accounts", "Accounts whose counts are in memory.",
		func() float64 { return float64(a.meter.State().Accounts) })
	gauge("arpent_meter_unwritten", "Counts that wait to be written.",
		func() float64 { return float64(a.meter.State().Unwritten) })
	gauge("arpent_meter_last_flush_timestamp_seconds", "When counts were last written, in Unix seconds.",
		func() float64 { return float64(a.meter.State().LastFlush.Unix()) })
	gauge("arpent_meter_flush_failing", "1 while counts cannot be written.",
		func() float64 { return boolGauge(a.meter.State().FlushFailing) })
	if a.in.Config.RedisURL != "" {
		gauge("arpent_redis_up", "1 while the shared store answers.",
			func() float64 { return boolGauge(a.meter.State().SharedUp) })
	}
	gauge("arpent_database_connections_in_use", "Connections of the pool in use.",
		func() float64 { return float64(a.in.Pool.Stat().AcquiredConns()) })
	gauge("arpent_database_connections_max", "Connections the pool may have.",
		func() float64 { return float64(a.in.Pool.Stat().MaxConns()) })
	if a.in.Config.DatabaseReadURLs != "" {
		gauge("arpent_database_replicas_in_use", "Replicas that are read from.",
			func() float64 { return float64(a.replicas.InUse()) })
	}
	if a.traces != nil {
		a.in.Metrics.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: "arpent_traces_dropped_total",
				Help: "Traces of slow requests that the collector did not get."},
			func() float64 { return float64(a.traces.Dropped()) }))
	}
	gauge("arpent_communes", "Communes that are served.", func() float64 {
		if snap := a.territory.Snapshot(); snap != nil {
			return float64(snap.Counts().Communes)
		}
		return 0
	})
}

// registerSources adds how fresh the data is.
func (a *App) registerSources() {
	count := func(name, help string, is func(web.Source) bool) {
		addGauge(a.in.Metrics, name, help, func() (n float64) {
			for _, s := range a.status.currentStatus().Sources {
				n += boolGauge(is(s))
			}
			return n
		})
	}
	count("arpent_sources_kept", "Sources whose newer edition could not be loaded.",
		func(s web.Source) bool { return s.Problem })
	count("arpent_sources_late", "Sources that may not be served in their newest edition.",
		func(s web.Source) bool { return s.Late(time.Now()) })
	addGauge(a.in.Metrics, "arpent_sources_checked_timestamp_seconds",
		"When an update last ended, in Unix seconds.", func() float64 {
			var last time.Time
			for _, s := range a.status.currentStatus().Sources {
				if s.CheckedAt.After(last) {
					last = s.CheckedAt
				}
			}
			return unixSeconds(last)
		})
}

// addGauge adds a figure that is read whenever the metrics are. label is a name and a value; none: it has no
// label.
func addGauge(r *prometheus.Registry, name, help string, read func() float64, label ...string) {
	o := prometheus.GaugeOpts{Name: name, Help: help}
	if len(label) > 0 {
		o.ConstLabels = prometheus.Labels{label[0]: label[1]}
	}
	r.MustRegister(prometheus.NewGaugeFunc(o, read))
}

func boolGauge(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// serveMetrics serves what is for operators alone, on an address that no visitor
// reaches: the metrics, and what pprof reads.
func serveMetrics(ctx context.Context, addr string, reg *prometheus.Registry) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	srv := &http.Server{Addr: addr, Handler: mux, ReadHeaderTimeout: quietTimeout, WriteTimeout: quietTimeout}
	go func() {
		<-ctx.Done()
		srv.Close()
	}()
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics on %s: %w", addr, err)
	}
	return nil
}
