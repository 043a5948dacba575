/** A conformance suite for iWARP peers of any make. It does without the stack of this project. */
module io.iwarp.conformance {
    requires com.fasterxml.jackson.core;
    requires java.xml;
    requires static transitive org.apiguardian.api;
    requires static transitive org.jspecify;

    exports io.iwarp.conformance;
    exports io.iwarp.conformance.judge;
    exports io.iwarp.conformance.cases;
    exports io.iwarp.conformance.report;
    exports io.iwarp.conformance.wire;
}
