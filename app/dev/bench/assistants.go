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

	"arpent/app/dev/harness"
)

// assistantsTarget is how much longer a call of a tool may take than the REST request that answers the same.
const assistantsTarget = 1.5

// toolCall is a tool with arguments, and the REST request that it stands for.
type toolCall struct{ tool, arguments, path string }

var toolCalls = []toolCall{
	{"search_address", `{"q":"12 allee des Roses Bondy"}`, "/adresses?q=12+allee+des+Roses+Bondy"},
	{"get_commune", `{"code":"93010"}`, "/communes/93010?include=stats"},
	{"get_departement", `{"code":"93"}`, "/departements/93?include=stats"},
	{"get_region", `{"code":"11"}`, "/regions/11?include=stats"},
	{"find_commune", `{"lat":48.9024,"lon":2.4834}`, "/communes?lat=48.9024&lon=2.4834"},
	{"list_communes", `{"departement":"93"}`, "/communes?departement=93"},
	{"list_departements", `{}`, "/departements"},
	{"list_regions", `{}`, "/regions"},
	{"get_parcel_at_point", `{"lat":48.9024,"lon":2.4834}`, "/parcelles?lat=48.9024&lon=2.4834"},
	{"get_parcel", `{"idu":"930100000A0224"}`, "/parcelles/930100000A0224"},
	{"get_parcel_enrichments", `{"idu":"930100000A0224"}`, "/parcelles/930100000A0224/enrichments"},
}

// pairOf are the medians of a REST request and of its tool.
type pairOf struct{ rest, tool time.Duration }

func (p pairOf) ratio() float64 { return float64(p.tool) / float64(p.rest) }

func (p pairOf) String() string {
	return fmt.Sprintf("REST %7.1f, tool %7.1f, ratio %.2f", micros(p.rest), micros(p.tool), p.ratio())
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
	fmt.Printf("p50 in microseconds of one client that waits for each answer, on one connection. Go: net/http, REST and tool after each other for %d s. "+
		"wrk: -t1 -c1, REST and tool for 1 s each in %d rounds, of which the median.\n", o.seconds, o.seconds)
	var worst, worstWrk float64
	for _, call := range toolCalls {
		ordinary, size, err := call.measure(ctx, client, server.Base, key, time.Duration(o.seconds)*time.Second)
		if err != nil {
			return err
		}
		light, err := call.measureLight(ctx, o, server.Base, key)
		if err != nil {
			return err
		}
		worst, worstWrk = max(worst, ordinary.ratio()), max(worstWrk, light.ratio())
		fmt.Printf("%-23s body %6d bytes | Go: %v | wrk: %v\n", call.tool, size, ordinary, light)
	}
	fmt.Printf("highest ratio: Go %.2f (under %.1f), wrk %.2f\n", worst, assistantsTarget, worstWrk)
	return nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func (t toolCall) measure(ctx context.Context, client *http.Client, base, key string, lasting time.Duration) (p50 pairOf, size int, err error) {
	get := func() (*http.Request, error) { return t.rest(ctx, base, key) }
	post := func() (*http.Request, error) { return t.post(ctx, base, key) }
	body, _, err := askFor(client, get)
	if err != nil {
		return p50, 0, err
	}
	answer, _, err := askFor(client, post)
	if err != nil {
		return p50, 0, err
	}
	if err := sameContent(body, answer); err != nil && t.tool != "get_parcel_enrichments" { // whose order may differ
		return p50, 0, fmt.Errorf("%s: %w", t.tool, err)
	}
	var restTook, toolTook []time.Duration
	for end := time.Now().Add(lasting); time.Now().Before(end) && ctx.Err() == nil; {
		_, took, err := askFor(client, get)
		if err != nil {
			return p50, 0, err
		}
		restTook = append(restTook, took)
		if _, took, err = askFor(client, post); err != nil {
			return p50, 0, err
		}
		toolTook = append(toolTook, took)
	}
	slices.Sort(restTook)
	slices.Sort(toolTook)
	return pairOf{harness.Quantile(restTook, 0.5), harness.Quantile(toolTook, 0.5)}, len(body), ctx.Err()
}

// measureLight measures with wrk, whose own work is small, in rounds that alternate.
func (t toolCall) measureLight(ctx context.Context, o options, base, key string) (p50 pairOf, err error) {
	var restTook, toolTook []time.Duration
	for range o.seconds {
		for line, into := range map[string]*[]time.Duration{"/api/v1" + t.path: &restTook, "/mcp\t" + t.message(): &toolTook} {
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
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v1"+t.path, nil)
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
	if len(a.Result.Content) == 0 || a.Result.Content[0].Text != string(body) || string(a.Result.StructuredContent) != string(body) {
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
