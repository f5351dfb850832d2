package checks_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"arpent/app/dev/testkit"
)

// The words that the code does not use, each with the standard term. They are looked for in comments, in log
// messages, and in the parts of identifiers, such as the first one of toldOf.
var nonStandardWords = map[string]string{
	"tell": "notify, record, return", "tells": "returns, reports whether", "told": "notified, published, known",
	"hear": "onNotify", "heard": "known", "learn": "read, record", "learns": "reads, records",
	"welcome": "warm", "forgery": "CSRF", "stranger": "anonymous client", "strangers": "anonymous clients", "crowd": "overflow bucket",
	"settle": "apply, reconcile", "settles": "applies, reconciles", "settled": "applied, reconciled", "resettle": "reapply",
	"patience": "timeout", "dialect": "provider", "verdict": "decision", "verdicts": "decisions",
	"refusal": "rejection", "refusals": "rejections",
	"nobody": "no client, no row", "whoever": "the caller, the user", "everybody": "every client, every process",
	"beside": "next to, in addition to, concurrently with",
}

// nonStandardNames are identifiers that have a meaning of their own as words.
var nonStandardNames = regexp.MustCompile(`^([a-z]\w*Most|[lL]east[A-Z]\w*|[mM]ost[A-Z]\w*|[wW]ide|[mM]end|[tT]ogether|[pP]ieces|[cC]orners|[rR]oom|[bB]ook|` +
	`goOn|comeBack|stepBack|endWithUs|notTill|inert|calm|oneMoment|longestPause|settleUp)$`)

// nonStandardPhrases are looked for in comments and log messages.
var nonStandardPhrases = regexp.MustCompile(`(?i)\b(made[ -]up|put right|puts? it right|goes? into service|it says so|what there is|comes? into being)\b`)

// namesElsewhere are declared in a library.
var namesElsewhere = []string{"DialectPostgres"}

// The code uses the terms of the field, and one name for one thing.
func TestWords(t *testing.T) {
	t.Parallel()
	isChecked := func(path string) bool { return slices.Contains([]string{".go", ".templ", ".sql"}, filepath.Ext(path)) }
	eachFile(t, os.DirFS(testkit.Root(t)), isChecked, func(path, text string) {
		for _, fault := range wordFaults(path, text) {
			t.Error(fault)
		}
	})
}

// The check itself finds what it is there for, and nothing in statements or in French.
func TestNonStandardWordsAreReported(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"// x tells nothing.": 1, "func toldOf() {}": 1, "var leastRows = 1": 1, "// The rows are made up.": 1,
		"// Nobody waits beside it.": 2, "// The list of what there is.": 1, "func TestServesNobody() {}": 1,
		`func f() { slog.Info("job settled") }`:                                      1,
		`var err = fault.Invalid("x is missing.")`:                                   1,
		`var err = fault.Invalid("x is missing. y is too")`:                          1,
		`var err = fault.Invalid("x is missing; expected a day")`:                    0,
		`var err = fault.Invalid("x is missing. y is too.")`:                         0,
		`var err = fault.Invalid("x is missing.").About("x").Instead("Call z.", "")`: 0,
		"var query = `WITH told AS (SELECT 1)`":                                      0,
		"// The standing water, wide as a room.":                                     0,
		`func f() { print("it tells of nothing") }`:                                  0,
	} {
		if got := wordFaults("x.go", "package x\n\n"+text+"\n"); len(got) != want {
			t.Errorf("%s: %q, want %d", text, got, want)
		}
	}
	if got := wordFaults("x.sql", "-- What it tells.\nWITH told AS (SELECT 1)"); len(got) != 1 {
		t.Errorf("SQL: %q, want 1", got)
	}
}

// wordFaults returns the words of a file that are not standard. Identifiers of templ
// files are those of the Go files made from them.
func wordFaults(path, text string) []string {
	switch filepath.Ext(path) {
	case ".go":
		return goWordFaults(path, text)
	case ".templ":
		return commentFaults(path, text, "//")
	case ".sql":
		if !fixedSQL.MatchString(path) {
			return commentFaults(path, text, "--")
		}
	}
	return nil
}

