package bank;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An account of a customer. */
public class Account {
    private final String id;
    private final List<Movement> movements = new ArrayList<>();

    public Account(String id) {
        this.id = id;
    }

    /** Puts money in. */
    public void deposit(long cents) {
        check(cents);
        movements.add(new Movement(Kind.DEPOSIT, cents));
    }

    public void withdraw(long cents) throws RefusedException {
        check(cents);
        if (balance() < cents) {
            throw new RefusedException(id);
        }
        movements.add(new Movement(Kind.WITHDRAWAL, -cents));
    }

    public long balance() {
        long sum = 0;
        for (Movement movement : movements) {
            sum += movement.cents();
        }
        return sum;
    }

    public Optional<Movement> last() {
        return movements.isEmpty() ? Optional.empty() : Optional.of(movements.get(movements.size() - 1));
    }

    private static void check(long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("nothing is moved");
        }
    }

    @Override
    public String toString() {
        return id + ": " + balance();
    }

    enum Kind {
        DEPOSIT,
        WITHDRAWAL
    }

    static final class Movement {
        private final Kind kind;
        private final long cents;

        Movement(Kind kind, long cents) {
            this.kind = kind;
            this.cents = cents;
        }

        long cents() {
            return cents;
        }

        Kind kind() {
            return kind;
        }
    }
}

interface Accounts {
    Account open(String id);

    Account find(String id);
}

class RefusedException extends Exception {
    RefusedException(String id) {
        super("refused: " + id);
    }
}
