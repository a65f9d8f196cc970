package trust

// A mutant breaks a rule of the exploration, so that tests can show that they notice.
type mutant uint16

const (
	anyPlace   mutant = 1 << iota // maximal does not ask for writes that are later in coherence
	anyRead                       // the read that is changed need not be maximal
	noPrefix                      // what is before the new write does not stay
	onlyLast                      // the write of a changed read comes last in coherence
	onlyPlaced                    // a write without a place changes no read
	anySource                     // maximal does not ask whether the source stays
	anyReaders                    // nor whether a write has been read from before
	anyChoice                     // nor which way was taken
)
