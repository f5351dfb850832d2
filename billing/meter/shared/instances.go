package shared

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/redis/go-redis/v9"
)

// Instances is how many instances share a limit, as far as is known.
func (s *Store) Instances() int { return max(1, int(s.instances.Load())) }

// addRegistration adds this instance's registration to what is sent anyway, when it is due.
func (s *Store) addRegistration(ctx context.Context, pipe redis.Pipeliner) *redis.Cmd {
	if time.Since(s.registered) < registerEvery {
		return nil
	}
	return instancesScript.EvalSha(ctx, pipe, []string{instancesKey}, s.name)
}

// countInstances takes the answer to a registration. Fewer instances than before are believed after a minute:
// a store that was emptied has not seen all of them yet.
func (s *Store) countInstances(cmd *redis.Cmd) {
	if cmd == nil {
		return
	}
	n, err := cmd.Int()
	if err != nil {
		return // asked again soon; the former count stands
	}
	now := time.Now()
	s.registered = now
	if n >= int(s.instances.Load()) || now.After(s.fewerFrom) {
		s.instances.Store(int64(n))
		s.fewerFrom = now.Add(time.Minute)
	}
}

// Stalled reports whether the store is slow to answer, or was a moment ago: instances first bring it what
// they admitted alone, before they rely on its counts of what is left.
func (s *Store) Stalled() bool {
	until := s.stalledUntil.Load()
	return until != 0 && time.Now().UnixNano() < until && s.up.Load()
}

// Changed is when a stall or a loss of the store last began or ended.
func (s *Store) Changed() time.Time { return *s.changed.Load() }

func (s *Store) markChanged() {
	now := time.Now()
	s.changed.Store(&now)
}

// watchStall finds out whether an exchange stalls. The function that it gives ends it.
func (s *Store) watchStall() (end func(answered bool)) {
	stalled := make(chan struct{})
	timer := time.AfterFunc(s.Timing.Slow, func() {
		s.markChanged()
		s.stalledUntil.Store(math.MaxInt64)
		slog.Warn("redis stalled, limiting to this instance's share", "instances", s.instances.Load())
		close(stalled)
	})
	return func(answered bool) {
		if timer.Stop() {
			return
		}
		<-stalled
		s.stalledUntil.Store(time.Now().Add(s.Timing.Slow).UnixNano())
		s.markChanged()
		if answered { // else it is lost, which is logged
			slog.Info("redis stall ended")
		}
	}
}
