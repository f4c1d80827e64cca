package a
var count int
const limit = 1
func main() {}
func pure(x int) int { y := x; return y }
func next() { count++ }
func load() { os.ReadFile(p) }
func start() { exec.Command("x") }
func dial() { http.Get(u) }
func later() { go pure(1) }
