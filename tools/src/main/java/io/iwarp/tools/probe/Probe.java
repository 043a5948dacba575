package io.iwarp.tools.probe;

import com.fasterxml.jackson.core.JsonGenerator;
import io.iwarp.internal.mpa.EnhancedSetup;
import io.iwarp.internal.mpa.MpaFrameLayout;
import io.iwarp.mpa.MpaSettings;
import io.iwarp.tools.cli.Bytes;
import io.iwarp.tools.cli.ClientCommand;
import io.iwarp.tools.cli.CommandFailedException;
import io.iwarp.tools.cli.Endpoint;
import io.iwarp.tools.cli.ErrorLines;
import io.iwarp.tools.cli.Json;
import io.iwarp.tools.cli.JsonOption;
import io.iwarp.tools.cli.ListenOptions;
import io.iwarp.tools.cli.OptionCheck;
import io.iwarp.tools.cli.ResultFile;
import io.iwarp.tools.cli.Seconds;
import io.iwarp.tools.cli.Story;
import io.iwarp.tools.cli.TlsHandlers;
import io.iwarp.tools.cli.TransportHandlers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sets a connection up, step by step, and says what is at the other end. */
@Command(
        name = "probe",
        description = {
            "Shows what listens at an address. Run it first when two machines do not connect.",
            "It connects by TCP, and with --tls by TLS, and sends an MPA request of revision 2. Without an answer it"
                    + " tries revision 1, then TLS and HTTP. It prints each answer and its time, in which the JVM"
                    + " also loads its classes. Exit code 0 means that an iWARP peer answered, even with a rejection.",
            "The server sees a client that sends no private data and disconnects. 'rping -s' without -P ends then."
        },
        footer = {"%nExample:", "  iwarp probe 127.0.0.1:7471"})
