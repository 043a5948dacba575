package io.iwarp.spark;

/**
 * Where an executor listens.
 *
 * @param fingerprint of its certificate; empty without TLS
 */
record PeerAddress(String host, int port, String fingerprint) {}
