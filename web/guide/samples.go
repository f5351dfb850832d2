package guide

import (
	"embed"
	"strings"

	"arpent/api"
	"arpent/api/recorded"
	"arpent/clients"
)

//go:embed samples
var sampleFiles embed.FS

// Sample is a program of a recipe. What it prints is recorded under its name.
type Sample struct {
	File    string // in the folder samples
	Command string // that runs it, with Input as its input
	Input   string // a file of the same folder; empty: it reads none
	Needs   string // a command that succeeds where the program can be run; empty: it can be wherever tests run
}

// Samples are the programs of all recipes. A test runs each, and
// compares what it prints with what is recorded.
func Samples() []Sample {
	return []Sample{addressShell, addressPython, compareScript, mapPython, sheetPython, statisticsR,
		assistantShell}
}

var (
	addressShell  = Sample{File: "address.sh", Command: "bash address.sh"}
	addressPython = Sample{File: "address.py", Command: "python3 address.py"}
	compareScript = Sample{File: "compare.mjs", Command: "node compare.mjs"}
	mapPython     = Sample{File: "map.py", Command: "python3 map.py"}
	sheetPython   = Sample{File: "spreadsheet.py", Command: "python3 spreadsheet.py", Input: "addresses.csv"}
	statisticsR   = Sample{File: "statistics.R", Command: "Rscript statistics.R",
		Needs: "Rscript -e library(httr2);library(jsonlite)"}
	assistantShell = Sample{File: "assistant.sh", Command: "bash assistant.sh"}
)

// Recorded is the name that its output is recorded under.
func (s Sample) Recorded() string { return "recipe-" + s.File }

// Code is the program for the server with that address.
func (s Sample) Code(baseURL string) string { return sampleText(s.File, baseURL) }

// InputText returns the standard input of the sample; empty: it reads none.
func (s Sample) InputText() string {
	if s.Input == "" {
		return ""
	}
	return sampleText(s.Input, "")
}

func sampleText(file, baseURL string) string {
	text, err := sampleFiles.ReadFile("samples/" + file)
	if err != nil {
		panic(err) // the files are embedded
	}
	return strings.NewReplacer(recorded.Base, baseURL, "{tool}", reportTool()).Replace(string(text))
}

// reportTool is the tool that gives the report of a parcel, by the operation that it runs.
func reportTool() string {
	for _, t := range api.Tools() {
		if strings.HasSuffix(t.Operation.Path, "/enrichments") {
			return t.Name
		}
	}
	return ""
}

const (
	clientsPath  = "/docs/clients" // of the page
	archivesPath = "/clients/"     // of the files that it links to
)

// The programs of the page. A test runs them with the libraries as they are installed.
var (
	ClientScript = Sample{File: "client.mjs", Command: "node client.mjs"}
	ClientPython = Sample{File: "client.py", Command: "python3 client.py"}
)

// installCommands are the commands that download a library and install it.
func (v view) installCommands(a clients.Archive, command string) string {
	return "curl -O " + v.BaseURL() + archivesPath + a.Name + "\n" + command + " ./" + a.Name
}
