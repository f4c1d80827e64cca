class A {
  static int count;
  const int Limit = 1;
  int own;
  static void Main() {}
  int Pure(int x) { return x; }
  void Next() { count++; }
  void Load() { File.ReadAllText(p); }
  void Start() { Process.Start(x); }
  void Dial() { new HttpClient(); }
  async Task Later() {}
  [HttpGet]
  void Page() {}
}
