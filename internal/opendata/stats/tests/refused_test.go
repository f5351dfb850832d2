package stats_test

import (
	"archive/zip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"arpent/app/dev/loadkit"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/ingest"
	"arpent/internal/opendata/source"
	"arpent/internal/opendata/topic"
)

// oneFunction are sources of several years that one function declares: the
// file of one year is tried for all of them.
var oneFunction = regexp.MustCompile(`^(apl)-20[0-9]{2}$`)

// Whatever is wrong with a file of figures, it is refused with the reason, and what was served stays: the
// header of something else, a file that a transfer cut off, of another year, in another encoding, or of
// another source. Each source is tried, with two of these in turn and in make soak with all; one that is
// declared and not in the list fails.
func TestEverySourceRefusesBadFiles(t *testing.T) {
	b := newFixture(t)
	b.exec(`INSERT INTO geo.region (code, name) VALUES ('06', 'Mayotte');
		INSERT INTO geo.departement (code, name, region_code) VALUES ('976', 'Mayotte', '06'), ('01', 'Ain', '84');
		INSERT INTO geo.commune (type, code, name, departement_code, region_code, commune_code, former_codes) VALUES
			('commune-actuelle', '97601', 'Acoua', '976', '06', '97601', '{}'), ('commune-actuelle', '69001', 'Affoux', '69', '84', '69001', '{}')`)
	declared := map[string]source.Source{}
	for _, s := range topic.Sources() {
		declared[s.Name] = s
	}
	files := goodFiles(t)
	tried, tries := map[string]bool{}, testkit.Rounds(1, 100)
	for n, f := range files {
		tried[f.source], tried[oneFunction.ReplaceAllString(f.source, "$1-20")] = true, true
		t.Run(f.source, func(t *testing.T) {
			(&fixture{t: t, db: b.db, data: b.data}).refusesBroken(f, declared[f.source], files, n, tries)
		})
	}
	for name, s := range declared {
		if (s.Group == "stats" || s.Group == "elections") && !tried[name] && !tried[oneFunction.ReplaceAllString(name, "$1-20")] {
			t.Errorf("no bad file of the source %s is tried: add a good one to goodFiles", name)
		}
	}
}

// refusesBroken loads a good file, and then so many of the bad ones that are made from it, beginning with the
// nth.
func (b *fixture) refusesBroken(f goodFile, s source.Source, files []goodFile, n, tries int) {
	defer os.Remove(filepath.Join(b.data, filepath.FromSlash(f.path)))
	change := anyNumber
	if strings.HasPrefix(f.source, "apl-") {
		change = small
	}
	b.write(f.path, f.packed(b.t, f.content))
	if out, err := b.try(f.source, change); err != nil || out.State != ingest.Loaded {
		b.t.Fatalf("the good file is %s: %v", out.State, err)
	}
	before := b.served(s)
	bad := f.broken(b.t, s, files)
	all := slices.Sorted(maps.Keys(bad))
	for i := range min(tries, len(all)) {
		what := all[(n+i)%len(all)]
		b.write(f.path, f.packed(b.t, bad[what].content))
		out, err := b.try(f.source, change)
		if err == nil || out.State != ingest.Refused || !strings.Contains(err.Error(), bad[what].because) {
			b.t.Errorf("%s: state %s, %v; expected a refusal that says %q", what, out.State, err, bad[what].because)
		}
		if after := b.served(s); after != before {
			b.t.Errorf("%s: what is served changed", what)
		}
	}
	if s.Read.Encoding == "sniff" { // both encodings are right, and give the same
		b.write(f.path, f.packed(b.t, narrowed(f.content)))
		if _, err := b.try(f.source, change); err != nil || strings.Split(b.served(s), "\n")[1] != strings.Split(before, "\n")[1] {
			b.t.Errorf("in Latin-1: %v, or something else is served", err)
		}
	}
}

// served is a digest of the loads that are active, and of what they brought.
func (b *fixture) served(s source.Source) (digest string) {
	b.t.Helper()
	query := `SELECT coalesce((SELECT string_agg(id::text, ',' ORDER BY id) FROM geo.load WHERE active), '') || E'\n' ||
		coalesce((SELECT md5(string_agg(t::text, ';' ORDER BY t::text)) FROM ` + s.Target.Table + ` t), '')`
	testkit.NoError(b.t, b.db.QueryRow(b.t.Context(), query).Scan(&digest))
	return digest
}

type badFile struct{ content, because string }

