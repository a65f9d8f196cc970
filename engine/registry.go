package engine

// registry is the engines, in the order in which lists show them. A new one is a line
// here. Explicit search comes before the others, since it is what they are compared with, and so does the search for attacks.
func registry() []Engine {
	return []Engine{
		autoEngine(),
		explicitEngine(),
		robustEngine(),
		bmcEngine(),
		lazyEngine(),
		ic3Engine(),
		kinductionEngine(),
		saturationEngine(),
		cegarEngine(),
		multisetEngine(),
		setEngine(),
		coherenceEngine(),
		executionsEngine(),
		rvfEngine(),
		graphsEngine(),
	}
}
