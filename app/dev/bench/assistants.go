package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"arpent/api"
)

// assistantsTarget is how much longer a call of a tool may take than the
// REST request that answers the same, at p50.
const assistantsTarget = time.Millisecond

// measureAssistants measures each tool against its REST request: one client that waits for each
// answer, in rounds of a second that alternate.
func measureAssistants(ctx context.Context, o options) error {
	_, server, key, err := o.serveReal(ctx)
	if err != nil {
		return err
	}
	defer server.Stop()
	if err := waitForStatistics(ctx, server.Base, key); err != nil {
		return err
	}
	fmt.Printf("wrk -t1 -c1, REST and tool for 1 s each in %d rounds; medians of the rounds, in microseconds\n", o.seconds)
	fmt.Printf("%-23s %8s %8s %8s %8s %8s %8s\n", "", "REST p50", "tool", "more", "REST p99", "tool", "more")
	var largest time.Duration
	for _, t := range api.Tools() {
		arguments := t.Read(json.RawMessage(t.Example))
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + t.Name + `","arguments":` + t.Example + `}}`
		took, err := o.measureRounds(ctx, server.Base, key, arguments.Address(t.Operation), "/mcp\t"+message)
		if err != nil {
			return err
		}
		rest, tool := took[0], took[1]
		largest = max(largest, tool.p50-rest.p50)
		fmt.Printf("%-23s %8.1f %8.1f %+8.1f %8.1f %8.1f %+8.1f\n", t.Name, inMicros(rest.p50), inMicros(tool.p50), inMicros(tool.p50-rest.p50),
			inMicros(rest.p99), inMicros(tool.p99), inMicros(tool.p99-rest.p99))
	}
	fmt.Printf("a tool takes at most %v more at p50 (under %v)\n", largest, assistantsTarget)
	return nil
}

func inMicros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// latency is how long answers take.
type latency struct{ p50, p99 time.Duration }

// measureRounds measures requests in rounds of a second each, and gives the medians of the rounds.
func (o options) measureRounds(ctx context.Context, base, key string, requests ...string) ([]latency, error) {
	p50s, p99s, out := make([][]float64, len(requests)), make([][]float64, len(requests)), make([]latency, len(requests))
	for range o.seconds {
		for i, line := range requests {
			l, err := newLoad(o.state, "paths", []string{line}, key, 1)
			if err != nil {
				return nil, err
			}
			took, err := l.measureLatency(ctx, base)
			if err != nil {
				return nil, err
			}
			p50s[i], p99s[i] = append(p50s[i], float64(took.p50)), append(p99s[i], float64(took.p99))
			out[i] = latency{time.Duration(median(p50s[i])), time.Duration(median(p99s[i]))}
		}
	}
	return out, nil
}
