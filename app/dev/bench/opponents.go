package bench

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// opponent is another server that is asked for the same.
type opponent struct {
	name string
	base string
	load load
	bar  float64
	cpu  func() (time.Duration, error) // nil: unknown
}

// measure gives the answers a second, and adds the microseconds of processor time that each took to spent.
func (a opponent) measure(ctx context.Context, spent *[]float64) (float64, error) {
	if a.cpu == nil {
		return a.load.run(ctx, a.base)
	}
	before, err := a.cpu()
	if err != nil {
		return 0, err
	}
	rate, err := a.load.run(ctx, a.base)
	if err != nil {
		return 0, err
	}
	after, err := a.cpu()
	*spent = append(*spent, float64((after-before).Microseconds())/(rate*float64(a.load.seconds)))
	return rate, err
}

// opponents are the servers given by --peer that answer what a row asks for: whose address has the same parts to fill in. An
// address that nothing fills in is an error.
func (o options) opponents(r comparison) (found []opponent, err error) {
	for _, text := range o.peers {
		name, rest, _ := strings.Cut(text, " ")
		bar, address, _ := strings.Cut(rest, " ")
		least, err := strconv.ParseFloat(bar, 64)
		at, parseErr := url.Parse(address)
		if err != nil || parseErr != nil || at.Host == "" || len(parts.FindAllString(address, -1)) == 0 {
			return nil, fmt.Errorf(`--peer %q: it is "NAME BAR ADDRESS" with {code}, {idu} or {lat} and {lon} in the address`, text)
		}
		if !slices.Equal(partsOf(address), partsOf(r.template)) {
			continue
		}
		base := at.Scheme + "://" + at.Host
		l, err := newLoad(o.state, "peer-"+strconv.Itoa(len(found)), r.paths(strings.TrimPrefix(address, base)), "", o.seconds)
		if err != nil {
			return nil, err
		}
		found = append(found, opponent{name: name, base: base, load: l, bar: least})
	}
	return found, nil
}

var parts = regexp.MustCompile(`\{(code|idu|lat|lon)\}`)

func partsOf(template string) []string {
	return slices.Sorted(slices.Values(parts.FindAllString(template, -1)))
}

// printRatio writes one line of the result: NAME ratio R bar B, and "below" or "above" where the bar is missed.
func printRatio(name string, ratios []float64, bar float64, upper bool) {
	r, missed := median(ratios), ""
	if !upper && r < bar {
		missed = " below"
	} else if upper && r > bar {
		missed = " above"
	}
	fmt.Printf("%s ratio %.3f bar %.2f%s (%.3f to %.3f)\n", name, r, bar, missed, slices.Min(ratios), slices.Max(ratios))
}

// alternate runs several measurements in turns, from another one on every round, and gives all their rates and the first one's
// ratios to each.
func (o options) alternate(runs []func() (float64, error)) (rates, ratios [][]float64, err error) {
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
		ratios[i] = shares(rates[0], rates[i])
	}
	return rates, ratios, nil
}

// shares are those of two measurements in each round.
func shares(of, to []float64) (all []float64) {
	for i := range of {
		all = append(all, of[i]/to[i])
	}
	return all
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
