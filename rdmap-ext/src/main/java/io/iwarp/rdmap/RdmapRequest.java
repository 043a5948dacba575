package io.iwarp.rdmap;

import io.iwarp.ddp.DdpMessage;

/**
 * One outgoing RDMAP message that the application asked for: a DDP message with RDMAP's control octet filled in.
 *
 * <p>The object is the caller's and may be used again once {@link RdmapUlp#onSent} named it. Between submission and
 * that moment neither it nor the octets of its payload may change. Confined to the event loop of the stream.
 */
public class RdmapRequest extends DdpMessage {
    /** A request without content; one of the methods below makes it a message. */
    public RdmapRequest() {}

    /**
     * Makes this a Send ({@link Opcode#SEND} or {@link Opcode#SEND_WITH_SOLICITED_EVENT}).
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.3">RFC 5040 section 5.3</a>
     */
    public final RdmapRequest send(boolean solicited) {
        Opcode opcode = solicited ? Opcode.SEND_WITH_SOLICITED_EVENT : Opcode.SEND;
        untagged(opcode.control(), 0, opcode.queue());
        return this;
    }

    /**
     * Makes this an RDMA Write to the given place in the peer's memory.
     *
     * @param stag the STag that the peer advertised
     * @param taggedOffset where the first octet goes, in octets of that STag, unsigned
     * @see <a href="https://www.rfc-editor.org/rfc/rfc5040#section-5.1">RFC 5040 section 5.1</a>
     */
    public final RdmapRequest write(int stag, long taggedOffset) {
        tagged(Opcode.RDMA_WRITE.control(), stag, taggedOffset);
        return this;
    }
}
