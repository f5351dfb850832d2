package meter

import (
	"context"
	_ "embed"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	registerEvery = time.Second
	instancesKey  = "arpent:instances"
)

//go:embed instances.lua
var instancesSource string

var instancesScript = redis.NewScript(instancesSource)

// register adds this instance's registration to what is sent anyway, when it is due.
func (s *shared) register(ctx context.Context, pipe redis.Pipeliner) *redis.Cmd {
	if time.Since(s.registered) < registerEvery {
		return nil
	}
	return instancesScript.EvalSha(ctx, pipe, []string{instancesKey}, s.name)
}

// countInstances takes the answer to a registration. Fewer instances than before are believed after a minute: a store
// that was emptied has not seen all of them yet.
func (s *shared) countInstances(cmd *redis.Cmd) {
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
