package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
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
