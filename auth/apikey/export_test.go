package apikey

import "time"

// What an index holds in tests came by notification, and a busy machine may take its time to read it.
func init() { readTimeout, refreshEvery = time.Hour, time.Hour }

// Overlaps are the times for which a key that is rotated can be kept, the shortest first.
var Overlaps = overlaps
