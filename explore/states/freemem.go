package states

// defaultFree is how much memory a machine is taken to have free where it does
// not say: 2 GiB.
const defaultFree = 2 << 30
