/* Ring buffers. */
#include <stdio.h>
#include "ring.h"

#define RING_SIZE 64
#define RING_GUARD
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* Where bytes wait. */
struct ring {
    char data[RING_SIZE];
    size_t head, tail;
};

typedef struct {
    int x, y;
} point_t;

typedef struct ring ring_t;

typedef int (*visit_fn)(ring_t *ring, void *user);

enum mode { READ, WRITE };

union word { int i; float f; };

static int opened = 0;
extern const char *names[];
const char *version = "1.0";

int ring_get(ring_t *ring);
static void *make(size_t size);

// Puts one byte in.
int ring_put(ring_t *ring, char byte)
{
    int next = (ring->head + 1) % RING_SIZE;
    extern int other(void);
    struct ring copy = *ring;
    if (next == ring->tail)
        return -1;
    return MIN(next, store(ring, byte));
}

static inline const char *
name_of(enum mode mode)
{
    return names[mode];
}

void **table(void) { return 0; }

int main(int argc, char **argv) { ring_t r; r.visit(&r); return ring_put(&r, 'x'); }

int RING_NAME(clear)(ring_t *ring);

/* A macro completes the name. */
int RING_NAME(reset)(ring_t *ring)
{
    return RING_NAME(clear)(ring);
}
