package enrich

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// CheckValue compares a value with the type that documents the key: no member that the type lacks, and none that the
// value lacks where the type promises it.
func CheckValue(k Key, value []byte) error {
	v := reflect.New(reflect.TypeOf(k.Value))
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(v.Interface()); err != nil {
		return err
	}
	var got any
	if err := json.Unmarshal(value, &got); err != nil {
		return err
	}
	again, err := json.Marshal(v.Interface())
	if err != nil {
		return err
	}
	var want any
	if err := json.Unmarshal(again, &want); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the documented type holds %s", again)
	}
	return nil
}

// OutOfContract lists what is wrong with the table of keys.
func OutOfContract() error {
	var faults []error
	keys := Keys()
	for i, name := range contract {
		switch {
		case !slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name }):
			faults = append(faults, fmt.Errorf("no query has the key %s", name))
		case keys[min(i, len(keys)-1)].Name != name:
			faults = append(faults, fmt.Errorf("%s is not at its place", name))
		}
	}
	for _, k := range keys {
		if k.Doc == "" || k.Value == nil || len(k.Layers) == 0 || k.Group == "" || !slices.Contains(contract, k.Name) {
			faults = append(faults, fmt.Errorf("%s lacks something", k.Name))
		}
	}
	return errors.Join(faults...)
}
