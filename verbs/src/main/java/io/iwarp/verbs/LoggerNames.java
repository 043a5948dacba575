package io.iwarp.verbs;

/** Names of loggers shared by several classes. */
final class LoggerNames {
    /** The logger of a queue pair. The name is a literal, since the lower classes do not refer to that class. */
    static final String QUEUE_PAIR = "io.iwarp.verbs.QueuePair";

    private LoggerNames() {}
}
