package io.iwarp.conformance.report;

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
            xml.writeAttribute("tests", Integer.toString(report.outcomes().size()));
            xml.writeAttribute("failures", Long.toString(report.count("FAILED")));
            xml.writeAttribute("skipped", Long.toString(report.count("SKIPPED") + report.count("KNOWN")));
            for (Report.Outcome one : report.outcomes()) {
                write(xml, report, one);
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    private static void write(XMLStreamWriter xml, Report report, Report.Outcome one) throws XMLStreamException {
        xml.writeStartElement("testcase");
        xml.writeAttribute("classname", "conformance." + report.role());
        xml.writeAttribute("name", one.id() + ": " + one.title());
        xml.writeAttribute(
                "time", String.format(Locale.ROOT, "%.3f", one.millis() / (double) TimeUnit.SECONDS.toMillis(1)));
        switch (one.status()) {
            case "FAILED" -> {
                xml.writeStartElement("failure");
                xml.writeAttribute("message", "seen: " + one.seen() + "; allowed: " + one.allowed());
                xml.writeCharacters(String.join("\n", one.dialogue()));
                xml.writeEndElement();
            }
            case "KNOWN", "SKIPPED" -> {
                xml.writeStartElement("skipped");
                xml.writeAttribute("message", one.explanation().isEmpty() ? one.seen() : one.explanation());
                xml.writeEndElement();
            }
            default -> {}
        }
        xml.writeEndElement();
    }
}
