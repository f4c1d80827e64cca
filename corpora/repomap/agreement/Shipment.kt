package shipping

interface Carrier {
    fun price(weight: Int): Int
}

enum class Size { SMALL, LARGE }

class Parcel(val weight: Int, val size: Size) {
    fun isHeavy(): Boolean = weight > 20

    fun split(parts: Int): List<Parcel> {
        return List(parts) { Parcel(weight / parts, size) }
    }
}

class Post : Carrier {
    override fun price(weight: Int): Int {
        return 100 + weight * 10
    }
}

fun cheapest(carriers: List<Carrier>, parcel: Parcel): Carrier {
    return carriers.minBy { it.price(parcel.weight) }
}
