package box

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// object is a JSON object; numbers keep the producer's digits.
type object = map[string]json.RawMessage

// keepMembers removes the other members of an object.
func keepMembers(o object, names ...string) {
	for name := range o {
		if !slices.Contains(names, name) {
			delete(o, name)
		}
	}
}

// encodeJSON returns JSON without white space, with members in
// alphabetical order and without escapes for HTML.
func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// keepProperties keeps some properties of the features of a GeoJSON file, one feature a line. Coordinates
// stay as they are.
func keepProperties(names ...string) Conversion {
	return func(full []byte) ([]byte, error) {
		var file struct{ Features []object }
		if err := json.Unmarshal(full, &file); err != nil {
			return nil, err
		}
		var out bytes.Buffer
		out.WriteString(`{"type":"FeatureCollection","features":[`)
		for i, feature := range file.Features {
			var kept object
			if err := json.Unmarshal(feature["properties"], &kept); err != nil {
				return nil, fmt.Errorf("read the properties of feature %d: %w", i+1, err)
			}
			keepMembers(kept, names...)
			encoded, err := encodeJSON(kept)
			if err != nil {
				return nil, err
			}
			feature["properties"] = encoded
			keepMembers(feature, "type", "properties", "geometry")
			line, err := encodeJSON(feature)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteByte('\n')
			out.Write(bytes.TrimRight(line, "\n"))
		}
		out.WriteString("\n]}\n")
		return out.Bytes(), nil
	}
}

// keepListMembers keeps some members of the objects in a list, or of those that are the values of an object,
// below a member of the file.
func keepListMembers(below string, names ...string) Conversion {
	return func(full []byte) ([]byte, error) {
		var file object
		if err := json.Unmarshal(full, &file); err != nil {
			return nil, err
		}
		var list []object
		if err := json.Unmarshal(file[below], &list); err == nil {
			for _, o := range list {
				keepMembers(o, names...)
			}
			return encodeJSON(map[string]any{below: list})
		}
		var keyed map[string]object
		if err := json.Unmarshal(file[below], &keyed); err != nil {
			return nil, fmt.Errorf("read the objects below %s: %w", below, err)
		}
		for _, o := range keyed {
			keepMembers(o, names...)
		}
		return encodeJSON(map[string]any{below: keyed})
	}
}

// intercommunalBodies keeps of each body its code, its name and the codes of its communes.
func intercommunalBodies(full []byte) ([]byte, error) {
	var bodies []object
	if err := json.Unmarshal(full, &bodies); err != nil {
		return nil, err
	}
	for _, body := range bodies {
		var communes []object
		if err := json.Unmarshal(body["membres"], &communes); err != nil {
			return nil, fmt.Errorf("read the communes of %s: %w", body["code"], err)
		}
		for _, commune := range communes {
			keepMembers(commune, "code")
		}
		encoded, err := encodeJSON(communes)
		if err != nil {
			return nil, err
		}
		body["membres"] = encoded
		keepMembers(body, "code", "nom", "membres")
	}
	return encodeJSON(bodies)
}

// municipalLists keeps what is read of the results of municipal elections, one commune a line: the
// counts, and of each list its number, nuance, title, votes and seats. The rows of sectors of Paris,
// Lyon and Marseille repeat those of the cities.
func municipalLists(full []byte) ([]byte, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(full) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var commune object
		if err := json.Unmarshal(line, &commune); err != nil {
			return nil, err
		}
		if sector, there := commune["sectorCode"]; there && string(sector) != "null" {
			continue
		}
		var lists []object
		if err := json.Unmarshal(commune["candidats"], &lists); err != nil {
			return nil, fmt.Errorf("read the lists of %s: %w", commune["codeCommune"], err)
		}
		for _, list := range lists {
			keepMembers(list, "numero", "nuance", "libelleListe", "libelleAbrege", "voix", "siegesCM")
			if title := string(list["libelleListe"]); title != `""` && title != "null" && title != "" {
				delete(list, "libelleAbrege") // only read where there is no full title
			}
		}
		encoded, err := encodeJSON(lists)
		if err != nil {
			return nil, err
		}
		commune["candidats"] = encoded
		keepMembers(commune, "codeCommune", "inscrits", "votants", "blancs", "nuls", "exprimes", "candidats")
		if encoded, err = encodeJSON(commune); err != nil {
			return nil, err
		}
		out.Write(encoded)
	}
	return out.Bytes(), nil
}
