package format

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"arpent/api/source"
)

// What can be said of some formats only.
var (
	unpivotFormats = []source.Format{source.CSV, source.Spreadsheet, source.Parquet, source.JSON, source.JSONLines, source.GeoJSON}
	repeatFormats  = []source.Format{source.CSV, source.Spreadsheet}
)

// parameter is a parameter of a statement, which the rows of a source cannot have.
var parameter = regexp.MustCompile(`\$[0-9]`)

// Check returns an error for a declaration that contradicts itself.
func Check(s source.Source) error {
	read := s.Read
	switch {
	case parameter.MatchString(s.Rows):
		return errors.New("its Rows have a parameter, which nothing fills")
	case read.Unpivot != nil && !slices.Contains(unpivotFormats, read.Format):
		return fmt.Errorf("its Unpivot is not for the format %s", read.Format)
	case read.Repeat != nil && !slices.Contains(repeatFormats, read.Format):
		return fmt.Errorf("its Repeat is not for the format %s", read.Format)
	case read.Unpivot != nil && read.Repeat != nil:
		return errors.New("a record is split by Unpivot or by Repeat, not by both")
	case read.Repeat != nil && len(read.Repeat.Names) == 0:
		return errors.New("its Repeat has no Names")
	case read.Keyed && read.Format != source.JSON:
		return fmt.Errorf("its Keyed is not for the format %s", read.Format)
	case cmp.Or(read.Sheet, read.HeaderCell) != "" && read.Format != source.Spreadsheet:
		return fmt.Errorf("its Sheet and HeaderCell are not for the format %s", read.Format)
	case read.HeaderCell != "" && read.Skip > 0:
		return errors.New("the header is found by HeaderCell or by Skip, not by both")
	}
	for _, expr := range []string{read.Sheet, read.HeaderCell} {
		if _, err := regexp.Compile(expr); err != nil {
			return err
		}
	}
	if _, err := compileUnpivot(read.Unpivot); err != nil {
		return err
	}
	return checkMade(s)
}

// checkMade returns an error for columns that read a field which nothing makes: they would always be empty.
func checkMade(s source.Source) error {
	unpivot, repeat, keyed := s.Read.Unpivot != nil, s.Read.Repeat != nil, s.Read.Keyed
	made := map[string]bool{
		"_measure": unpivot, "_period": unpivot, "_missing": unpivot, "_value": unpivot || keyed, "_group": repeat, "_key": keyed,
	}
	for _, col := range s.Columns {
		empty := len(col.From) > 0
		for _, name := range col.From {
			is, special := made[name]
			empty = empty && special && !is
		}
		if empty {
			return fmt.Errorf("its column %s is read from %q, which needs Unpivot, Repeat or Keyed", col.Name, col.From)
		}
	}
	return nil
}
