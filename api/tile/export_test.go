package tile

import "time"

// What tests say of tiles holds however long a busy machine takes to make them.
func init() { makeTimeout, waitTimeout = time.Hour, time.Hour }
