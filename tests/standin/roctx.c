/* ROCTX as far as the backend uses it. */
#include "standin.h"

static int depth;

int roctxRangePushA(const char *name) {
    say("range %s", name);
    return depth++;
}

int roctxRangePop(void) {
    if (!depth) say("misuse: no range");
    return --depth;
}
