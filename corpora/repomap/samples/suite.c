#include "suite.h"

#define COUNT(x) \
    do { /* not \
          * yet */ \
        (x)++; \
    } while (0)

SUITE_API int
count(int x);

/* Checks that nothing is lost. */
TEST_BEGIN(test_nothing_is_lost) {
    int x = count(1);
    expect(x, 1);
}
TEST_END

static SUITE_INLINE void
reset(struct counter *c) {
    c->value = 0;
}

SUITE_API int SUITE_CALL
count(int x) SUITE_PURE {
    COUNT(x);
    ENSURE(x > 0)
    const int y = x;
    switch (x) {
    case LIMIT:
        return FIRST(x)
            + 1;
    }
ERROR:
    return y;
}

struct SUITE_PACKED counter {
    unsigned FLAGS : 3;
    int (*visit)(int) SUITE_ATTR;
};

struct LIST list = {
    FIRST
};

SUITE_ALIGNED(16)
const int table[] = { 1, 2 };

DWORD WINAPI
run(LPVOID argument) {
    return 0;
}
