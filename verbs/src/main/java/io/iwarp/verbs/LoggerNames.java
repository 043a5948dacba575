package io.iwarp.verbs;

/** Names of loggers that several classes write to. */
final class LoggerNames {
    /** What concerns one queue pair; the name of that class, which the classes below do not refer to. */
    static final String QUEUE_PAIR = "io.iwarp.verbs.QueuePair";

    private LoggerNames() {}
}
