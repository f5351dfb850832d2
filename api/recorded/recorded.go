// Package recorded holds answers that the service gave. A test asks for all of them anew and compares: for
// operations on the national files, for errors on a small territory.
package recorded

import (
	"bytes"
	"embed"
)

//go:embed answers
var files embed.FS

// Base is the address of the server in the recorded answers.
const Base = "https://api.example.org"

// Answer is what an operation answered to its example, at a server
// with that address; nil: nothing is recorded.
func Answer(operation, baseURL string) []byte { return readAnswer(operation, baseURL) }

// Error is an answer with that error code.
func Error(code, baseURL string) []byte { return readAnswer("error-"+code, baseURL) }

// File is the name of the file of an answer, in this folder.
func File(operation string) string { return "answers/" + operation + ".json" }

// Output is what a program of the recipes printed; nil: nothing is recorded.
func Output(sample, baseURL string) []byte { return readFile(OutputFile(sample), baseURL) }

// OutputFile is the name of the file of an output, in this folder.
func OutputFile(sample string) string { return "answers/" + sample + ".txt" }

func readAnswer(name, baseURL string) []byte { return readFile(File(name), baseURL) }

func readFile(path, baseURL string) []byte {
	body, err := files.ReadFile(path)
	if err != nil {
		return nil
	}
	return bytes.ReplaceAll(bytes.TrimRight(body, "\n"), []byte(Base), []byte(baseURL))
}
