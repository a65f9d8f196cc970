package engine

import "sync"

// registered is what registry made when it was asked first: a command asks about each of its flags.
var registered struct {
	once    sync.Once
	engines []Engine
}

// registry is the engines, in the order in which lists show them; nobody changes it. A new one is a line
// here. Explicit search comes before the others, since it is what they are compared with, and so does the search for attacks.
func registry() []Engine {
	registered.once.Do(func() {
		registered.engines = []Engine{
			autoEngine(),
			explicitEngine(),
			robustEngine(),
			bmcEngine(),
			lazyEngine(),
			ic3Engine(),
			kinductionEngine(),
			saturationEngine(),
			cegarEngine(),
			localizeEngine(),
			multisetEngine(),
			setEngine(),
			coherenceEngine(),
			executionsEngine(),
			rvfEngine(),
			graphsEngine(),
		}
	})
	return registered.engines
}
