// Package openapi holds answers against the OpenAPI 3.1 document of the service. It is for tests.
package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// resource is the name under which the compiler of schemas knows the document.
const resource = "openapi.json"

// Document is an OpenAPI document whose operations are all GET. It may be used by several goroutines.
type Document struct {
	paths    map[string]map[string]bool // the statuses of each path
	compiler *jsonschema.Compiler

	mu      sync.Mutex
	schemas map[string]*jsonschema.Schema // by the place in the document
}

// Read reads a document and checks each schema of its answers against
// the JSON Schema vocabulary of OpenAPI 3.1.
func Read(text []byte) (*Document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	d := &Document{paths: map[string]map[string]bool{}, compiler: jsonschema.NewCompiler(),
		schemas: map[string]*jsonschema.Schema{}}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(resource, value); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	for path, item := range objectMembers(value, "paths") {
		d.paths[path] = map[string]bool{}
		for status, answer := range objectMembers(item, "get", "responses") {
			d.paths[path][status] = true
			for content := range objectMembers(answer, "content") {
				if _, err := d.answerSchema(path, status, content); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(d.paths) == 0 {
		return nil, errors.New("the OpenAPI document has no paths")
	}
	return d, nil
}

// Check returns an error when the document does not promise this answer to a GET of a path.
func (d *Document) Check(path string, status int, contentType string, body []byte) error {
	path, _, _ = strings.Cut(path, "?")
	template, found := d.findPath(path)
	if !found {
		return fmt.Errorf("%s is not in the document", path)
	}
	code := strconv.Itoa(status)
	if !d.paths[template][code] {
		return fmt.Errorf("%s: status %d is not in the document", template, status)
	}
	content, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Errorf("%s (%d): content type %q: %w", template, status, contentType, err)
	}
	schema, err := d.answerSchema(template, code, content)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s (%d): %w", template, status, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s (%d): %w", template, status, err)
	}
	return nil
}

// findPath returns the path of the document that a path belongs to:
// one without parameters before one with them.
func (d *Document) findPath(path string) (string, bool) {
	if _, is := d.paths[path]; is {
		return path, true
	}
	parts := strings.Split(path, "/")
	for template := range d.paths {
		if matchesTemplate(strings.Split(template, "/"), parts) {
			return template, true
		}
	}
	return "", false
}

func matchesTemplate(template, parts []string) bool {
	if len(template) != len(parts) {
		return false
	}
	for i, part := range template {
		if part != parts[i] && (!strings.HasPrefix(part, "{") || parts[i] == "") {
			return false
		}
	}
	return true
}

// answerSchema returns the schema of an answer, which it compiles once.
func (d *Document) answerSchema(path, status, content string) (*jsonschema.Schema, error) {
	at := resource + "#"
	for _, name := range []string{"paths", path, "get", "responses", status, "content", content, "schema"} {
		at += "/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.schemas[at]; s != nil {
		return s, nil
	}
	s, err := d.compiler.Compile(at)
	if err != nil {
		return nil, fmt.Errorf("the schema of %s (%s, %s): %w", path, status, content, err)
	}
	d.schemas[at] = s
	return s, nil
}

// objectMembers returns the members of the object at the path of names; none without such an object.
func objectMembers(value any, names ...string) map[string]any {
	for _, name := range names {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	object, _ := value.(map[string]any)
	return object
}
