package stats

import "encoding/json"

// Newest gives the newest fact of a kind, of several sources that of the greatest rank; nil when there is none.
func (t *Territory) Newest(kind string) *Fact {
	all := t.Facts(kind)
	if len(all) == 0 {
		return nil
	}
	return &all[len(all)-1]
}

// Read fills v from the attributes of the fact. false: they cannot be read.
func (f *Fact) Read(v any) bool { return f != nil && json.Unmarshal(f.Attrs, v) == nil }

// Envelope names the source of the fact, and the year of its period.
func (f *Fact) Envelope() Envelope { return Envelope{Source: f.From.Label(), Year: Year(f.Period)} }
