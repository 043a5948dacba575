package io.iwarp.internal.mpa;

import io.iwarp.ProtocolError;
import io.iwarp.internal.ProtocolFault;
import io.iwarp.mpa.MpaParameters;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.mpa.ReadyToReceive;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the enhanced connection set-up: the depths and RTR kinds of our frames, and the result of the two frames
 * (RFC 6581 sections 9.1 and 9.2).
 *
 * <pre>
 *               Request                      Reply                       afterwards
 *
 *   initiator   IRD i, ORD o                                             ORD = min(o, IRD of the Reply)
 *   responder                IRD = min(own, o), 1 at least for a Read    IRD and ORD as in its Reply
 *                            RTR; ORD = min(own, i)
 * </pre>
 *
 * <p>If one end sends {@link MpaParameters#NOT_NEGOTIATED} for a depth, so does the other, and both keep the depths of
 * their settings.
 */
final class SetupNegotiation {

    private SetupNegotiation() {}

    /** Returns the set-up data of our Request Frame. */
    static EnhancedSetup request(MpaSettings settings) {
        return EnhancedSetup.of(
                settings.peerToPeer(),
                settings.readyToReceive(),
                settings.negotiateDepths() ? settings.ird() : MpaParameters.NOT_NEGOTIATED,
                settings.negotiateDepths() ? settings.ord() : MpaParameters.NOT_NEGOTIATED);
    }

    /** Returns the set-up data of our Reply Frame to a Request Frame with {@code asked}. */
    static EnhancedSetup reply(MpaSettings settings, EnhancedSetup asked) {
        return EnhancedSetup.of(
                asked.peerToPeer(),
                replyKinds(settings, asked),
                isNegotiated(asked.ord()) ? responderIrd(settings, asked) : MpaParameters.NOT_NEGOTIATED,
                isNegotiated(asked.ird()) ? responderOrd(settings, asked) : MpaParameters.NOT_NEGOTIATED);
    }

    /**
     * Returns the set-up data of a Reply Frame that rejects a request because the initiator's IRD is too small.
     *
     * @param requiredOrd the ORD the responder needs, 0 to 16382
     */
    static EnhancedSetup rejection(MpaSettings settings, EnhancedSetup asked, int requiredOrd) {
        EnhancedSetup reply = reply(settings, asked);
        return isNegotiated(asked.ird())
                ? EnhancedSetup.of(reply.peerToPeer(), reply.readyToReceive(), reply.ird(), requiredOrd)
                : reply;
    }

    /** Sets the result at the responder, which replies to the set-up {@code asked} with {@link #reply}. */
    static void negotiateAsResponder(AgreedParameters.Builder agreed, MpaSettings settings, EnhancedSetup asked) {
        agreed.negotiated(responderIrd(settings, asked), responderOrd(settings, asked), asked.ird(), asked.ord())
                .readyToReceive(asked.peerToPeer(), asked.peerToPeer() ? replyKinds(settings, asked) : Set.of(), null);
    }

    /** Sets the result at the initiator that asked with {@link #request}. */
    static void negotiateAsInitiator(AgreedParameters.Builder agreed, MpaSettings settings, EnhancedSetup replied) {
        int ord = isNegotiated(replied.ird()) ? Math.min(settings.ord(), replied.ird()) : settings.ord();
        agreed.negotiated(settings.ird(), ord, replied.ird(), replied.ord())
                .readyToReceive(
                        settings.peerToPeer(),
                        settings.peerToPeer() ? replied.readyToReceive() : Set.of(),
                        initiatorFault(settings, replied) == null ? firstMessage(settings, replied) : null);
    }

    /** Returns why the initiator that asked with {@link #request} must end the connection with a Terminate, or null. */
    static @Nullable ProtocolFault initiatorFault(MpaSettings settings, EnhancedSetup replied) {
        if (isNegotiated(replied.ord()) && replied.ord() > settings.ird()) {
            return new ProtocolFault(
                    ProtocolError.MPA_INSUFFICIENT_IRD,
                    "the peer needs " + replied.ord() + " outstanding Reads, which exceeds our ird of " + settings.ird()
                            + "; raise ird");
        }
        if (replied.peerToPeer() != settings.peerToPeer()) {
            return new ProtocolFault(
                    ProtocolError.MPA_NO_MATCHING_RTR,
                    settings.peerToPeer()
                            ? "the peer chose the client-server model; this side requested the peer-to-peer model"
                            : "the peer chose the peer-to-peer model; this side requested the client-server model");
        }
        if (settings.peerToPeer() && firstMessage(settings, replied) == null) {
            return new ProtocolFault(
                    ProtocolError.MPA_NO_MATCHING_RTR,
                    "the peer takes a ready-to-receive message of kind " + replied.readyToReceive() + " with an IRD of "
                            + replied.ird() + ", we can send " + settings.readyToReceive()
                            + ": allow one kind at both ends");
        }
        return null;
    }

    /**
     * Returns the requested kinds that this end accepts; if there are none, all kinds that it accepts, for the
     * initiator to see.
     */
    private static Set<ReadyToReceive> replyKinds(MpaSettings settings, EnhancedSetup asked) {
        EnumSet<ReadyToReceive> common = EnumSet.copyOf(settings.readyToReceive());
        common.retainAll(asked.readyToReceive());
        return common.isEmpty() ? settings.readyToReceive() : common;
    }

    private static int responderIrd(MpaSettings settings, EnhancedSetup asked) {
        int ird = isNegotiated(asked.ord()) ? Math.min(settings.ird(), asked.ord()) : settings.ird();
        boolean readMayComeFirst =
                asked.peerToPeer() && replyKinds(settings, asked).contains(ReadyToReceive.READ);
        return readMayComeFirst ? Math.max(1, ird) : ird;
    }

    private static int responderOrd(MpaSettings settings, EnhancedSetup asked) {
        return isNegotiated(asked.ird()) ? Math.min(settings.ord(), asked.ird()) : settings.ord();
    }

    private static @Nullable ReadyToReceive firstMessage(MpaSettings settings, EnhancedSetup replied) {
        for (ReadyToReceive kind : replied.readyToReceive()) {
            // A responder with an IRD of 0 cannot accept a Read, whatever its flags say.
            boolean room = kind != ReadyToReceive.READ || replied.ird() > 0;
            if (room && settings.peerToPeer() && settings.readyToReceive().contains(kind)) {
                return kind;
            }
        }
        return null;
    }

    private static boolean isNegotiated(int depth) {
        return depth != MpaParameters.NOT_NEGOTIATED;
    }
}
