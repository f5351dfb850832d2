// Package style measures how the project is written: names and lengths of functions, lengths of lines, words
// that CONTRIBUTING.md asks to replace, and subjects of commits. make style prints the figures;
// app/tests/checks holds the first two of them.
package style

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxSubject is how many characters the subject of a commit may have.
const MaxSubject = 72

// Words are the words and phrases that CONTRIBUTING.md asks to replace, in the order of the table.
var Words = []string{"nobody", "whoever", "everybody", "beside", "what there is", "stranger", "forgery",
	"settle", "patience", "it says so", "is told", "put right", "comes into being"}

// Figures are the results of a measurement.
type Figures struct {
	Functions    int   // hand-written functions and methods outside tests
	OneWordNames int   // of them, those named by one lower-case word
	Lengths      []int // of them, in lines, ascending
	CodeLines    int   // hand-written Go outside tests
	Over100      int   // of them, lines with more than 100 characters
	Over110      int
	TestLines    int
	Packages     int            // folders with hand-written Go outside tests
	Words        map[string]int // occurrences of each of Words
}

// OneWordShare returns the share of functions that are named by one lower-case word.
func (f *Figures) OneWordShare() float64 { return share(f.OneWordNames, f.Functions) }

// LongLineShare returns the share of lines with more than 110 characters.
func (f *Figures) LongLineShare() float64 { return share(f.Over110, f.CodeLines) }

func share(part, total int) float64 { return float64(part) / float64(max(total, 1)) }

var (
	skippedFolders = []string{".git", ".arpent", "bin", "data", "node_modules", "testdata"}
	textFiles      = []string{".go", ".sql", ".templ", ".md", ".yml", ".sh"}
	oneWord        = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	anyWord        = regexp.MustCompile(`(?i)\b(` + strings.Join(Words, "|") + `)\b`)
)

// FixedSQL matches the statements whose text is never edited: migrations, and those that are part of a
// declaration. The text of the latter, comments included, is part of the checksum of a load: a changed word
// makes every installation load the source again.
var FixedSQL = regexp.MustCompile(
	`^migrations/|^internal/opendata/topic/(areas|parcels)/.*\.sql$|/(sirene_found|dvf_sale|\w+_areas)\.sql$`)

// ownWords matches the files that list the words. The label that the key of CSRF tokens is derived with has
// one too: under another label, forms that are open would be refused.
var ownWords = regexp.MustCompile(
	`^(CONTRIBUTING\.md|app/dev/style/.*|app/tests/checks/words_test\.go|portal/pages/csrf\.go)$`)

// Measure reads the files below root. Generated files and data are left out, and the words of FixedSQL and
// ownWords.
func Measure(root fs.FS) (*Figures, error) {
	f := &Figures{Words: map[string]int{}}
	packages := map[string]bool{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skippedFolders, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		isScript := strings.HasPrefix(name, ".ci/") && path.Ext(name) == "" || name == "Makefile"
		if !slices.Contains(textFiles, path.Ext(name)) && !isScript || strings.HasSuffix(name, "_templ.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if !ownWords.MatchString(name) && !FixedSQL.MatchString(name) {
			for _, word := range anyWord.FindAllString(string(text), -1) {
				if word != "NoBody" { // an identifier of net/http
					f.Words[strings.ToLower(word)]++
				}
			}
		}
		switch {
		case path.Ext(name) != ".go":
			return nil
		case strings.HasSuffix(name, "_test.go"):
			f.TestLines += strings.Count(string(text), "\n")
			return nil
		}
		packages[path.Dir(name)] = true
		return f.addCode(name, text)
	})
	if err != nil {
		return nil, fmt.Errorf("measure the style: %w", err)
	}
	f.Packages = len(packages)
	slices.Sort(f.Lengths)
	return f, nil
}

// addCode counts the lines and functions of a Go file.
func (f *Figures) addCode(name string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		f.CodeLines++
		columns := utf8.RuneCountInString(strings.TrimSuffix(line, "\n"))
		if columns > 100 {
			f.Over100++
		}
		if columns > 110 {
			f.Over110++
		}
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		f.Functions++
		f.Lengths = append(f.Lengths, files.Position(function.End()).Line-files.Position(function.Pos()).Line+1)
		if oneWord.MatchString(function.Name.Name) {
			f.OneWordNames++
		}
	}
	return nil
}

// LongSubjects counts the subjects that have more than MaxSubject
// characters, and returns the length of the longest.
func LongSubjects(subjects []string) (long, longest int) {
	for _, subject := range subjects {
		n := utf8.RuneCountInString(subject)
		if n > MaxSubject {
			long++
		}
		longest = max(longest, n)
	}
	return long, longest
}

// Table returns the figures as a table in Markdown. subjects are those of all commits.
func (f *Figures) Table(subjects []string) string {
	var b strings.Builder
	row := func(what, format string, values ...any) {
		fmt.Fprintf(&b, "| %s | "+format+" |\n", append([]any{what}, values...)...)
	}
	percentile := func(p int) int {
		if len(f.Lengths) == 0 {
			return 0
		}
		return f.Lengths[min(len(f.Lengths)*p/100, len(f.Lengths)-1)]
	}
	b.WriteString("| Measure | Value |\n|---|---|\n")
	row("hand-written Go without tests", "%d lines, %d packages", f.CodeLines, f.Packages)
	row("tests", "%d lines", f.TestLines)
	row("functions named by one lower-case word", "%.1f %% (%d of %d)",
		100*f.OneWordShare(), f.OneWordNames, f.Functions)
	row("function length p50 / p90", "%d / %d lines", percentile(50), percentile(90))
	row("lines over 100 columns", "%.1f %% (%d)", 100*share(f.Over100, f.CodeLines), f.Over100)
	row("lines over 110 columns", "%.1f %% (%d)", 100*f.LongLineShare(), f.Over110)
	long, longest := LongSubjects(subjects)
	row(fmt.Sprintf("commit subjects over %d characters", MaxSubject), "%d of %d, the longest %d",
		long, len(subjects), longest)
	for _, word := range Words {
		row(fmt.Sprintf("“%s”", word), "%d", f.Words[word])
	}
	return b.String()
}
