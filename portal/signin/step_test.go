package signin

import (
	"testing"
	"time"
)

// Whatever an address caused, the answer about it is sent at a step of the clock: work of up to a step cannot be distinguished
// from none.
func TestAnswersLeaveAtSteps(t *testing.T) {
	t.Parallel()
	for spent, leaves := range map[time.Duration]time.Duration{
		0:                       step,
		time.Millisecond:        step,
		41 * time.Millisecond:   step,
		step - 1:                step,
		step:                    2 * step,
		step + time.Millisecond: 2 * step,
		time.Second:             time.Second + step,
	} {
		if got := spent + remaining(spent); got != leaves {
			t.Errorf("after work of %v the answer leaves at %v, want %v", spent, got, leaves)
		}
	}
}
