package io.iwarp.mpa;

import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ranges of {@link MpaSettings}, and which settings contradict each other. */
final class MpaSettingsRules {
    private static final Duration MIN_STARTUP_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_STARTUP_TIMEOUT = Duration.ofHours(24);
    private static final Duration MAX_FIRST_FPDU_DELAY = Duration.ofSeconds(10);
    private static final Duration MIN_FPDU_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_FPDU_TIMEOUT = Duration.ofHours(24);

    private static final Logger LOG = LoggerFactory.getLogger("io.iwarp.mpa.MpaSettings");
    /**
     * Whether the warning was logged. Settings may be made for each connection, and nobody reads a log that repeats
     * itself.
     */
    private static final AtomicBoolean WARNED_OF_CRC_OFF = new AtomicBoolean();

    private MpaSettingsRules() {}

    static void checkSizes(int emss, int maximumUlpdu) {
        if (emss < 0 || emss > MpaSettings.MAX_EMSS) {
            throw new IllegalArgumentException(
                    "emss is " + emss + " bytes, allowed are 1 to " + MpaSettings.MAX_EMSS + ", or 0 for automatic");
        }
        if (maximumUlpdu < MpaSettings.MIN_MULPDU || maximumUlpdu > MpaSettings.MAX_MULPDU) {
            throw new IllegalArgumentException("maximumUlpdu is " + maximumUlpdu + " bytes, allowed are "
                    + MpaSettings.MIN_MULPDU + " to " + MpaSettings.MAX_MULPDU);
        }
    }

    static void warnOfCrcOff(boolean crc) {
        if (!crc && WARNED_OF_CRC_OFF.compareAndSet(false, true)) {
            LOG.warn("The settings of a connection turn CRC32C off. TCP's checksum lets errors through, and they end in"
                    + " registered memory. Use crc(true), the default, unless something as strong protects the bytes"
                    + " from end to end, such as TLS (RFC 5044, section 4.4).");
        }
    }

    static void checkStartupTimeout(Duration timeout) {
        if (timeout.compareTo(MIN_STARTUP_TIMEOUT) < 0 || timeout.compareTo(MAX_STARTUP_TIMEOUT) > 0) {
            throw new IllegalArgumentException("startupTimeout is " + timeout + ", allowed are " + MIN_STARTUP_TIMEOUT
                    + " to " + MAX_STARTUP_TIMEOUT);
        }
    }

    static void checkFpduTimes(Duration firstFpduDelay, Duration fpduTimeout) {
        if (firstFpduDelay.isNegative() || firstFpduDelay.compareTo(MAX_FIRST_FPDU_DELAY) > 0) {
            throw new IllegalArgumentException(
                    "firstFpduDelay is " + firstFpduDelay + ", allowed are 0 to " + MAX_FIRST_FPDU_DELAY);
        }
        if (!fpduTimeout.isZero()
                && (fpduTimeout.compareTo(MIN_FPDU_TIMEOUT) < 0 || fpduTimeout.compareTo(MAX_FPDU_TIMEOUT) > 0)) {
            throw new IllegalArgumentException("fpduTimeout is " + fpduTimeout + ", allowed are " + MIN_FPDU_TIMEOUT
                    + " to " + MAX_FPDU_TIMEOUT + ", or 0 for none");
        }
    }

    static void checkDepths(int ird, int ord) {
        checkDepth("ird", ird);
        checkDepth("ord", ord);
    }

    private static void checkDepth(String name, int depth) {
        if (depth < 0 || depth > EnhancedSetup.MAX_DEPTH) {
            throw new IllegalArgumentException(name + " is " + depth + ", allowed are 0 to " + EnhancedSetup.MAX_DEPTH
                    + "; to leave it to the ULPs turn negotiateDepths off");
        }
    }

    static void checkRevision(int revision, boolean enhanced, StartMode start) {
        if (revision < MpaRevisions.PLAIN || revision > MpaRevisions.ENHANCED) {
            throw new IllegalArgumentException("revision is " + revision + ", allowed are " + MpaRevisions.PLAIN
                    + " and " + MpaRevisions.ENHANCED);
        }
        if (enhanced && revision < MpaRevisions.ENHANCED) {
            throw new IllegalArgumentException("the enhanced set-up and the peer-to-peer model need revision "
                    + MpaRevisions.ENHANCED + ", but revision is " + revision);
        }
        if (enhanced && start == StartMode.PREAGREED) {
            throw new IllegalArgumentException("a pre-agreed start sends no frame that could carry the enhanced set-up;"
                    + " use REQUEST_REPLY, or turn enhanced and peerToPeer off");
        }
    }

    /** Returns an unmodifiable copy of the kinds of ready-to-receive message; refuses an empty set. */
    static Set<ReadyToReceive> copyOf(Set<ReadyToReceive> kinds) {
        if (kinds.isEmpty()) {
            throw new IllegalArgumentException(
                    "readyToReceive is empty: name at least one kind (RFC 6581, section 9.2)");
        }
        return Collections.unmodifiableSet(EnumSet.copyOf(kinds));
    }
}
