package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"arpent/api/geocode"
)

// geocodeBuild is the command that geocodes starts itself with.
const geocodeBuild = "geocode-build"

const (
	geocodeClients = 4
	geocodeQueries = 40_000
)

// way is one way of asking for an address.
type way struct {
	name string
	make func(dice *rand.Rand, a geocode.Address, commune string) string
}

var ways = []way{
	{"number, street, postcode, commune", func(_ *rand.Rand, a geocode.Address, c string) string {
		return fmt.Sprintf("%d %s %s %s", a.Number, a.Name, a.Postcode, c)
	}},
	{"street, commune", func(_ *rand.Rand, a geocode.Address, c string) string { return a.Name + " " + c }},
	{"a typing error in every word", func(dice *rand.Rand, a geocode.Address, c string) string {
		return fmt.Sprintf("%d %s %s", a.Number, slip(dice, a.Name), slip(dice, c))
	}},
	{"commune first, no kind of street", func(_ *rand.Rand, a geocode.Address, c string) string {
		_, rest, _ := strings.Cut(a.Name, " ")
		return fmt.Sprintf("%s %s %d", c, rest, a.Number)
	}},
	{"street alone", func(_ *rand.Rand, a geocode.Address, _ string) string { return a.Name }},
	{"street alone, with typing errors", func(dice *rand.Rand, a geocode.Address, _ string) string { return slip(dice, a.Name) }},
	{"commune alone, with a typing error", func(dice *rand.Rand, _ geocode.Address, c string) string { return slip(dice, c) }},
	{"made to be slow", func(dice *rand.Rand, _ geocode.Address, _ string) string { return worst(dice) }},
}

// slip makes a typing error in every word of four letters or more.
func slip(dice *rand.Rand, text string) string {
	ws := strings.Fields(text)
	for i, w := range ws {
		if r := []rune(w); len(r) >= 4 {
			at := 1 + dice.IntN(len(r)-2)
			r[at], r[at+1] = r[at+1], r[at]
			ws[i] = string(r)
		}
	}
	return strings.Join(ws, " ")
}

// worst strings together, to the length that is allowed, words that very many names have.
func worst(dice *rand.Rand) string {
	list := strings.Fields("saint jean pierre marie rue de la mairie eglise general paul louis chemin moulin 75001 13 saint-denis sainte ville bois " +
		"chateau fontaine republique notre dame mont villeneuve 2a paris a b c d e 1 2 3 zzzzzzzz aaaaaaaaaaaa rueeee saintt eglisee")
	var b strings.Builder
	for {
		w := list[dice.IntN(len(list))]
		if b.Len()+len(w)+1 > geocode.QueryMost {
			return b.String()
		}
		b.WriteString(w + " ")
	}
}

// geocodes measures the search in process, four at a time, on made-up streets in the real communes.
func geocodes(ctx context.Context, o options) error {
	path := filepath.Join(o.state, fmt.Sprintf("made-%d.index", o.streets))
	if _, err := os.Stat(path); err != nil {
		if err := buildApart(ctx, path, o.streets); err != nil {
			return err
		}
	}
	before := time.Now()
	x, err := geocode.Open(path)
	if err != nil {
		return err
	}
	n := x.Counts()
	fmt.Printf("%d streets, %d different names, %d words, %d places; file %d MiB, of that numbers %d MiB; opened in %s\n",
		n.Streets, n.Names, n.Terms, n.Places, x.Bytes>>20, n.NumberBytes>>20, time.Since(before).Round(time.Millisecond))
	asked, err := sample(ctx, o.streets)
	if err != nil {
		return err
	}
	fmt.Printf("%d clients, %d queries each way, in process\n%-36s %8s %8s %8s %8s %9s\n", geocodeClients, geocodeQueries/len(ways),
		"", "p50 ms", "p99 ms", "max ms", "first", "memory")
	var all []time.Duration
	for _, w := range ways {
		took, first := measureWay(x, w, asked)
		report := func(name string, took []time.Duration, first float64) {
			slices.Sort(took)
			at := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000 }
			fmt.Printf("%-36s %8.2f %8.2f %8.2f %7.1f%% %9s\n", name, at(.5), at(.99), at(1), 100*first, memory())
		}
		report(w.name, took, first)
		all = append(all, took...)
		if w.name == ways[len(ways)-1].name {
			report("all", all, 1)
		}
	}
	return nil
}

// measureWay asks from several goroutines; first is the share of answers whose first is the street that was meant.
func measureWay(x *geocode.Index, w way, asked []address) (took []time.Duration, first float64) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	right, total := 0, 0
	for client := range geocodeClients {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(3, uint64(client)))
			var mine []time.Duration
			hits := 0
			for range geocodeQueries / len(ways) / geocodeClients {
				a := asked[dice.IntN(len(asked))]
				q := w.make(dice, a.Address, a.commune)
				begun := time.Now()
				r := x.Search(geocode.Ask{Query: q, Limit: 5})
				mine = append(mine, time.Since(begun))
				if len(r.Data) > 0 && r.Data[0].Commune == a.commune && (r.Data[0].Street == nil || *r.Data[0].Street == a.Name) {
					hits++
				}
			}
			mu.Lock()
			defer mu.Unlock()
			took, right, total = append(took, mine...), right+hits, total+len(mine)
		})
	}
	wg.Wait()
	return took, float64(right) / float64(total)
}

type address struct {
	geocode.Address
	commune string
}

// sample takes some of the made-up addresses.
func sample(ctx context.Context, streets int) ([]address, error) {
	c, err := newCountry(streets)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, k := range c.in.Communes {
		names[k.Code] = k.Name
	}
	dice := rand.New(rand.NewPCG(11, 11))
	var out []address
	err = c.addresses(ctx, func(a geocode.Address) error {
		if dice.IntN(max(1, streets*8/20_000)) == 0 {
			out = append(out, address{a, names[a.Code]})
		}
		return nil
	})
	return out, err
}

// memory is what the process holds itself; pages of the index are the system's and not counted.
func memory() string {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return "?"
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if rest, ok := strings.CutPrefix(in.Text(), "RssAnon:"); ok {
			var kib int
			fmt.Sscan(rest, &kib)
			return fmt.Sprintf("%d MiB", kib>>10)
		}
	}
	return "?"
}

// geocodeBuilder builds the index of made-up streets.
func geocodeBuilder(ctx context.Context, o options) error {
	c, err := newCountry(o.streets)
	if err != nil {
		return err
	}
	f, err := os.Create(o.state)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := geocode.Build(ctx, f, c.in); err != nil {
		return err
	}
	fmt.Printf("built in %s; memory %s\n", time.Since(begun).Round(time.Second), memory())
	return f.Close()
}
