// SAFE
#include <string.h>
#include <stdlib.h>
#include <assert.h>
char *v;
int main() { v = malloc(sizeof(char) * 8); strcpy(v, "Bigshot"); assert(v[0] == 'B' && strlen(v) == 7); assert(strcmp(v, "Bigshot") == 0); assert(strncmp(v, "Bigfoot", 3) == 0 && strcmp(v, "Bih") < 0);
 char b[8]; memmove(b, v, 8); assert(memcmp(b, v, 8) == 0); strncpy(b, "ab", 8); assert(b[2] == 0 && b[1] == 'b'); return 0; }
