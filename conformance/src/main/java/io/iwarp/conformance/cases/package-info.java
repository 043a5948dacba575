/**
 * The cases, by the chapter of the RFC that they are about.
 *
 * <ul>
 *   <li>RFC 5044 section 7.1, start-up: {@code MpaRequestCases}, {@code MpaRequestPiecesCases} for a server;
 *       {@code MpaReplyCases}, {@code MpaReplyPiecesCases} for a client
 *   <li>RFC 6581, enhanced set-up: {@code SetupRequestCases} for a server; {@code SetupReplyCases} for a client
 *   <li>RFC 5044 section 4, FPDUs: {@code MpaFramingCases}, {@code MpaMarkerCases}
 *   <li>RFC 5041, segments: {@code DdpSegmentCases}, {@code DdpTaggedCases}, {@code DdpUntaggedCases}
 *   <li>RFC 5040, messages: {@code Rdmap*Cases}
 *   <li>RFC 7306, atomics and Immediate Data: {@code Ext*Cases}
 *   <li>what each message of the peer has to obey: {@code RuleCases}
 *   <li>whole exchanges: {@code PingCases}; ends and floods: {@code TeardownCases}, {@code AbuseCases}
 * </ul>
 */
@API(status = API.Status.INTERNAL)
@NullMarked
package io.iwarp.conformance.cases;

import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
