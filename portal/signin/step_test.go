package signin

import (
	"testing"
	"time"
)

// Whatever an address caused, the answer about it is sent at a step of the clock: work of up
// to a step cannot be distinguished from none.
func TestAnswersLeaveAtSteps(t *testing.T) {
	t.Parallel()
	for spent, leaves := range map[time.Duration]time.Duration{
		0:                               responseStep,
		time.Millisecond:                responseStep,
		41 * time.Millisecond:           responseStep,
		responseStep - 1:                responseStep,
		responseStep:                    2 * responseStep,
		responseStep + time.Millisecond: 2 * responseStep,
		time.Second:                     time.Second + responseStep,
	} {
		if got := spent + timeToStep(spent); got != leaves {
			t.Errorf("after work of %v the answer leaves at %v, want %v", spent, got, leaves)
		}
	}
}
