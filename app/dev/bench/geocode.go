package bench

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"arpent/api/geocode"
	"arpent/api/geocode/build"
	"arpent/api/geocode/layout"
	"arpent/internal/snapshot"
)

// geocodeBuild is the command that geocodes starts itself with.
const geocodeBuild = "geocode-build"

const (
	geocodeClients = 4
	geocodeQueries = 24_000
)

// queryForm is one way of asking for an address.
type queryForm struct {
	name string
	make func(dice *rand.Rand, a build.Address, commune string) string
}

var queryForms = []queryForm{
	{"number, street, postcode, commune", func(_ *rand.Rand, a build.Address, c string) string {
		return fmt.Sprintf("%d %s %s %s", a.Number, a.Name, a.Postcode, c)
	}},
	{"street, commune", func(_ *rand.Rand, a build.Address, c string) string { return a.Name + " " + c }},
	{"a typing error in every word", func(dice *rand.Rand, a build.Address, c string) string {
		return fmt.Sprintf("%d %s %s", a.Number, addTypos(dice, a.Name), addTypos(dice, c))
	}},
	{"commune first, no kind of street", func(_ *rand.Rand, a build.Address, c string) string {
		_, rest, _ := strings.Cut(a.Name, " ")
		return fmt.Sprintf("%s %s %d", c, rest, a.Number)
	}},
	{"street alone", func(_ *rand.Rand, a build.Address, _ string) string { return a.Name }},
	{"street alone, with typing errors", func(dice *rand.Rand, a build.Address, _ string) string { return addTypos(dice, a.Name) }},
	{"commune alone, with a typing error", func(dice *rand.Rand, _ build.Address, c string) string { return addTypos(dice, c) }},
	{"made to be slow", func(dice *rand.Rand, _ build.Address, _ string) string { return slowQuery(dice) }},
}

// addTypos makes a typing error in every word of four letters or more.
func addTypos(dice *rand.Rand, text string) string {
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

// slowWords are what queries made to be slow consist of, up to the length that is allowed:
// words that very many names have, words misspelt that are near to many, postcodes of many
// communes, single letters, numbers, beginnings.
var slowWords = [][]string{
	strings.Fields("saint jean pierre marie rue de la mairie eglise general paul louis chemin moulin 75001 13 saint-denis sainte ville bois chateau fontaine " +
		"republique notre dame mont villeneuve 2a paris a b c d e 1 2 3 zzzzzzzz aaaaaaaaaaaa rueeee saintt eglisee"),
	strings.Fields("maraine lorette rotonde sotalle banville cordoule tavinede morivange savanole ropenale merivone sarotine balivone tonalire pirangole"),
	strings.Fields("51300 02000 70000 08300 21000 80000 51000 60000 76000 25000 57000 62000 54000 88000 52000"),
	strings.Fields("a b c d e f g h j l m n p r s t v 1 2 3 4 5 6 7 8 9 10 11 12 2a 2b"),
	strings.Fields("saint st ste sainte saint-jean saint-martin saint-pierre saint-germain mar ber mon bel cha fon val les villers"),
	strings.Fields("rue chemin impasse avenue allee place route general docteur marechal de la du des"),
}

func slowQuery(dice *rand.Rand) string {
	list := slowWords[dice.IntN(len(slowWords))]
	var b strings.Builder
	for {
		w := list[dice.IntN(len(list))]
		if b.Len()+len(w)+1 > geocode.MaxQuery {
			return b.String()
		}
		b.WriteString(w + " ")
	}
}

// measureGeocoding measures the search in process, four at a time, on synthetic streets in the real communes.
func measureGeocoding(ctx context.Context, o options) error {
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
		n.Streets, n.Names, n.Terms, n.Places, x.Size()>>20, n.NumberBytes>>20, time.Since(before).Round(time.Millisecond))
	asked, err := sampleAddresses(ctx, o.streets)
	if err != nil {
		return err
	}
	fmt.Printf("%d queries each way, in process\n%-36s %26s %35s\n%-36s %8s %8s %8s %8s %8s %8s %8s %8s %9s\n", geocodeQueries/len(queryForms),
		"", fmt.Sprintf("%d clients, ms", geocodeClients), "one client, ms", "", "p50", "p99", "max", "cpu", "cpu p99", "p99", "max", "first", "memory")
	var many, one measured
	for _, w := range queryForms {
		m, o := measureForm(x, w, asked, geocodeClients), measureForm(x, w, asked, 1)
		many.add(m)
		one.add(o)
		printRow(w.name, m, o)
	}
	printRow("all", many, one)
	return nil
}

