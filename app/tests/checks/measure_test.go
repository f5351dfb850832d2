package checks_test

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
	"testing"
	"unicode/utf8"

	"arpent/app/dev/testkit"
)

// maxSubject is how many characters the subject of a commit may have.
const maxSubject = 72

// replacedWords are the words and phrases that CONTRIBUTING.md asks to replace, in the order of the table.
var replacedWords = []string{"nobody", "whoever", "everybody", "beside", "what there is", "stranger", "forgery",
	"settle", "patience", "it says so", "is told", "put right", "comes into being"}

// styleFigures are names and lengths of functions, lengths of lines and the words that CONTRIBUTING.md asks
// to replace, as make style prints them.
type styleFigures struct {
	Functions    int   // hand-written functions and methods outside tests
	OneWordNames int   // of them, those named by one lower-case word
	Lengths      []int // of them, in lines, ascending
	CodeLines    int   // hand-written Go outside tests
	Over100      int   // of them, lines with more than 100 characters
	Over110      int
	TestLines    int
	Packages     int            // folders with hand-written Go outside tests
	Words        map[string]int // occurrences of each of replacedWords
}

// oneWordShare returns the share of functions that are named by one lower-case word.
func (f *styleFigures) oneWordShare() float64 { return share(f.OneWordNames, f.Functions) }

// longLineShare returns the share of lines with more than 110 characters.
func (f *styleFigures) longLineShare() float64 { return share(f.Over110, f.CodeLines) }

func share(part, total int) float64 { return float64(part) / float64(max(total, 1)) }

var (
	skippedFolders = []string{".git", ".arpent", "bin", "data", "node_modules", "testdata"}
	textFiles      = []string{".go", ".sql", ".templ", ".md", ".yml", ".sh"}
	oneWord        = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	anyWord        = regexp.MustCompile(`(?i)\b(` + strings.Join(replacedWords, "|") + `)\b`)
)

// fixedSQL matches the statements whose text is never edited: migrations, and those that are part of a
// declaration. The text of the latter, comments included, is part of the checksum of a load: a changed word
// makes every installation load the source again.
var fixedSQL = regexp.MustCompile(
	`^migrations/|^internal/opendata/topic/(areas|parcels)/.*\.sql$|/(sirene_found|dvf_sale|\w+_areas)\.sql$`)

// ownWords matches the files that list the words. The label that the key of CSRF tokens is derived with has
// one too: under another label, forms that are open would be refused.
var ownWords = regexp.MustCompile(
	`^(CONTRIBUTING\.md|app/tests/checks/(measure|style|words)_test\.go|portal/pages/csrf\.go)$`)

// measureStyle reads the files below root. Generated files and data are left out, and the words of fixedSQL
// and ownWords.
func measureStyle(t *testing.T, root fs.FS) *styleFigures {
	t.Helper()
	f := &styleFigures{Words: map[string]int{}}
	packages := map[string]bool{}
	isText := func(name string) bool {
		isScript := strings.HasPrefix(name, ".ci/") && path.Ext(name) == "" || name == "Makefile"
		return (slices.Contains(textFiles, path.Ext(name)) || isScript) && !strings.HasSuffix(name, "_templ.go")
	}
	eachFile(t, root, isText, func(name, text string) {
		if !ownWords.MatchString(name) && !fixedSQL.MatchString(name) {
			for _, word := range anyWord.FindAllString(text, -1) {
				if word != "NoBody" { // an identifier of net/http
					f.Words[strings.ToLower(word)]++
				}
			}
		}
		switch {
		case path.Ext(name) != ".go":
		case strings.HasSuffix(name, "_test.go"):
			f.TestLines += strings.Count(text, "\n")
		default:
			packages[path.Dir(name)] = true
			testkit.NoError(t, f.addCode(name, text))
		}
	})
	f.Packages = len(packages)
	slices.Sort(f.Lengths)
	return f
}

// addCode counts the lines and functions of a Go file.
func (f *styleFigures) addCode(name, text string) error {
	for line := range strings.Lines(text) {
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

// longSubjects counts the subjects that have more than maxSubject
// characters, and returns the length of the longest.
func longSubjects(subjects []string) (long, longest int) {
	for _, subject := range subjects {
		n := utf8.RuneCountInString(subject)
		if n > maxSubject {
			long++
		}
		longest = max(longest, n)
	}
	return long, longest
}

// formatTable returns the figures as a table in Markdown. subjects are those of all commits.
func (f *styleFigures) formatTable(subjects []string) string {
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
		100*f.oneWordShare(), f.OneWordNames, f.Functions)
	row("function length p50 / p90", "%d / %d lines", percentile(50), percentile(90))
	row("lines over 100 columns", "%.1f %% (%d)", 100*share(f.Over100, f.CodeLines), f.Over100)
	row("lines over 110 columns", "%.1f %% (%d)", 100*f.longLineShare(), f.Over110)
	long, longest := longSubjects(subjects)
	row(fmt.Sprintf("commit subjects over %d characters", maxSubject), "%d of %d, the longest %d",
		long, len(subjects), longest)
	for _, word := range replacedWords {
		row(fmt.Sprintf("“%s”", word), "%d", f.Words[word])
	}
	return b.String()
}
