#include <fencepost.h>
