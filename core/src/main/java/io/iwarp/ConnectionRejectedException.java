package io.iwarp;

/** The peer refused the connection: it answered with an MPA Reply whose R bit is set (RFC 5044 section 7.1.1). */
public final class ConnectionRejectedException extends IwarpException {
    private static final long serialVersionUID = 1L;

    private final byte[] privateData;

    /**
     * An exception for a refused connection.
     *
     * @param privateData the Private Data of the peer's Reply, 0 to 512 octets; copied
     */
    public ConnectionRejectedException(byte[] privateData) {
        super(
                "the peer rejected the connection with " + privateData.length
                        + " octets of private data, in which its application may say why",
                null);
        this.privateData = privateData.clone();
    }

    /** A copy of the Private Data that came with the refusal, 0 to 512 octets. */
    public byte[] privateData() {
        return privateData.clone();
    }
}