public final class Probe extends ClientCommand {
    private static final long MAX_TIMEOUT = 60;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final int ANY = 1;
    private static final String HTTP_REQUEST = "GET / HTTP/1.0\r\n\r\n";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Seconds.class,
            defaultValue = "3s",
            description = "How long to wait for each answer, 1s to 1m.")
    private Duration timeout;

    @Mixin
    private JsonOption json;

    private final Map<String, Step> steps = new LinkedHashMap<>();

    /**
     * A step.
     *
     * @param nanos its time, 0 if it took none
     */
    private record Step(String text, long nanos) {}

    @Override
    protected void run() throws Exception {
        OptionCheck.within("--timeout", timeout.toSeconds(), 1, MAX_TIMEOUT);
        try (ResultFile file = json.open();
                Endpoint endpoint = open()) {
            long begin = System.nanoTime();
            InetSocketAddress address = address();
            String numeric = ListenOptions.addressText(address);
            if (!numeric.equals(server().toString())) {
                step("name", server() + " is " + numeric, begin);
            }
            String verdict;
            MpaAnswer answer = null;
            try {
                answer = ask(endpoint, address);
                verdict = answer == null ? name(endpoint, address) : describe(answer);
            } catch (ProbeLink.NoTlsException e) {
                step("TLS", "no: " + e.getMessage());
                verdict = "the peer does not use TLS: try again without --tls, and if the answer is not MPA, check the"
                        + " port";
            } catch (IOException e) {
                verdict = ErrorLines.describe(e);
            }
            String found = verdict;
            boolean iwarp = answer != null;
            json.write(file, fields -> writeJson(fields, found, iwarp));
            if (!iwarp) {
                throw new CommandFailedException(verdict);
            }
            step("verdict", verdict);
        }
    }

    private void step(String name, String text) {
        show(name, new Step(text, 0));
    }

    private void step(String name, String text, long begin) {
        show(name, new Step(text, System.nanoTime() - begin));
    }

    private void show(String name, Step step) {
        steps.put(name, step);
        new Story(json.toStandardOutput() ? err() : out())
                .paragraph(name, step.text + (step.nanos == 0 ? "" : ", " + Bytes.time(step.nanos)));
    }

    private void writeJson(JsonGenerator fields, String verdict, boolean iwarp) throws IOException {
        fields.writeStringField("op", "probe");
        fields.writeStringField("peer", server().toString());
        fields.writeBooleanField("iwarp", iwarp);
        fields.writeArrayFieldStart("steps");
        for (Map.Entry<String, Step> step : steps.entrySet()) {
            fields.writeStartObject();
            fields.writeStringField("step", step.getKey());
            fields.writeStringField("found", step.getValue().text);
            if (step.getValue().nanos > 0) {
                Json.number(fields, "micros", step.getValue().nanos / NANOS_PER_MICRO, 1);
            }
            fields.writeEndObject();
        }
        fields.writeEndArray();
        fields.writeStringField("verdict", verdict);
    }

    /** Asks by MPA; returns null if no revision is answered by MPA. */
    private @Nullable MpaAnswer ask(Endpoint endpoint, InetSocketAddress address)
            throws IOException, InterruptedException {
        MpaSettings settings = settings().build().mpa();
        for (int revision = MpaFrameLayout.FIRST_ENHANCED_REVISION; revision > 0; revision--) {
            try (ProbeLink link = connect(endpoint, address, null)) {
                long begin = System.nanoTime();
                link.send(MpaAnswer.request(revision, settings));
                ByteBuf bytes = link.receive(MpaFrameLayout.HEADER_LENGTH);
                MpaAnswer answer = bytes.readableBytes() < MpaFrameLayout.HEADER_LENGTH
                        ? null
                        : MpaAnswer.decode(link.receive(MpaAnswer.length(bytes)));
                String what = answer == null
                        ? foreign(bytes, link.ended())
                        : (answer.rejected() ? "rejected" : "accepted") + " with revision " + answer.revision();
                step("MPA rev " + revision, what, begin);
                if (answer != null || bytes.isReadable()) {
                    return answer;
                }
            }
        }
        return null;
    }

    private ProbeLink connect(Endpoint endpoint, InetSocketAddress address, @Nullable TransportHandlers handlers)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        ProbeLink link = ProbeLink.connect(endpoint, address, handlers, timeout.toMillis());
        boolean first = !steps.containsKey("TCP");
        if (first) {
            step(
                    "TCP",
                    "connected from " + ListenOptions.addressText(link.channel().localAddress()) + segmentSize(link),
                    begin);
        }
        long secured = System.nanoTime();
        SSLSession session = link.handshake();
        if (session != null && first) {
            step("TLS", describe(session), secured);
        }
        return link;
    }

    private static String segmentSize(ProbeLink link) {
        return link.channel() instanceof EpollSocketChannel epoll
                ? ", segments of " + Bytes.exactly(epoll.tcpInfo().sndMss())
                : "";
    }

    private static String describe(SSLSession session) throws SSLPeerUnverifiedException {
        Certificate peer = session.getPeerCertificates()[0];
        return session.getProtocol() + ", " + session.getCipherSuite()
                + (peer instanceof X509Certificate certificate
                        ? ", certificate of " + certificate.getSubjectX500Principal() + " until "
                                + certificate.getNotAfter().toInstant()
                        : "");
    }

    /** Shows the fields of an MPA Reply Frame, and returns what they mean. */
    private String describe(MpaAnswer answer) {
        step("CRC", answer.crc() ? "the peer requests it" : "the peer does not request it");
        step("markers", answer.markers() ? "the peer requires them" : "the peer does not require them");
        EnhancedSetup setup = answer.setup();
        if (setup != null) {
            step(
                    "IRD, ORD",
                    EnhancedSetup.depthText(setup.ird()) + ", " + EnhancedSetup.depthText(setup.ord())
                            + " of the peer");
            step(
                    "first",
                    setup.peerToPeer()
                            ? "a ready-to-receive message of one of these kinds: " + setup.readyToReceive()
                            : "no ready-to-receive message: the client sends first");
        }
        if (answer.privateData().length > 0) {
            step("private data", answer.words());
        }
        String known = setup == null ? ", without the enhanced set-up: leave out --enhanced and --peer-to-peer" : "";
        return answer.rejected()
                ? "an iWARP peer, which rejects a client without private data" + known
                : "an iWARP peer, which accepts" + known;
    }

    /** Returns what bytes in place of an MPA Reply Frame are. */
    private static String foreign(ByteBuf bytes, boolean ended) {
        if (!bytes.isReadable()) {
            return ended ? "the peer closed the connection without an answer" : "no answer";
        }
        return "the answer is not MPA: " + what(bytes);
    }

    private static String what(ByteBuf bytes) {
        String text = bytes.toString(0, Math.min(bytes.readableBytes(), 80), StandardCharsets.ISO_8859_1);
        if (text.startsWith("SSH-")) {
            return "an SSH server, '" + text.strip() + "'";
        }
        if (text.startsWith("HTTP/") || text.regionMatches(true, 0, "<!doctype html", 0, 14)) {
            return "an HTTP server, '" + text.lines().findFirst().orElse("") + "'";
        }
        // Records of TLS: alert and handshake (RFC 8446 section 5.1).
        if (text.startsWith("\u0015\u0003") || text.startsWith("\u0016\u0003")) {
            return "a TLS server";
        }
        if (text.startsWith("MPA ID Req")) {
            return "an MPA Request Frame: the peer is a client as well";
        }
        return "'" + text + "'";
    }

    /** Returns what a peer is that does not answer to MPA, and what to do. */
    private String name(Endpoint endpoint, InetSocketAddress address) throws IOException, InterruptedException {
        String answers = steps.values().toString();
        if (answers.contains("an SSH server") || answers.contains("an HTTP server")) {
            return "this is " + (answers.contains("an SSH server") ? "an SSH" : "an HTTP")
                    + " server, not an iWARP peer: check the port";
        }
        if (connection().encrypted()) {
            return "TLS works, but the peer does not answer to MPA: check the port";
        }
        if (answers.contains("a TLS server") || speaksTls(endpoint, address)) {
            return "this is a TLS server: try again with --tls, and if the answer is not MPA, check the port";
        }
        if (answers.contains("the answer is not MPA")) {
            return "this is not an iWARP peer: check the port";
        }
        try (ProbeLink link = connect(endpoint, address, TransportHandlers.NONE)) {
            link.send(Unpooled.copiedBuffer(HTTP_REQUEST, StandardCharsets.US_ASCII));
            ByteBuf bytes = link.receive(ANY);
            if (bytes.isReadable()) {
                step("HTTP", what(bytes));
                return "this is " + what(bytes) + ", not an iWARP peer: check the port";
            }
            return link.ended()
                    ? "the peer closes each connection without an answer: it takes other clients or another MPA"
                            + " revision, check its log"
                    : "the peer accepts connections, but is silent: it hangs, or waits for something else than MPA";
        }
    }

    private boolean speaksTls(Endpoint endpoint, InetSocketAddress address) throws InterruptedException {
        try (ProbeLink link = connect(endpoint, address, TlsHandlers.connecting(null, null))) {
            step("TLS", "answered" + (link.ended() ? ", and closed" : ""));
            return true;
        } catch (IOException e) {
            step("TLS", "no: " + e.getMessage());
            return false;
        }
    }
}
