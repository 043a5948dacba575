package io.iwarp.simulation;

/** What a processor can run: an event loop, or a thread of the application. */
interface Context {
    /** Never: nothing to do unless another context does something. */
    long NEVER = Long.MAX_VALUE;

    /** Returns the time from which there is something to do, or {@link #NEVER}. */
    long runnableAt();

    /** Does one thing. */
    void step();
}
