/**
 * DDP, Direct Data Placement (<a href="https://www.rfc-editor.org/rfc/rfc5041">RFC 5041</a>): cuts messages into
 * segments that carry their destination, and places the segments of the peer.
 *
 * <p>{@link io.iwarp.ddp.DdpHandler} is the handler in the pipeline. The layer above implements
 * {@link io.iwarp.ddp.DdpUlp} and writes {@link io.iwarp.ddp.DdpMessage}s.
 *
 * <p>Bytes that this side chooses to send go by reference. Bytes that a peer reads by an STag are copied at the last
 * moment, because that memory can be revoked while the message is in flight.
 *
 * <p>Completion: a message is sent when the transport has taken all of its bytes (section 5.4). This does not mean that
 * the peer has received, placed or seen them.
 *
 * <p>Delivery: the segment with the Last flag has arrived. Since the sender sends it after all others and the transport
 * keeps the order, all segments that were sent have been placed. An untagged message with a gap ends the stream. Bytes
 * missing from a tagged message are not detected (section 5.2), and the buffer keeps its content there.
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.ddp;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
