package app

import (
	"os"
	"runtime/debug"
)

// memoryTarget is what the collector works harder for rather than let the process grow beyond it.
const memoryTarget = 300 << 20

// limitMemory sets the target, unless whoever runs the process has chosen one: the runtime has read GOMEMLIMIT before.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryTarget)
	}
}
