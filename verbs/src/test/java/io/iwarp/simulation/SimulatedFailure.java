package io.iwarp.simulation;

/** Thrown by callbacks of the simulated application. */
final class SimulatedFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    SimulatedFailure() {
        super("a callback of the simulated application fails", null, false, false);
    }

    /** {@return whether the simulation itself has made this failure} */
    static boolean planned(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SimulatedFailure || cause instanceof OutOfMemoryError) {
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
