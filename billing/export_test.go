package billing

// AddPlan adds a plan to the table, until undo is called.
func AddPlan(p Plan) (undo func()) {
	former := plans
	plans = append(Plans(), p)
	return func() { plans = former }
}
