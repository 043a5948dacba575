package io.iwarp.tools.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.tools.CommandRun;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates and keys from files: who is let in, who is not, and what is said of unusable files. */
class TlsTest {
    @TempDir
    private Path folder;

    private X509Bundle authority;

    @BeforeEach
    void createCertificates() throws Exception {
        authority = builder("CN=authority").setIsCertificateAuthority(true).buildSelfSigned();
        write("ca.pem", authority.getRootCertificatePEM());
        issue("server", authority, "127.0.0.1");
        issue("elsewhere", authority, "192.0.2.1");
        issue("client", authority, "127.0.0.1");
        X509Bundle stranger =
                builder("CN=stranger").setIsCertificateAuthority(true).buildSelfSigned();
        write("other-ca.pem", stranger.getRootCertificatePEM());
        issue("stranger", stranger, "127.0.0.1");
    }

    private static CertificateBuilder builder(String subject) {
        return new CertificateBuilder().subject(subject).ecp256();
    }

    private void issue(String name, X509Bundle issuer, String address) throws Exception {
        X509Bundle bundle = builder("CN=" + name).addSanIpAddress(address).buildIssuedBy(issuer);
        write(name + ".pem", bundle.getCertificatePathPEM());
        write(name + ".key", bundle.getPrivateKeyPEM());
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(folder.resolve(name), text);
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    /** Options in which names of files stand for the files of this test. */
    private List<String> options(String... words) {
        List<String> options = new ArrayList<>();
        for (String word : words) {
            options.add(word.endsWith(".pem") || word.endsWith(".key") ? file(word) : word);
        }
        return options;
    }

    private CommandRun start(List<String> command, String tls) {
        List<String> words = new ArrayList<>(command);
        if (!tls.isBlank()) {
            words.addAll(options(tls.strip().split(" +", -1)));
        }
        return CommandRun.start(words.toArray(String[]::new));
    }

    private static final String MUTUAL_SERVER = "--cert server.pem --key server.key --ca ca.pem";
    private static final String MUTUAL_CLIENT = "--cert client.pem --key client.key --ca ca.pem";

    @ParameterizedTest
    @CsvSource({
        "--tls, --tls",
        "--cert server.pem --key server.key, --ca ca.pem",
        "--cert server.pem --key server.key, --tls",
        "--cert stranger.pem --key stranger.key, --ca other-ca.pem",
        MUTUAL_SERVER + "," + MUTUAL_CLIENT,
    })
    void sidesThatTrustEachOtherConnect(String server, String client) throws Exception {
        try (CommandRun serving = start(List.of("echo-server", "--port", "0"), server)) {
            CommandRun run = start(List.of("echo-client", serving.address(), "--count", "10"), client);

            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("10 messages");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "--cert server.pem --key server.key, --ca other-ca.pem, TLS failed: unable to find valid certification path",
        "--cert elsewhere.pem --key elsewhere.key, --ca ca.pem, TLS failed: No subject alternative names matching IP",
        "--cert server.pem --key client.key, --ca ca.pem, TLS failed: Invalid CertificateVerify signature",
        "--tls, --ca ca.pem, TLS failed: unable to find valid certification path",
        MUTUAL_SERVER + ", --ca ca.pem, TLS failed: Received fatal alert: bad_certificate",
        MUTUAL_SERVER + ", --tls, TLS failed: Received fatal alert: bad_certificate",
        MUTUAL_SERVER + ", --cert stranger.pem --key stranger.key --ca ca.pem, TLS failed: Received fatal alert",
        MUTUAL_SERVER + ", '', 'both sides need --tls, or neither'",
        "'', " + MUTUAL_CLIENT
                + ", TLS failed: the connection was closed during the TLS handshake: the peer does not use TLS",
    })
    void sidesThatDoNotTrustEachOtherFailInOneLine(String server, String client, String complaint) throws Exception {
        try (CommandRun serving = start(List.of("echo-server", "--port", "0"), server)) {
            CommandRun run = start(List.of("echo-client", serving.address(), "--count", "10"), client);

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).isEmpty();
            assertThat(run.error())
                    .startsWith("iwarp echo-client: could not connect: ")
                    .contains(complaint);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo --size 64K", "counter --adds 100 --rounds 10"})
    void aCommandWithBothSidesUsesItsCertificateForBoth(String command) {
        CommandRun run = start(List.of(command.split(" ", -1)), MUTUAL_SERVER);

        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cert none.pem --key server.key | certificates: none.pem (",
                "--cert server.pem --key none.key | key: none.key (",
                "--cert server.key --key server.key | certificates: server.key",
                "--cert server.pem --key server.pem | key: server.pem",
                "--cert server.pem --key empty.key | key: empty.key",
                "--cert empty.pem --key server.key | certificates: empty.pem",
                "--cert server.pem --key broken.key | key: broken.key",
                "--cert broken.pem --key server.key | certificates: broken.pem",
                "--cert folder.pem --key server.key | certificates: folder.pem",
                "--cert server.pem --key secret.key | key: secret.key",
                "--cert server.pem --key server.key --ca none.pem | --ca cannot be used: File does not contain valid"
                        + " certificates: none.pem (",
            })
    void anUnusableFileIsReported(String options, String complaint) throws IOException {
        write("empty.pem", "");
        write("empty.key", "");
        write("broken.key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        write("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        write("secret.key", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
        Files.createDirectories(folder.resolve("folder.pem"));

        CommandRun run = start(List.of("echo-server", "--port", "0"), options);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.error())
                .startsWith("iwarp echo-server: ")
                .contains("check the path; certificates are in PEM format")
                .satisfies(line -> assertThat(line.replace(folder + "/", "")).contains(complaint));
    }

    @ParameterizedTest
    @CsvSource({
        "echo-server --port 0, --cert server.pem, --cert and --key belong together",
        "echo-server --port 0, --key server.key, --cert and --key belong together",
        "echo-server --port 0, --ca ca.pem, --ca of a server needs --cert and --key as well",
        "echo-client 127.0.0.1:1, --cert client.pem --key client.key, --cert of a client needs --ca as well",
    })
    void incompleteOptionsAreReportedBeforeAnythingStarts(String command, String options, String complaint) {
        CommandRun run = start(List.of(command.split(" ", -1)), options);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(complaint);
    }
}
