package openapi_test

import (
	"strings"
	"testing"

	"arpent/app/dev/openapi"
	"arpent/app/dev/testkit"
)

const document = `{"openapi": "3.1.0", "paths": {
	"/c/{code}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/C"}}}}}}},
	"/c/all": {"get": {"responses": {"404": {"content": {"application/json": {"schema": {"type": "array"}}}}}}}},
	"components": {"schemas": {"C": {"type": "object", "required": ["n"], "properties": {"n": {"type": ["integer", "null"]}, "d": {"type": "string", "format": "date"}}}}}}`

// An answer that the document does not promise is found, whatever is wrong with it: all
// tests of the shape of answers stand on this.
func TestCheck(t *testing.T) {
	t.Parallel()
	d := testkit.Must(openapi.Read([]byte(document)))(t)
	for _, tc := range []struct {
		path    string
		status  int
		content string
		body    string
		says    string // empty: as promised
	}{
		{"/c/1?x=/", 200, "application/json; charset=utf-8", `{"n": 1, "d": "2026-01-31", "more": 1}`, ""},
		{"/c/1", 200, "application/json", `{"n": null}`, ""},
		{"/c/all", 404, "application/json", `[]`, ""},
		{"/c/1", 200, "application/json", `{"n": "1"}`, "got string"},
		{"/c/1", 200, "application/json", `{}`, "missing property"},
		{"/c/1", 200, "application/json", `{"n": 1, "d": "31/01/2026"}`, "not valid date"},
		{"/c/1", 200, "application/json", `{"n": 1`, "EOF"},
		{"/c/1", 404, "application/json", `{"n": 1}`, "status 404"},
		{"/c/all", 200, "application/json", `{"n": 1}`, "status 200"},
		{"/c/1", 200, "text/html", `{"n": 1}`, "text/html"},
		{"/c/1", 200, "", `{"n": 1}`, "content type"},
		{"/c/", 200, "application/json", `{"n": 1}`, "not in the document"},
		{"/c/1/2", 200, "application/json", `{"n": 1}`, "not in the document"},
	} {
		switch err := d.Check(tc.path, tc.status, tc.content, []byte(tc.body)); {
		case tc.says == "" && err != nil:
			t.Error(err)
		case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
			t.Errorf("%s, %d, %q, %s: %v; expected %q", tc.path, tc.status, tc.content, tc.body, err, tc.says)
		}
	}
	for _, bad := range []string{"", "{}", strings.ReplaceAll(document, "schemas/C\"", "schemas/D\""), strings.ReplaceAll(document, `"object"`, `"thing"`)} {
		if _, err := openapi.Read([]byte(bad)); err == nil {
			t.Errorf("read without an error: %s", bad)
		}
	}
}