func commentFaults(path, text, mark string) (faults []string) {
	for i, line := range strings.Split(text, "\n") {
		before, comment, found := strings.Cut(line, mark+" ")
		if found && (before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\t")) {
			faults = append(faults, proseFaults(path+":"+strconv.Itoa(i+1), comment)...)
		}
	}
	return faults
}

func goWordFaults(path, text string) (faults []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			faults = append(faults, proseFaults(files.Position(c.Pos()).String(), c.Text)...)
		}
	}
	seen, continued := map[string]bool{}, map[*ast.CallExpr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if !seen[n.Name] && !slices.Contains(namesElsewhere, n.Name) {
				faults = append(faults, nameFaults(files.Position(n.Pos()).String(), n.Name)...)
			}
			seen[n.Name] = true
		case *ast.CallExpr:
			faults = append(append(faults, logFaults(files, n)...), fullStopFaults(files, n, continued)...)
		}
		return true
	})
	return faults
}

// logFaults checks the texts that are passed to a logger.
func logFaults(files *token.FileSet, call *ast.CallExpr) (faults []string) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !logMethod.MatchString(method.Sel.Name) {
		return nil
	}
	for _, arg := range call.Args {
		if text, ok := arg.(*ast.BasicLit); ok && text.Kind == token.STRING {
			faults = append(faults, proseFaults(files.Position(text.Pos()).String(), text.Value)...)
		}
	}
	return faults
}

// fullStopFaults checks the text of an error that is made by fault.Invalid: one sentence ends without a
// full stop, the last of several with one. A call of Instead adds a sentence to the calls of its chain,
// which are put into continued.
func fullStopFaults(files *token.FileSet, call *ast.CallExpr, continued map[*ast.CallExpr]bool) []string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if receiver, ok := method.X.(*ast.CallExpr); ok && (method.Sel.Name == "Instead" || continued[call]) {
		continued[receiver] = true
	}
	if pkg, ok := method.X.(*ast.Ident); !ok || pkg.Name != "fault" || method.Sel.Name != "Invalid" {
		return nil
	}
	text, ok := call.Args[0].(*ast.BasicLit)
	if !ok || continued[call] || strings.HasSuffix(text.Value, `."`) == strings.Contains(text.Value, ". ") ||
		strings.HasSuffix(text.Value, ` %s"`) && strings.Contains(text.Value, ". ") { // it ends with the text of another error
		return nil
	}
	return []string{files.Position(text.Pos()).String() + ": " + text.Value +
		": end several sentences with a full stop, one sentence without"}
}

var (
	logMethod = regexp.MustCompile(`^(Debug|Info|Warn|Error)(Context)?$`)
	plainWord = regexp.MustCompile(`[A-Za-z]+`)
	namePart  = regexp.MustCompile(`[A-Z]?[a-z]+`)
)

func proseFaults(place, text string) (faults []string) {
	for _, word := range plainWord.FindAllString(text, -1) {
		if instead, found := nonStandardWords[strings.ToLower(word)]; found {
			faults = append(faults, place+": "+word+": use "+instead)
		}
	}
	if phrase := nonStandardPhrases.FindString(text); phrase != "" {
		faults = append(faults, place+": "+phrase+": use synthetic, repaired, activated, returns, the parts, is created")
	}
	return faults
}

func nameFaults(place, name string) (faults []string) {
	if nonStandardNames.MatchString(name) {
		faults = append(faults, place+": "+name+": see the list of words in app/tests/checks/words_test.go")
	}
	for _, part := range namePart.FindAllString(name, -1) {
		if instead, found := nonStandardWords[strings.ToLower(part)]; found {
			faults = append(faults, place+": "+name+": use "+instead)
		}
	}
	return faults
}
