package rvf

// A mutant breaks a rule of the exploration, so that tests can show that they notice.
type mutant uint8

const (
	initAgain    mutant = 1 << iota // a read that is tried again may read the initial write
	sharedCausal                    // what has been tried in a call is tried for its children, too
	oldSignals                      // after a read that was tried before, too, the others wait for signals
	noOwn                           // a read does not see the last write of its own thread
	greedyHalves                    // the read of a read-modify-write is done as soon as it can be
	heldEarly                       // a cell is held by a read that can still read a write to come
	countsOnly                      // the search does not tell which writes the cells have
)
