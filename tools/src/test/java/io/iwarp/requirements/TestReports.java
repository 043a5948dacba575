package io.iwarp.requirements;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** What Surefire says about the tests that ran. */
final class TestReports {
    private static final Pattern FILE = Pattern.compile("TEST-(.*)\\.xml");
    /** A test with parameters is reported as {@code method(int)[1]}. */
    private static final Pattern METHOD = Pattern.compile("[\\p{Alnum}_$]+");

    private static final Set<String> NO_PROOF = Set.of("skipped", "failure", "error");

    /** The methods that passed, for each class with a report. */
    private final Map<String, Set<String>> passed = new HashMap<>();

    private final Set<String> failed = new HashSet<>();

    /** Reads the reports of a module, except those of classes that were compiled again since. */
    void readModule(Path module) throws IOException {
        Path folder = module.resolve(Path.of("target", "surefire-reports"));
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.toList();
        }
        for (Path file : files) {
            Matcher name = FILE.matcher(file.getFileName().toString());
            if (name.matches() && isOfThisBuild(file, name.group(1), module)) {
                try (InputStream in = Files.newInputStream(file)) {
                    read(in);
                }
            }
        }
    }

    private static boolean isOfThisBuild(Path report, String type, Path module) throws IOException {
        Path compiled = module.resolve(Path.of("target", "test-classes", type.replace('.', '/') + ".class"));
        return Files.exists(compiled)
                && Files.getLastModifiedTime(compiled).compareTo(Files.getLastModifiedTime(report)) <= 0;
    }

    /** Reads a report. */
    void read(InputStream report) throws IOException {
        try {
            XMLInputFactory factory = XMLInputFactory.newFactory();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            XMLStreamReader xml = factory.createXMLStreamReader(report);
            String type = "";
            String method = "";
            boolean good = false;
            while (xml.hasNext()) {
                int event = xml.next();
                if (event == XMLStreamConstants.START_ELEMENT
                        && xml.getLocalName().equals("testcase")) {
                    type = xml.getAttributeValue(null, "classname");
                    Matcher name = METHOD.matcher(xml.getAttributeValue(null, "name"));
                    method = name.lookingAt() ? name.group() : "";
                    good = true;
                } else if (event == XMLStreamConstants.START_ELEMENT && NO_PROOF.contains(xml.getLocalName())) {
                    good = false;
                    if (!xml.getLocalName().equals("skipped")) {
                        failed.add(type + "." + method);
                    }
                } else if (event == XMLStreamConstants.END_ELEMENT
                        && xml.getLocalName().equals("testcase")) {
                    Set<String> ofType = passed.computeIfAbsent(type, any -> new HashSet<>());
                    if (good) {
                        ofType.add(method);
                    }
                }
            }
        } catch (XMLStreamException e) {
            throw new IOException("a test report cannot be read: run the tests again", e);
        }
    }

    /** Returns whether there is a report of a class. */
    boolean tells(String type) {
        return passed.containsKey(type);
    }

    /**
     * Returns whether a test passed; one with parameters passes with at least one of them and fails with none.
     *
     * @param method empty for any of the class
     */
    boolean passed(String type, String method) {
        Set<String> methods = passed.getOrDefault(type, Set.of());
        return method.isEmpty()
                ? !methods.isEmpty()
                : methods.contains(method) && !failed.contains(type + "." + method);
    }
}
