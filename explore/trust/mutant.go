package trust

// A mutant breaks a rule of the exploration, so that tests can show that they notice.
type mutant uint32

const (
	anyPlace   mutant = 1 << iota // maximal does not ask for writes that are later in coherence
	anyRead                       // the read that is changed need not be maximal
	noPrefix                      // what is before the new write does not stay
	onlyLast                      // the write of a changed read comes last in coherence
	onlyPlaced                    // a write without a place changes no read
	anySource                     // maximal does not ask whether the source stays
	anyReaders                    // nor whether a write has been read from before
	anyChoice                     // nor which way was taken

	// Of load buffering.
	anyCertified   // a run that certifies reads anything
	baited         // and need not read what the run has read that has promised
	anyRacy        // the read of a race need not read locally
	lastPlace      // a store that comes back comes last in coherence
	noMore         // once a cycle is certified, reads of its thread are not changed
	noOthers       // nor those of other threads that race with what it reads
	noForgets      // nor those that read what the thread knows by them alone
	noCycle        // nor is the cycle kept where they are
	byCycle        // the table knows a certified graph by what is before the cycle
	unsynchronised // fences and acquires may stand between a read and a promise
)
