package io.iwarp.simulation;

/** Thrown by callbacks of the simulated application. */
final class SimulatedFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    SimulatedFailure() {
        super("a callback of the simulated application fails", null, false, false);
    }

    /** Thrown by callbacks that are not written in Java, or deceive the compiler. */
    static final class Checked extends Exception {
        private static final long serialVersionUID = 1;

        Checked() {
            super("a callback of the simulated application fails", null, false, false);
        }
    }

    /** Thrown by callbacks that find something broken. */
    static final class Broken extends Error {
        private static final long serialVersionUID = 1;

        Broken() {
            super("a callback of the simulated application finds something broken", null, false, false);
        }
    }

    /** Throws one of the above out of code that declares none. */
    @SuppressWarnings("unchecked") // the type is erased
    static <E extends Throwable> void throwAny(Dice dice) throws E {
        throw (E) dice.oneOf(new SimulatedFailure(), new Checked(), new Broken());
    }

    /** Returns whether the simulation itself has made this failure. */
    static boolean planned(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SimulatedFailure
                    || cause instanceof Checked
                    || cause instanceof Broken
                    || cause instanceof OutOfMemoryError) {
                return true;
            }
            for (Throwable suppressed : cause.getSuppressed()) {
                if (planned(suppressed)) {
                    return true;
                }
            }
        }
        return false;
    }
}
