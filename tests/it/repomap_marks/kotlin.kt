var count = 0
const val LIMIT = 1
fun main() {}
fun pure(x: Int): Int { return x }
fun next() { count = count + 1 }
fun load() { File("a") }
fun start() { ProcessBuilder("a") }
fun dial() { Socket("a", 1) }
fun later() { launch { pure(1) } }