// broken makes the bad files from the good one.
func (f goodFile) broken(t testing.TB, s source.Source, files []goodFile) map[string]badFile {
	bad := map[string]badFile{"another source's file": {content: foreign(t, s, files)}}
	if (f.other == "") == (f.yearless == "") {
		t.Errorf("it needs the content of another year, or why there is none")
	}
	if f.other != "" {
		bad["another year"] = badFile{f.other, f.because}
	}
	switch s.Read.Format {
	case source.CSV:
		above := strings.SplitAfterN(f.content, "\n", s.Read.Skip+2)
		header, lines := strings.Join(above[:s.Read.Skip+1], ""), above[s.Read.Skip+1]
		last := strings.LastIndexByte(strings.TrimSuffix(f.content, "\n"), '\n') + 1
		bad["another header"] = badFile{content: regexp.MustCompile(`"?([^";,\t\n]+)"?`).ReplaceAllString(header, "x_$1") + lines}
		bad["cut off"] = badFile{f.content[:last+strings.IndexAny(f.content[last:], ";,")+1], "cut off"}
	case source.JSON, source.JSONLines:
		bad["another header"] = badFile{content: regexp.MustCompile(`"([A-Za-z_][^"]*)"\s*:`).ReplaceAllString(f.content, `"x_$1":`)}
		bad["cut off"] = badFile{f.content[:len(f.content)*2/3], "cut off"}
	case source.Spreadsheet:
		bad["another header"] = badFile{content: otherTexts(t, f.content)}
		bad["cut off"] = badFile{content: f.content[:len(f.content)/2]}
	}
	return f.miswritten(s, bad)
}

// miswritten adds the files in other encodings: those that name theirs have none.
func (f goodFile) miswritten(s source.Source, bad map[string]badFile) map[string]badFile {
	switch s.Read.Format {
	case source.CSV:
		if s.Read.Encoding == "" {
			bad["Latin-1"] = badFile{narrowed(strings.TrimSuffix(f.content, "\n")) + "\xe9\n", "it is not in UTF-8"}
		}
		if s.Read.Encoding == "latin1" {
			bad["UTF-8"] = badFile{strings.ReplaceAll(f.content, "\x82", "é"), "it is in UTF-8"}
		}
	case source.JSON, source.JSONLines:
		bad["Latin-1"] = badFile{narrowed(strings.Replace(f.content, "{", `{"é":1,`, 1)), "it is not in UTF-8"}
	default:
		return bad
	}
	utf16Text := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(f.content)) {
		utf16Text = append(utf16Text, byte(unit), byte(unit>>8))
	}
	bad["UTF-16"] = badFile{string(utf16Text), "it is in UTF-16"}
	bad["UTF-16 without a mark"] = badFile{string(utf16Text[2:]), "it is in UTF-16"}
	return bad
}

// narrowed is a text in Latin-1, without what that does not have.
func narrowed(text string) string {
	return latin1(strings.Map(func(r rune) rune {
		if r > 0xff {
			return -1
		}
		return r
	}, text))
}

// foreign is a good file of the same format that is another source's.
func foreign(t testing.TB, s source.Source, files []goodFile) string {
	t.Helper()
	others := map[source.Format][]string{source.CSV: {"mayors", "air-communes"}, source.JSON: {"safety-departements-copy", "housing-social-extract"},
		source.JSONLines: {"election-municipales-2026", "chomage-zones"}, source.Spreadsheet: {"apl-2024", "facilities-2013"}}
	for _, name := range others[s.Read.Format] {
		if i := slices.IndexFunc(files, func(f goodFile) bool { return f.source == name }); name != s.Name && i >= 0 {
			return files[i].content
		}
	}
	t.Fatalf("no other file of the format %s", s.Read.Format)
	return ""
}

// otherTexts writes a workbook again with other words in its cells.
func otherTexts(t testing.TB, workbook string) string {
	t.Helper()
	in := testkit.Must(zip.NewReader(strings.NewReader(workbook), int64(len(workbook))))(t)
	parts := map[string]string{}
	for _, part := range in.File {
		r := testkit.Must(part.Open())(t)
		content := testkit.Must(io.ReadAll(r))(t)
		parts[part.Name] = regexp.MustCompile(`<t>([^<0-9][^<]*)</t>`).ReplaceAllString(string(content), "<t>x $1</t>")
	}
	return loadkit.Archive(t, parts)
}

// packed puts a content into its archive.
func (f goodFile) packed(t testing.TB, content string) string {
	if f.archive == "" {
		return content
	}
	return loadkit.Archive(t, map[string]string{f.archive: content})
}
