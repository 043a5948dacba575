package io.iwarp.conformance.judge;

/** How strongly the RFCs ask for what a case checks. */
public enum Level {
    /** MUST, MUST NOT, REQUIRED, SHALL, and what follows from the text without a keyword. */
    MUST,
    /** SHOULD, SHOULD NOT, RECOMMENDED. */
    SHOULD
}
