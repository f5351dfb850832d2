// Command lint is what go vet and staticcheck find, in one program: each of them alone would read every
// dependency once more, and that is most of what they do. Its arguments are those of staticcheck.
package main

import (
	"os"

	"golang.org/x/tools/go/analysis/suite/vet"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/lintcmd"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"
	"honnef.co/go/tools/unused"
)

func main() {
	command := lintcmd.NewCommand("lint")
	command.ParseFlags(os.Args[1:])
	for _, analyzer := range vet.Suite {
		command.AddAnalyzers(&lint.Analyzer{
			Analyzer: analyzer,
			Doc:      &lint.RawDocumentation{Title: analyzer.Doc, Severity: lint.SeverityError},
		})
	}
	command.AddAnalyzers(simple.Analyzers...)
	command.AddAnalyzers(staticcheck.Analyzers...)
	command.AddAnalyzers(stylecheck.Analyzers...)
	command.AddAnalyzers(unused.Analyzer)
	command.Run()
}
