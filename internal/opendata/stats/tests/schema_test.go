package stats_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"arpent/api"
	"arpent/app/dev/openapi"
	"arpent/app/dev/testkit"
	"arpent/internal/opendata/stats"
	"arpent/internal/opendata/topic"
)

// readDocument reads the OpenAPI document of the service, which statistics are held against.
var readDocument = sync.OnceValues(func() (*openapi.Document, error) { return openapi.Read(document()) })

var document = sync.OnceValue(func() []byte { return api.Document("Arpent", "https://api.example.org") })

// answers are the answer that the statistics of a level are a part of, without them.
var answers = map[stats.Level]struct{ path, around string }{
	stats.Commune: {"/communes/93010", `{"kind":"commune","codeInsee":"93010","name":"Bondy","deptCode":null,"deptName":null,"regionCode":null,
		"regionName":null,"areaKm2":null,"areaSource":null,"areaYear":null,"outlineAreaKm2":null,"postcodes":["93140"],
		"formerCommunes":null,"chefLieuOf":null,"stats":`},
	stats.Arrondissement: {"/communes/75118", `{"kind":"commune","codeInsee":"75118","name":"Paris 18e Arrondissement","deptCode":"75","deptName":null,"regionCode":null,
		"regionName":null,"areaKm2":null,"areaSource":null,"areaYear":null,"outlineAreaKm2":null,"arrondissementOf":{"name":"Paris","codeInsee":"75056"},
		"postcodes":["75018"],"formerCommunes":null,"chefLieuOf":null,"stats":`},
	stats.Departement: {"/departements/93", `{"kind":"departement","code":"93","name":"Seine-Saint-Denis","regionCode":null,"regionName":null,
		"areaKm2":null,"areaSource":null,"areaYear":null,"outlineAreaKm2":null,"communeCount":39,"chefLieu":null,"stats":`},
	stats.Region: {"/regions/11", `{"kind":"region","code":"11","name":"Île-de-France","areaKm2":null,"areaSource":null,"areaYear":null,"outlineAreaKm2":null,"communeCount":1266,"chefLieu":null,
		"departementCount":8,"stats":`},
}

// check fails when the statistics of a level have not the shape that the document promises.
func check(t testing.TB, what string, level stats.Level, body []byte) {
	t.Helper()
	document, err := readDocument()
	testkit.NoError(t, err)
	around := answers[level]
	err = document.Check(api.Root+around.path, http.StatusOK, "application/json", slices.Concat([]byte(around.around), body, []byte("}")))
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

// checkTerritory renders a territory and checks all that is in it.
func checkTerritory(t testing.TB, d *stats.Data, of *stats.Territory) {
	t.Helper()
	body := testkit.Must(d.Render(of))(t)
	check(t, string(of.Level)+" "+of.Code, of.Level, body)
}

// Whatever a block may hold fits the document: each value with every member that it can have, with none
// that it can do without, and no value at all.
func TestEveryTypeFitsTheDocument(t *testing.T) {
	t.Parallel()
	for level := range answers {
		for _, full := range []bool{true, false} {
			body := map[string]any{"sources": map[string]stats.Origin{"population": {Source: "INSEE"}}}
			for _, k := range topic.Statistics().Describe(level) {
				body[k.Key] = example(k.Value, full, "").Interface()
			}
			encoded := testkit.Must(json.Marshal(body))(t)
			check(t, string(level), level, encoded)
		}
		check(t, "nothing of a "+string(level), level, topic.Statistics().Nothing(level))
	}
}

// example makes a value of a type: full, with one element in each
// list, or with all null and empty that can be.
func example(of reflect.Type, full bool, tag reflect.StructTag) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Pointer:
		if full {
			v.Set(example(of.Elem(), full, tag).Addr())
		}
	case reflect.Slice:
		if full {
			v.Set(reflect.Append(v, example(of.Elem(), full, tag)))
		} else if tag.Get("nullable") == "" {
			v.Set(reflect.MakeSlice(of, 0, 0))
		}
	case reflect.Struct:
		for i := range of.NumField() {
			if f := of.Field(i); f.IsExported() {
				v.Field(i).Set(example(f.Type, full, f.Tag))
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		if full {
			v.SetMapIndex(reflect.ValueOf("one"), example(of.Elem(), full, tag))
		}
	case reflect.Bool:
		v.SetBool(full)
	case reflect.Int:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.String:
		first, _, _ := strings.Cut(tag.Get("enum"), ",")
		v.SetString(first)
		if tag.Get("format") == "date" {
			v.SetString("2026-01-31")
		}
	default:
		panic("a block has a member of the type " + of.String())
	}
	return v
}

// The document describes each figure: no value in a block is without a description.
func TestEveryLeafIsDescribed(t *testing.T) {
	t.Parallel()
	var doc struct {
		Components struct{ Schemas map[string]*schema }
	}
	testkit.NoError(t, json.Unmarshal(document(), &doc))
	w := walk{t: t, schemas: doc.Components.Schemas, seen: map[string]bool{}}
	for _, name := range []string{"Commune", "Departement", "Region"} {
		w.leaves(name, w.schemas[name].Properties["stats"], true)
	}
	if w.count < 300 {
		t.Errorf("only %d values were looked at", w.count)
	}
}

// schema is what the walk reads of one.
type schema struct {
	Description string
	Ref         string `json:"$ref"`
	AnyOf       []*schema
	Items       *schema
	Properties  map[string]*schema
	Type        any
}

type walk struct {
	t       *testing.T
	schemas map[string]*schema
	seen    map[string]bool
	count   int
}

// leaves looks at all values inside a schema; described: it, or the list that it is in, is described.
func (w *walk) leaves(path string, s *schema, described bool) {
	described = described || s.Description != ""
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		if !w.seen[name] {
			w.seen[name] = true
			w.members(name, w.schemas[name])
		}
	case s.AnyOf != nil:
		for _, one := range s.AnyOf {
			if one.Type != "null" {
				w.leaves(path, one, described)
			}
		}
	case s.Items != nil:
		w.leaves(path, s.Items, described)
	case s.Properties != nil:
		w.members(path, s)
	case !described:
		w.t.Errorf("%s has no description", path)
	default:
		w.count++
	}
}

func (w *walk) members(path string, s *schema) {
	for name, one := range s.Properties {
		w.leaves(path+"."+name, one, false)
	}
}

// What is served of the real files has the shape that is promised: every département and
// région, and communes from all over the country.
func TestRealBodiesFitTheDocument(t *testing.T) {
	d := realData(t)
	communes := testkit.Rounds(100, 300)
	all := slices.Concat(d.Regions, d.Departements)
	for i := range communes {
		all = append(all, d.Communes[i*len(d.Communes)/communes])
	}
	for _, code := range []string{"75056", "69123", "13055", "2A004", "97411", "97601", "01187", "85084", "85165", "49126", "15141"} {
		all = append(all, d.Find(stats.Commune, code))
	}
	for _, of := range all {
		checkTerritory(t, d, of)
	}
}
