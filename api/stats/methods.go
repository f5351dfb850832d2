package stats

import (
	"reflect"
	"slices"
	"strings"

	"arpent/api/topic/safety"
)

// Constants are the numbers of the methods, as the code uses them: the page on methods prints these.
type Constants struct {
	LeastCoverage      float64 // share of the inhabitants that a sum needs
	PresidentialYears  int     // between the elections of a presidentialWave
	MunicipalYears     int     // between those of a municipalWave
	ReferencePeriod    string  // of climateAnomaly
	StationReachKm     int     // how far the station may be
	LeastDecadeYears   int     // of ten, for the mean of a decade
	LeastConsultations float64 // below, a commune is underserved
	NitratesMgL        float64 // limits of tap water
	LeadUgL            float64
	PesticidesUgL      float64
}

// MethodConstants gives the numbers in use.
func MethodConstants() Constants {
	return Constants{LeastCoverage: leastCoverage, PresidentialYears: presidentialYears, MunicipalYears: municipalYears,
		ReferencePeriod: referencePeriod, StationReachKm: stationReachKm, LeastDecadeYears: leastDecade,
		LeastConsultations: leastConsultations, NitratesMgL: limitNitratesMgL, LeadUgL: limitLeadUgL, PesticidesUgL: limitPesticidesUgL}
}

// MetricDoc explains something that territories are ranked by.
type MetricDoc struct {
	Name, Doc string
	Ascending bool // the smallest value has rank 1
	Levels    []Level
}

// Metrics lists what territories are ranked by.
func Metrics() (out []MetricDoc) {
	docs := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Rankings]()) {
		docs[jsonName(f)] = f.Tag.Get("doc")
	}
	for _, m := range metrics {
		one := MetricDoc{Name: m.name, Doc: docs[m.name], Ascending: m.ascending}
		for _, level := range []Level{Commune, Departement, Region} {
			if m.of[level] != nil {
				one.Levels = append(one.Levels, level)
			}
		}
		out = append(out, one)
	}
	return out
}

// CrimeOffences are the kinds of offences that crimeRate adds up, by list of labels.
func CrimeOffences() map[string][]safety.Offence {
	out := map[string][]safety.Offence{}
	for list, keys := range sum10 {
		for _, o := range safety.Offences(list) {
			if slices.Contains(keys, o.Key) {
				out[list] = append(out[list], o)
			}
		}
	}
	return out
}

// ServiceReach says how far a service of namedServices is looked for.
type ServiceReach struct {
	Service string
	MostKm  float64
}

// ServiceReaches lists the services of namedServices.
func ServiceReaches() (out []ServiceReach) {
	for _, s := range layersOfServices {
		out = append(out, ServiceReach{s.service, s.mostKm})
	}
	return out
}

// KeyDoc explains a key of the statistics.
type KeyDoc struct {
	Key, Doc string
	Type     string // what the value is when it is not null
	TypeName string // of an object, or of those in a list; empty for plain values
	Members  []MemberDoc
	Sources  []string // names of the sources that it is made from
}

// MemberDoc explains a member of a value.
type MemberDoc struct {
	Name, Type, Doc string
	Depth           int      // 0: of the value itself
	Enum            []string // the values that it can have
	SameAs          string   // the member above whose members it shares
}

// Describe explains the keys of a level from the types that their values are made of, like the OpenAPI document. The
// members of Envelope, which all objects have, are left out.
func Describe(level Level) (out []KeyDoc) {
	for _, b := range contract[level] {
		k := KeyDoc{Key: b.key, Doc: b.doc, Type: typeWords(b.value, ""), Sources: madeFrom(level, b.key)}
		if t := elementOf(b.value); t.Kind() == reflect.Struct {
			k.TypeName = t.String()
			k.Members = membersOf(t, 0, map[reflect.Type]string{})
		}
		out = append(out, k)
	}
	return out
}

// membersOf lists the members of an object and, below each, those of the objects in it. A type is told once.
func membersOf(t reflect.Type, depth int, seen map[reflect.Type]string) (out []MemberDoc) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			if f.Type != reflect.TypeFor[Envelope]() {
				out = append(out, membersOf(elementOf(f.Type), depth, seen)...)
			}
			continue
		}
		name := jsonName(f)
		if name == "" {
			continue
		}
		m := MemberDoc{Name: name, Type: typeWords(f.Type, f.Tag.Get("format")), Doc: f.Tag.Get("doc"), Depth: depth}
		if enum := f.Tag.Get("enum"); enum != "" {
			m.Enum = strings.Split(enum, ",")
		}
		inner := elementOf(f.Type)
		if inner.Kind() != reflect.Struct {
			out = append(out, m)
			continue
		}
		if m.SameAs = seen[inner]; m.SameAs != "" {
			out = append(out, m)
			continue
		}
		seen[inner] = name
		out = append(append(out, m), membersOf(inner, depth+1, seen)...)
	}
	return out
}

// jsonName is what a field is called in answers; empty if it is in none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

// elementOf is the type of what a pointer leads to or a list holds.
func elementOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// typeWords says what a value is.
func typeWords(t reflect.Type, format string) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeWords(t.Elem(), format) + " or null"
	case reflect.Slice:
		return "list of " + typeWords(t.Elem(), format) + "s"
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Bool:
		return "boolean"
	case reflect.Float64:
		return "number"
	case reflect.Int:
		return "integer"
	}
	if format == "date" {
		return "date"
	}
	return "text"
}
