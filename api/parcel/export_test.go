package parcel

// Queries are the statements that the plan test explains, with arguments that find something in its table.
var Queries = map[string]struct {
	SQL, Args string
}{
	"find":          {findPlain, `('930110000A0150')`},
	"commune":       {parcelIsServed, `('930110000A0150')`},
	"find geometry": {findGeometry, `('930110000A0150')`},
	"at":            {findAt, `(2.5, 48.5, 2.5000001, 48.5000001)`},
	"gone":          {findGone, `('932000000A0150')`},
	"renamed":       {findRenamed, `('939990000A0004')`},
	"loaded":        {parcelsAreLoaded, `('93011')`},
	"around":        {parcelsAround, `('930110000A0150', 90)`},
	"near":          {parcelNear, `(2.5, 48.5, 30)`},
}