// measured is what searches took.
type measured struct {
	took, cpu []time.Duration // cpu is the time of the processor, which others who use the machine hardly change
	right     int             // answers whose first is the street that was meant
}

func (m *measured) add(o measured) {
	m.took, m.cpu, m.right = append(m.took, o.took...), append(m.cpu, o.cpu...), m.right+o.right
}

func printRow(name string, many, one measured) {
	at := func(took []time.Duration, q float64) float64 {
		slices.Sort(took)
		return float64(took[int(q*float64(len(took)-1))].Microseconds()) / 1000
	}
	var sum time.Duration
	for _, d := range one.cpu {
		sum += d
	}
	fmt.Printf("%-36s %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %7.1f%% %9s\n", name, at(many.took, .5), at(many.took, .99), at(many.took, 1),
		float64(sum.Microseconds())/1000/float64(len(one.cpu)), at(one.cpu, .99), at(one.took, .99), at(one.took, 1),
		100*float64(many.right)/float64(len(many.took)), privateMemory())
}

// measureForm asks from so many goroutines at once.
func measureForm(x *geocode.Index, w queryForm, asked []address, clients int) (all measured) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			if clients == 1 { // else threads would wait for each other
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			dice := rand.New(rand.NewPCG(3, uint64(client)))
			var mine measured
			for range geocodeQueries / len(queryForms) / clients {
				a := asked[dice.IntN(len(asked))]
				q := w.make(dice, a.Address, a.commune)
				begun, cpu := time.Now(), threadTime()
				r := x.Search(geocode.Request{Query: q, Limit: 5})
				mine.took, mine.cpu = append(mine.took, time.Since(begun)), append(mine.cpu, threadTime()-cpu)
				if len(r.Data) > 0 && r.Data[0].Commune == a.commune && (r.Data[0].Street == nil || *r.Data[0].Street == a.Name) {
					mine.right++
				}
				runtime.Gosched() // a client that is answered over the network lets others on, too
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(mine)
		})
	}
	wg.Wait()
	return all
}

// threadTime is the time of the processor that the thread has used.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

type address struct {
	build.Address
	commune string
}

// sampleAddresses takes some of the synthetic addresses.
func sampleAddresses(ctx context.Context, streets int) ([]address, error) {
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
	err = c.makeAddresses(ctx, func(a build.Address) error {
		if dice.IntN(max(1, streets*8/20_000)) == 0 {
			out = append(out, address{a, names[a.Code]})
		}
		return nil
	})
	return out, err
}

// privateMemory is what the process holds itself; pages of the index are the system's and not counted.
func privateMemory() string {
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

// geocodeBuilder builds the index of synthetic streets.
func geocodeBuilder(ctx context.Context, o options) error {
	c, err := newCountry(o.streets)
	if err != nil {
		return err
	}
	begun := time.Now()
	err = snapshot.Write(o.state, layout.Format, "synthetic streets", func(w *snapshot.Writer) error { return build.Build(ctx, w, c.in) })
	if err != nil {
		return err
	}
	fmt.Printf("built in %s; memory %s\n", time.Since(begun).Round(time.Second), privateMemory())
	return nil
}
