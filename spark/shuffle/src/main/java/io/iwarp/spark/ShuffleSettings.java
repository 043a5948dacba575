package io.iwarp.spark;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.SparkConf;

/**
 * The settings of the shuffle, from {@code spark.shuffle.iwarp.*} in Spark's configuration.
 *
 * @param bindAddress the address to listen at; empty for the address of the executor
 * @param port the port to listen at; 0 for one that the system chooses
 * @param advertisedPort the port that peers connect to; 0 for the one of the listener
 * @param transport {@code auto}, {@code nio} or {@code epoll}
 * @param threads the number of event loops
 * @param connectionsPerPeer the number of connections to each executor
 * @param crc whether each FPDU has a CRC
 * @param outstandingReads the maximum of Reads without a response, for each connection
 * @param maxBlockSize in bytes; larger blocks use Spark's own transport
 * @param directorySlots the maximum of map outputs that an executor publishes, a power of two
 * @param releaseDelay the time from the end of a shuffle to the close of its files
 * @param fallback whether blocks that could not be read use Spark's own transport
 * @param timeout the maximum time of a connection set-up or a response
 */
record ShuffleSettings(
        String bindAddress,
        int port,
        int advertisedPort,
        String transport,
        int threads,
        int connectionsPerPeer,
        boolean crc,
        int outstandingReads,
        long maxBlockSize,
        int directorySlots,
        Duration releaseDelay,
        boolean fallback,
        Duration timeout) {
    /** How the keys begin. */
    static final String PREFIX = "spark.shuffle.iwarp.";

    private static final Set<String> TRANSPORTS = Set.of("auto", "nio", "epoll");
    private static final int DEFAULT_THREADS = 8;
    private static final int MAX_PORT = 65_535;
    private static final int MAX_THREADS = 1024;
    private static final int MAX_CONNECTIONS = 64;
    private static final int MAX_OUTSTANDING_READS = 16_382;
    /** With these a directory takes 64 MiB of direct memory. */
    private static final int MAX_SLOTS = 1 << 20;

    private static final int MIN_SLOTS = 64;
    private static final Duration MAX_DELAY = Duration.ofDays(1);
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);

    /**
     * Returns the settings of an application.
     *
     * @throws IllegalArgumentException if a setting is out of range; the message names key, value and range
     */
    static ShuffleSettings from(SparkConf conf) {
        String transport = conf.get(PREFIX + "transport", "auto").toLowerCase(Locale.ROOT);
        if (!TRANSPORTS.contains(transport)) {
            throw new IllegalArgumentException(
                    PREFIX + "transport is \"" + transport + "\"; set it to auto, nio or epoll");
        }
        int slots = within(conf, "directorySlots", 1 << 16, MIN_SLOTS, MAX_SLOTS);
        if (Integer.bitCount(slots) != 1) {
            throw new IllegalArgumentException(PREFIX + "directorySlots is " + slots
                    + "; set it to a power of two, such as " + Integer.highestOneBit(slots));
        }
        long maxBlockSize = conf.getSizeAsBytes(PREFIX + "maxBlockSize", "64k");
        if (maxBlockSize < 0) {
            throw new IllegalArgumentException(
                    PREFIX + "maxBlockSize is " + maxBlockSize + "; set it to at least 0 bytes");
        }
        return new ShuffleSettings(
                conf.get(PREFIX + "bindAddress", ""),
                within(conf, "port", 0, 0, MAX_PORT),
                within(conf, "advertisedPort", 0, 0, MAX_PORT),
                transport,
                within(
                        conf,
                        "threads",
                        Math.min(DEFAULT_THREADS, Runtime.getRuntime().availableProcessors()),
                        1,
                        MAX_THREADS),
                within(conf, "connectionsPerPeer", 1, 1, MAX_CONNECTIONS),
                conf.getBoolean(PREFIX + "crc", true),
                within(conf, "outstandingReads", 128, 1, MAX_OUTSTANDING_READS),
                maxBlockSize,
                slots,
                delay(conf, "releaseDelay", "30s"),
                conf.getBoolean(PREFIX + "fallback", true),
                timeout(conf));
    }

    private static int within(SparkConf conf, String name, int value, int min, int max) {
        int set = conf.getInt(PREFIX + name, value);
        if (set < min || set > max) {
            throw new IllegalArgumentException(PREFIX + name + " is " + set + "; set it to " + min + " to " + max);
        }
        return set;
    }

    /** Spark reads a network timeout without a unit as seconds. One above the maximum is reduced to it. */
    private static Duration timeout(SparkConf conf) {
        boolean own = conf.contains(PREFIX + "timeout");
        String key = own ? PREFIX + "timeout" : "spark.network.timeout";
        Duration set = own
                ? Duration.ofMillis(conf.getTimeAsMs(key))
                : Duration.ofSeconds(Math.min(conf.getTimeAsSeconds(key, "120s"), MAX_DELAY.toSeconds()));
        if (set.compareTo(MIN_TIMEOUT) < 0 || set.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException(key + " is " + conf.get(key) + "; set it, or " + PREFIX
                    + "timeout, to 1 ms to 1 day, such as 120s");
        }
        return set;
    }

    private static Duration delay(SparkConf conf, String name, String value) {
        Duration set = Duration.ofMillis(conf.getTimeAsMs(PREFIX + name, value));
        if (set.isNegative() || set.compareTo(MAX_DELAY) > 0) {
            throw new IllegalArgumentException(
                    PREFIX + name + " is " + conf.get(PREFIX + name) + "; set it to 0 to 1 day, such as 30s");
        }
        return set;
    }

    /** Returns why the shuffles of an application use Spark's own transport, or an empty text. */
    static String reasonAgainst(SparkConf conf) {
        return conf.getBoolean("spark.shuffle.service.enabled", false)
                ? "spark.shuffle.service.enabled is true, and the external shuffle service has no RDMA Reads: set it to"
                        + " false to use them"
                : "";
    }
}
