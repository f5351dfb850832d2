package fetch

import "errors"

// DateIn is the date in the name of a file.
var DateIn = dateIn

// IsTemporary reports whether another attempt may succeed after an error.
func IsTemporary(err error) bool {
	var again *temporary
	return errors.As(err, &again)
}
