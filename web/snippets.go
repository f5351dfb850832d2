package web

import "strings"

// Snippet is a request in a language, with the key in the environment variable ARPENT_KEY.
type Snippet struct{ ID, Language, Code string }

// snippetTemplates write {url} for the address of the request.
var snippetTemplates = []Snippet{
	{"curl", "curl", `curl -H "X-API-Key: $ARPENT_KEY" \
  "{url}"`},
	{"python", "Python", `import os, requests

answer = requests.get(
    "{url}",
    headers={"X-API-Key": os.environ["ARPENT_KEY"]}, timeout=10)
answer.raise_for_status()
print(answer.json())`},
	{"typescript", "TypeScript", `const answer = await fetch(
  "{url}",
  { headers: { "X-API-Key": process.env.ARPENT_KEY! } });
if (!answer.ok) throw new Error(await answer.text());
console.log(await answer.json());`},
	{"php", "PHP", `<?php
$context = stream_context_create(["http" => [
    "header" => "X-API-Key: " . getenv("ARPENT_KEY"),
]]);
$answer = file_get_contents("{url}", false, $context);
print_r(json_decode($answer, true));`},
	{"r", "R", `library(httr2)

answer <- request("{url}") |>
  req_headers("X-API-Key" = Sys.getenv("ARPENT_KEY")) |>
  req_perform() |>
  resp_body_json()
str(answer, max.level = 1)`},
	{"go", "Go", `package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	req, err := http.NewRequest("GET", "{url}", nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("X-API-Key", os.Getenv("ARPENT_KEY"))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		log.Fatal(res.Status)
	}
	io.Copy(os.Stdout, res.Body)
}`},
}

// RequestSnippets returns the request of an address in each language.
func RequestSnippets(url string) []Snippet {
	out := make([]Snippet, len(snippetTemplates))
	for i, t := range snippetTemplates {
		out[i] = Snippet{t.ID, t.Language, strings.ReplaceAll(t.Code, "{url}", url)}
	}
	return out
}
