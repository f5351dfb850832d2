package guide

import (
	"arpent/clients"
)

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
