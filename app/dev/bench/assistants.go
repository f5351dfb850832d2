package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"arpent/api"
	"arpent/app/dev/harness"
)

// assistantsTarget is how much longer a call of a tool may take than the REST request that answers the same, at p50.
const assistantsTarget = time.Millisecond

// toolCall is a tool with arguments, and the REST request that it stands for.
type toolCall struct{ tool, arguments, path string }

// toolCalls are the examples of all tools.
func toolCalls() (calls []toolCall) {
	for _, t := range api.Tools() {
		arguments := t.Read(json.RawMessage(t.Example))
		calls = append(calls, toolCall{t.Name, t.Example, arguments.Address(t.Operation)})
	}
	return calls
}

// pairOf is how long a REST request and its tool took, at one quantile.
type pairOf struct{ rest, tool time.Duration }

func (p pairOf) more() time.Duration { return p.tool - p.rest }

func (p pairOf) String() string {
	return fmt.Sprintf("REST %7.1f, tool %7.1f, %+7.1f", micros(p.rest), micros(p.tool), micros(p.more()))
}

// assistants measures each tool against its REST request, in turns, by one client that waits for each answer: an ordinary
// one, and one that does next to nothing beside the server.
func assistants(ctx context.Context, o options) error {
	p, server, stop, err := o.serveReal(ctx)
	if err != nil {
		return err
	}
	defer stop()
	key, err := newKey(ctx, p)
	if err != nil {
		return err
	}
	if _, err := sizesOf(server.Base, key, nil); err != nil { // waits until statistics are served
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}} // neither is to be packed
	defer client.CloseIdleConnections()
	fmt.Printf("Microseconds of one client that waits for each answer, on one connection. Go: net/http, REST and tool after each other for %d s. "+
		"wrk: -t1 -c1, REST and tool for 1 s each in %d rounds, of which the median.\n", o.seconds, o.seconds)
	var most, mostWrk time.Duration
	for _, call := range toolCalls() {
		p50, p99, size, err := call.measure(ctx, client, server.Base, key, time.Duration(o.seconds)*time.Second)
		if err != nil {
			return err
		}
		light, err := call.measureLight(ctx, o, server.Base, key)
		if err != nil {
			return err
		}
		most, mostWrk = max(most, p50.more()), max(mostWrk, light.more())
		fmt.Printf("%-23s body %6d bytes | Go p50: %v | p99: %v | wrk p50: %v\n", call.tool, size, p50, p99, light)
	}
	fmt.Printf("a tool takes at most so much more at p50: Go %v (under %v), wrk %v\n", most, assistantsTarget, mostWrk)
	return nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func (t toolCall) measure(ctx context.Context, client *http.Client, base, key string, lasting time.Duration) (p50, p99 pairOf, size int, err error) {
	get := func() (*http.Request, error) { return t.rest(ctx, base, key) }
	post := func() (*http.Request, error) { return t.post(ctx, base, key) }
	body, _, err := askFor(client, get)
	if err != nil {
		return p50, p99, 0, err
	}
	answer, _, err := askFor(client, post)
	if err != nil {
		return p50, p99, 0, err
	}
	if err := sameContent(body, answer); err != nil && t.tool != "get_parcel_enrichments" { // whose order may differ
		return p50, p99, 0, fmt.Errorf("%s: %w", t.tool, err)
	}
	var restTook, toolTook []time.Duration
	for end := time.Now().Add(lasting); time.Now().Before(end) && ctx.Err() == nil; {
		_, took, err := askFor(client, get)
		if err != nil {
			return p50, p99, 0, err
		}
		restTook = append(restTook, took)
		if _, took, err = askFor(client, post); err != nil {
			return p50, p99, 0, err
		}
		toolTook = append(toolTook, took)
	}
	slices.Sort(restTook)
	slices.Sort(toolTook)
	at := func(q float64) pairOf { return pairOf{harness.Quantile(restTook, q), harness.Quantile(toolTook, q)} }
	return at(0.5), at(0.99), len(body), ctx.Err()
}

// measureLight measures with wrk, whose own work is small, in rounds that alternate.
func (t toolCall) measureLight(ctx context.Context, o options, base, key string) (p50 pairOf, err error) {
	var restTook, toolTook []time.Duration
	for range o.seconds {
		for line, into := range map[string]*[]time.Duration{t.path: &restTook, "/mcp\t" + t.message(): &toolTook} {
			l, err := newLoad(o.state, "paths", []string{line}, key, 1)
			if err != nil {
				return p50, err
			}
			took, err := l.median(ctx, base)
			if err != nil {
				return p50, err
			}
			*into = append(*into, took)
		}
	}
	slices.Sort(restTook)
	slices.Sort(toolTook)
	return pairOf{harness.Quantile(restTook, 0.5), harness.Quantile(toolTook, 0.5)}, nil
}

func (t toolCall) message() string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + t.tool + `","arguments":` + t.arguments + `}}`
}

func (t toolCall) rest(ctx context.Context, base, key string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+t.path, nil)
	if err == nil {
		req.Header.Set("X-API-Key", key)
	}
	return req, err
}

func (t toolCall) post(ctx context.Context, base, key string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/mcp", strings.NewReader(t.message()))
	if err == nil {
		req.Header.Set("X-API-Key", key)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	return req, err
}

// sameContent checks that a tool gave what REST gives.
func sameContent(body, answer []byte) error {
	var a struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	if len(a.Result.Content) == 0 || a.Result.Content[0].Text != string(body) || len(a.Result.StructuredContent) == 0 {
		return fmt.Errorf("the tool answers %.300s, REST %.300s", answer, body)
	}
	return nil
}

// askFor sends a request over a connection that is kept, as an ordinary client does, and gives the body of a 200 and how
// long it took to its last byte.
func askFor(client *http.Client, make func() (*http.Request, error)) (body []byte, took time.Duration, err error) {
	req, err := make()
	if err != nil {
		return nil, 0, err
	}
	from := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	took = time.Since(from)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", res.StatusCode, body)
	}
	return body, took, err
}
