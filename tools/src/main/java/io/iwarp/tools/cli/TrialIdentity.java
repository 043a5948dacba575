package io.iwarp.tools.cli;

import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/** A key and a self-signed certificate for a server that has none. The JDK's keytool makes them. */
final class TrialIdentity {
    private static final String NAME = "iwarp";
    // The key store exists during this call, in a folder that only this user can read.
    private static final String PASSWORD = "for-this-call";

    private TrialIdentity() {}

    static SslContextBuilder create() {
        try {
            Path folder = Files.createTempDirectory("iwarp");
            Path store = folder.resolve("trial.p12");
            try {
                runKeytool(store);
                KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
                return SslContextBuilder.forServer(
                        (PrivateKey) keys.getKey(NAME, PASSWORD.toCharArray()),
                        (X509Certificate) keys.getCertificate(NAME));
            } finally {
                Files.deleteIfExists(store);
                Files.delete(folder);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandFailedException("keytool of this JDK cannot create a certificate ("
                    + String.valueOf(e.getMessage()) + "): set --cert and --key");
        }
    }

    private static void runKeytool(Path store) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                NAME,
                "-dname",
                "CN=iwarp",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "365",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        keytool.getOutputStream().close();
        String output = new String(keytool.getInputStream().readAllBytes(), Charset.defaultCharset());
        try {
            if (keytool.waitFor() != 0) {
                throw new IOException(output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
