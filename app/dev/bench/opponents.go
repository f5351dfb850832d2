package bench

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"arpent/app/dev/harness"
)

// opponent is another server that is asked for the same.
type opponent struct {
	name string
	base string
	load load
	bar  float64
	cpu  func() (time.Duration, error) // nil: unknown
}

// measureRate gives the answers a second, and adds the microseconds
// of processor time that each took to spent.
func (a opponent) measureRate(ctx context.Context, spent *[]float64) (float64, error) {
	if a.cpu == nil {
		return a.load.requestRate(ctx, a.base)
	}
	before, err := a.cpu()
	if err != nil {
		return 0, err
	}
	rate, err := a.load.requestRate(ctx, a.base)
	if err != nil {
		return 0, err
	}
	after, err := a.cpu()
	*spent = append(*spent, float64((after-before).Microseconds())/(rate*float64(a.load.seconds)))
	return rate, err
}

// peer is a server given by --peer, which joins one comparison.
type peer struct {
	row, name string
	bar       float64
	base      string
	template  string // of a path, with the parts of the comparison's own
}

// readPeers reads what --peer gives. What is in another form, names no comparison or asks for something else
// than that one is an error that says what is expected.
func (o options) readPeers() (peers []peer, err error) {
	for _, text := range o.peers {
		p, fault := readPeer(text)
		if fault != "" {
			return nil, fmt.Errorf("--peer %q: %s; expected %s", text, fault, peerForm())
		}
		peers = append(peers, p)
	}
	return peers, nil
}

func readPeer(text string) (p peer, fault string) {
	row, rest, named := strings.Cut(text, ": ")
	fields := strings.Fields(rest)
	if !named || len(fields) != 3 {
		return p, "it is in another form"
	}
	rows := slices.Concat(territoryRows, parcelRows)
	i := slices.IndexFunc(rows, func(r comparison) bool { return r.name == row })
	if i < 0 {
		return p, fmt.Sprintf("there is no comparison %q", row)
	}
	bar, err := strconv.ParseFloat(fields[1], 64)
	if err != nil || !(bar > 0 && bar < math.Inf(1)) {
		return p, fmt.Sprintf("the bar %q is no number above 0", fields[1])
	}
	address := fields[2]
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" {
		return p, fmt.Sprintf("%q is no address of a web server", address)
	}
	if have, want := templateParts(address), templateParts(rows[i].template); !slices.Equal(have, want) {
		return p, fmt.Sprintf("the address has %s to fill in, where %s has %s", joinOrNothing(have), row, joinOrNothing(want))
	}
	base := at.Scheme + "://" + at.Host
	return peer{row: row, name: fields[0], bar: bar, base: base, template: strings.TrimPrefix(address, base)}, ""
}

func joinOrNothing(parts []string) string {
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, " and ")
}

// peerForm is what --peer expects.
func peerForm() string {
	var rows []string
	for _, r := range slices.Concat(territoryRows, parcelRows) {
		rows = append(rows, r.name+" with "+joinOrNothing(templateParts(r.template)))
	}
	return `"COMPARISON: NAME BAR ADDRESS", such as "parcel by reference: other 6 http://127.0.0.1:9000/parcels/{idu}"; comparisons are ` + strings.Join(rows, ", ")
}

// findOpponents are the peers of a row, once they answer.
func (o options) findOpponents(ctx context.Context, r comparison) (found []opponent, err error) {
	peers, err := o.readPeers()
	if err != nil {
		return nil, err
	}
	for i, p := range peers {
		if p.row != r.name {
			continue
		}
		paths := r.requestPaths(p.template)
		if err := p.awaitAnswer(ctx, paths[0]); err != nil {
			return nil, err
		}
		l, err := newLoad(o.state, "peer-"+strconv.Itoa(i), paths, "", o.seconds)
		if err != nil {
			return nil, err
		}
		found = append(found, opponent{name: p.name, base: p.base, load: l, bar: p.bar})
	}
	return found, nil
}

// peerStart is how long a peer may take to answer: one that reads the database
// of the comparison starts after that is made.
const peerStart = time.Minute

// awaitAnswer waits until the peer answers a path, and shows what: whether it is what the
// service answers is for the reader to judge.
func (p peer) awaitAnswer(ctx context.Context, path string) error {
	c := harness.NewClient(p.base, "")
	defer c.Close()
	for begun := time.Now(); ; time.Sleep(time.Second) {
		a, err := c.Good(path, "")
		if err == nil {
			fmt.Printf("%s answers %s with %d bytes, which begin %.200q\n", p.name, path, len(a.Body), a.Body)
			return nil
		}
		if ctx.Err() != nil || time.Since(begun) > peerStart {
			return fmt.Errorf("%s has not answered for %s: %w", p.name, peerStart, err)
		}
	}
}

var parts = regexp.MustCompile(`\{(code|idu|lat|lon)\}`)

// templateParts returns the placeholders of a template, each once.
func templateParts(template string) []string {
	return slices.Compact(slices.Sorted(slices.Values(parts.FindAllString(template, -1))))
}

// printRatio writes one line of the result: NAME ratio R bar B, and
// "below" or "above" where the bar is missed.
func printRatio(name string, ratios []float64, bar float64, upper bool) {
	r, missed := median(ratios), ""
	if !upper && r < bar {
		missed = " below"
	} else if upper && r > bar {
		missed = " above"
	}
	fmt.Printf("%s ratio %.3f bar %.2f%s (%.3f to %.3f)\n", name, r, bar, missed, slices.Min(ratios), slices.Max(ratios))
}

// runAlternating runs several measurements in turns, from another one on every round, and gives all
// their rates and the first one's ratios to each.
func (o options) runAlternating(runs []func() (float64, error)) (rates, ratios [][]float64, err error) {
	rates, ratios = make([][]float64, len(runs)), make([][]float64, len(runs))
	for round := range o.rounds {
		for turn := range runs {
			i := (round + turn) % len(runs)
			rate, err := runs[i]()
			if err != nil {
				return nil, nil, err
			}
			rates[i] = append(rates[i], rate)
		}
	}
	for i := range runs {
		ratios[i] = roundRatios(rates[0], rates[i])
	}
	return rates, ratios, nil
}

// roundRatios are those of two measurements in each round.
func roundRatios(of, to []float64) (all []float64) {
	for i := range of {
		all = append(all, of[i]/to[i])
	}
	return all
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
