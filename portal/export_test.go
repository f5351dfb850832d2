package portal

var (
	SetStatus = setStatus
	UntilStep = untilStep
)

const Step = step
