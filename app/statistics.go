package app

import (
	"arpent/api/stats"
	"arpent/api/topic"
)

// statisticsSnapshot is what statistics are served from.
func (a *App) statisticsSnapshot() derived {
	return derived{
		name: "statistics", readsFrom: func(name string) bool { return mayChange(name, topic.Statistics().Tables()) },
		current: a.statistics.Current, refresh: a.statistics.Refresh, open: a.statistics.Open,
		changed: a.status.refresh,
		describe: func() []any {
			b := a.statistics.Snapshot()
			if b == nil {
				return nil
			}
			return []any{"communes", b.Count(stats.Commune), "bytes", b.Size()}
		},
	}
}
