package app

import "arpent/api/geocode"

// addressIndex is what addresses and places are searched in.
func (a *App) addressIndex() derived {
	return derived{
		name: "addresses", readsFrom: func(name string) bool { return mayChange(name, geocode.Tables) },
		current: a.addresses.Current, refresh: a.addresses.Refresh, open: a.addresses.Open,
		describe: func() []any {
			x := a.addresses.Index()
			if x == nil {
				return nil
			}
			return []any{"streets", x.Counts().Streets, "places", x.Counts().Places, "bytes", x.Size()}
		},
	}
}
