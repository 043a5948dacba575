package io.iwarp.spark;

/** Where an executor listens. */
record PeerAddress(String host, int port) {}
