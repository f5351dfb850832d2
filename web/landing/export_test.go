package landing

import "time"

// Tests of what is admitted hold however long a busy machine takes to answer, and do not wait for what is
// refused.
func init() { findTimeout, slotTimeout = time.Hour, 10*time.Millisecond }
