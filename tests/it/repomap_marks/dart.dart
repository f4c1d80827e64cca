int count = 0;
const limit = 1;
void main() {}
int pure(int x) { return x; }
void next() { count = count + 1; }
void load() { File('a'); }
void start() { Process.run('a', []); }
void dial() { HttpClient(); }
void later() { Isolate.spawn(pure, 1); }
