package io.iwarp.conformance.report;

import io.iwarp.conformance.judge.Result.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** A report as JUnit writes them: what build servers show. A known deviation counts as skipped. */
public final class JUnit {
    private JUnit() {}

    /** Writes a report. */
    public static void write(Report report, Path file) throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            XMLStreamWriter xml = XMLOutputFactory.newFactory().createXMLStreamWriter(out, "UTF-8");
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "conformance of " + report.title());
            boolean partial = !report.missing().isEmpty();
            xml.writeAttribute("tests", Integer.toString(report.outcomes().size() + (partial ? 1 : 0)));
            xml.writeAttribute("failures", Long.toString(report.count(Status.FAILED)));
            xml.writeAttribute("errors", partial ? "1" : "0");
            xml.writeAttribute("skipped", Long.toString(report.count(Status.SKIPPED) + report.count(Status.KNOWN)));
            for (Report.Outcome one : report.outcomes()) {
                write(xml, report, one);
            }
            if (partial) {
                beginCase(xml, report, "the whole run", 0);
                writeReason(xml, "error", report.partial(), "");
                xml.writeEndElement();
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    private static void beginCase(XMLStreamWriter xml, Report report, String name, long millis)
            throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "conformance." + report.role());
        xml.writeAttribute("name", name);
        xml.writeAttribute("time", String.format(Locale.ROOT, "%.3f", millis / (double) TimeUnit.SECONDS.toMillis(1)));
    }

    private static void writeReason(XMLStreamWriter xml, String element, String message, String text)
            throws XMLStreamException {
        xml.writeStartElement(element);
        xml.writeAttribute("message", message);
        xml.writeCharacters(text);
        xml.writeEndElement();
    }

    private static void write(XMLStreamWriter xml, Report report, Report.Outcome one) throws XMLStreamException {
        beginCase(xml, report, one.id() + ": " + one.title(), one.millis());
        switch (one.status()) {
            case FAILED ->
                writeReason(
                        xml,
                        "failure",
                        "seen: " + one.seen() + "; allowed: " + one.allowed(),
                        String.join("\n", one.dialogue()));
            case KNOWN, SKIPPED ->
                writeReason(xml, "skipped", one.explanation().isEmpty() ? one.seen() : one.explanation(), "");
            case PASSED -> {}
        }
        xml.writeEndElement();
    }
}
