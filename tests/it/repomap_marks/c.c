static int count;
static const int limit = 1;
int main(void) { return 0; }
int pure(int x) { int y = x; return y; }
void next(void) { count++; }
void load(void) { fopen(p, m); }
void start(void) { system(c); }
int dial(void) { return socket(1, 2, 3); }
void later(void) { pthread_create(a, b, c, d); }
