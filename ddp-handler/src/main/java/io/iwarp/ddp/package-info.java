/**
 * DDP, Direct Data Placement (<a href="https://www.rfc-editor.org/rfc/rfc5041">RFC 5041</a>): cuts messages into
 * segments that each say where they go, and places the segments of the peer.
 *
 * <p>{@link io.iwarp.ddp.DdpHandler} is the place in the pipeline. The protocol itself has no channel in it:
 * {@link io.iwarp.ddp.DdpSegmenter} makes segments, {@link io.iwarp.ddp.DdpReceiver} checks and places them. The layer
 * above implements {@link io.iwarp.ddp.DdpUlp} and hands down {@link io.iwarp.ddp.DdpMessage}s.
 *
 * <p>A message's bytes go by reference when this side chose to send them, and as copies made at the last moment when a
 * peer asked for them by an STag, since that memory can be taken away while the message is under way.
 *
 * <p>What completion means: a message counts as sent when the transport has taken responsibility for all of its bytes
 * (section 5.4). It says nothing about whether the peer has received, placed or seen them.
 *
 * <p>What delivery means: the segment with the Last flag arrived. As the sender posts it after all others and the
 * transport keeps the order, all segments that were sent are then placed. Whether the peer sent all bytes of the
 * message is not checked (section 5.2): bytes that it left out keep what the buffer held before.
 */
@API(status = API.Status.EXPERIMENTAL, since = "0.1.0")
@NullMarked
package io.iwarp.ddp;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
