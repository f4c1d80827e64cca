class A {
  static int count;
  static final int LIMIT = 1;
  int own;
  public static void main(String[] a) {}
  int pure(int x) { int y = x; return y; }
  void next() { count++; }
  void load() { Files.readString(p); }
  void start() { Runtime.getRuntime().exec(x); }
  void dial() { new Socket(h, 1); }
  synchronized void later() {}
  @GetMapping("/x")
  void page() {}
}
