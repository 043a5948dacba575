package io.iwarp.verbs;

/**
 * Immediate Data: 64 bits that the peer's application gets as {@link CompletionView#immediate}.
 *
 * @param bits any value
 * @see <a href="https://www.rfc-editor.org/rfc/rfc7306#section-6">RFC 7306 section 6</a>
 */
public record ImmediateData(long bits) {}
