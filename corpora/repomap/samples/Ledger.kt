package books.ledger

import java.io.File
import java.time.LocalDate
import kotlin.concurrent.thread

typealias Amount = Long

/** A line of the ledger. */
data class Entry(val day: LocalDate, val amount: Amount)

// Not documentation.
sealed interface Outcome {
    object Booked : Outcome
    data class Refused(val reason: String) : Outcome
}

/** The side of an account. */
enum class Side { DEBIT, CREDIT }

/**
 * Keeps entries in order.
 * It isn't thread-safe.
 */
open class Ledger(private val name: String) : Iterable<Entry> {
    private val entries = mutableListOf<Entry>()

    /** The sum of all entries. */
    val total: Amount
        get() = entries.sumOf { it.amount }

    override fun iterator(): Iterator<Entry> = entries.iterator()

    /** Adds an entry, or refuses it. */
    fun book(entry: Entry): Outcome {
        if (!isValid(entry)) return Outcome.Refused("zero")
        entries.add(entry)
        return Outcome.Booked
    }

    private fun isValid(entry: Entry): Boolean = entry.amount != 0L

    companion object {
        const val LIMIT = 1000

        @JvmStatic
        fun open(path: String): Ledger = Ledger(File(path).readText())
    }
}

fun Ledger.save(path: String) {
    File(path).writeText(this.total.toString())
}

suspend fun <T> retry(times: Int, action: suspend () -> T): T {
    repeat(times - 1) { runCatching { return action() } }
    return action()
}

fun main(args: Array<String>) {
    val ledger = Ledger.open(args[0])
    thread { ledger.save("copy.txt") }
}
