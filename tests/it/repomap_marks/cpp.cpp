namespace a {
int count = 0;
int main() { return 0; }
int pure(int x) { return x; }
class B {
  void next() { count = 1; }
  void load() { std::ifstream in(p); }
  void later() { std::lock_guard<std::mutex> l(m); }
};
void start() { std::system(c); }
int dial() { return connect(s, a, n); }
}
