package types

// A LibraryType is a type of the threads' library. Whatever the headers make of it that a
// program was preprocessed with, it is what the functions of the library, as they are modelled,
// work on.
type LibraryType struct {
	Of     string   // a function that works on it
	Fields []string // of type int
	Wide   bool     // of type long
}

// Library are these types, by their names.
var Library = map[string]LibraryType{
	"pthread_mutex_t":       {Of: "pthread_mutex_lock", Fields: []string{"__owner", "__depth", "__kind"}},
	"pthread_mutexattr_t":   {Of: "pthread_mutexattr_init", Fields: []string{"__kind"}},
	"pthread_attr_t":        {Of: "pthread_create", Fields: []string{"__detached", "__stack"}, Wide: true},
	"pthread_cond_t":        {Of: "pthread_cond_wait", Fields: []string{"__waiting"}},
	"pthread_condattr_t":    {Of: "pthread_cond_wait", Fields: []string{"__unused"}},
	"pthread_rwlock_t":      {Of: "pthread_rwlock_rdlock", Fields: []string{"__writer", "__readers"}, Wide: true},
	"pthread_rwlockattr_t":  {Of: "pthread_rwlock_rdlock", Fields: []string{"__unused"}},
	"pthread_spinlock_t":    {Of: "pthread_spin_lock", Fields: []string{"__owner"}},
	"pthread_barrier_t":     {Of: "pthread_barrier_wait", Fields: []string{"__need", "__waiting", "__round", "__left"}},
	"pthread_barrierattr_t": {Of: "pthread_barrier_wait", Fields: []string{"__unused"}},
	"pthread_once_t":        {Of: "pthread_once", Fields: []string{"__state"}},
	"mtx_t":                 {Of: "mtx_lock", Fields: []string{"__owner", "__depth", "__kind"}},
	"cnd_t":                 {Of: "cnd_wait", Fields: []string{"__waiting"}},
	"once_flag":             {Of: "call_once", Fields: []string{"__state"}},
	"sem_t":                 {Of: "sem_wait", Fields: []string{"__count"}},
}
