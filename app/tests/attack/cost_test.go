//go:build !soak

package attack_test

import "arpent/auth/password"

// Passwords cost next to nothing to hash here, but in soak tests, which measure how long a sign-in takes.
func init() { password.Cost.Memory, password.Cost.Iterations = 2*1024, 1 }
