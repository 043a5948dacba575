package io.iwarp.requirements;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.Requirements;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.junit.jupiter.api.Test;

class ConformanceTableTest {
    private static final List<Requirements.Requirement> REQUIREMENTS = List.of(
            new Requirements.Requirement("MPA-1", "must", "RFC 5044 §4.1", "MPA", "Framing", "first"),
            new Requirements.Requirement("MPA-2", "should", "RFC 5044 §4.2", "MPA", "Markers", "second"),
            new Requirements.Requirement("SEC-1", "may", "RFC 5042 §4", "SEC", "", "third"));

    private static final String DOCUMENT = """
            # Conformance

            | where | decision |
            |---|---|
            | MPA-1 | no excuse |

            ## Excused

            | id | reason |
            |---|---|
            | MPA-2 | hardware only |
            """;

    private static final String SOURCE = """
            package a;

            class ATest {
                // @Requirement("MPA-98")
                @Test
                @Requirement({"MPA-1"})
                void second() {}

                @Requirement(value = "MPA-1") @Test void first() { String s = "@Requirement(\\"MPA-99\\")"; }
                class Inner { @Requirement("SEC-1") void third() {} }
            }
            """;

    @Test
    void acceptsWhatIsTestedOrExcused() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE)).isEmpty();
    }

    @Test
    void namesARequirementWithoutTestOrExcuse() throws IOException {
        assertThat(flaws(DOCUMENT, "class BTest {}"))
                .containsExactly("MPA-1 has neither a test nor an excuse", "SEC-1 has neither a test nor an excuse");
    }

    @Test
    void namesACitedIdThatIsNoRequirement() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE, "class B { @Requirement({\"MPA-1\", \"DDP-7\"}) void b() {} }"))
                .containsExactly("DDP-7 is cited by B.b but is no requirement");
    }

    @Test
    void namesARequirementThatIsTestedAndExcused() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE, "@Requirement(\"MPA-2\") class B {}"))
                .containsExactly("MPA-2 is excused but is tested by B");
    }

    @Test
    void namesARequirementWhoseTestsDidNotRun() throws IOException {
        Citations citations = citations(SOURCE, "class BTest { @Requirement({\"MPA-1\"}) void b() {} }");
        ConformanceTable table = new ConformanceTable(REQUIREMENTS, DOCUMENT);
        assertThat(table.flaws(citations, citations.by(test -> !test.method().equals("third"))))
                .containsExactly("SEC-1 is proven by nothing that ran and passed: ATest.Inner.third");
        assertThat(table.flaws(citations, citations.by(test -> !test.type().equals("BTest"))))
                .as("MPA-1 has other tests")
                .isEmpty();
    }

    @Test
    void namesExcusesThatExcuseNothing() throws IOException {
        assertThat(flaws(DOCUMENT + "| MPA-2 | again |\n| MPA-9 | never heard of |\n", SOURCE))
                .containsExactly("MPA-2 is excused twice", "MPA-9 is excused but is no requirement");
        assertThat(flaws(DOCUMENT.replace("hardware only", ""), SOURCE))
                .containsExactly("MPA-2 is excused without a reason");
    }

    @Test
    void countsTheRequirementsOfEachPart() {
        assertThat(new ConformanceTable(REQUIREMENTS, DOCUMENT).counts())
                .containsExactly("| MPA | 2 | 1 |", "| SEC | 1 | 0 |");
    }

    @Test
    void thePageNamesTheTestsOfEachRequirement() throws IOException {
        assertThat(new ConformanceTable(REQUIREMENTS, DOCUMENT).page(citations(SOURCE)))
                .isEqualToNormalizingNewlines("""
                        # The requirements and their tests

                        ## MPA

                        ### Framing

                        | id | level | RFC | requirement | tests |
                        |---|---|---|---|---|
                        | MPA-1 | must | RFC 5044 §4.1 | first | ATest.first, ATest.second |

                        ### Markers

                        | id | level | RFC | requirement | tests |
                        |---|---|---|---|---|
                        | MPA-2 | should | RFC 5044 §4.2 | second |  |

                        ## SEC

                        | id | level | RFC | requirement | tests |
                        |---|---|---|---|---|
                        | SEC-1 | may | RFC 5042 §4 | third | ATest.Inner.third |
                        """);
    }

    private static List<String> flaws(String document, String... sources) throws IOException {
        Citations citations = citations(sources);
        return new ConformanceTable(REQUIREMENTS, document).flaws(citations, citations);
    }

    private static Citations citations(String... sources) throws IOException {
        return Citations.of(List.of(sources).stream().map(Source::new).toList());
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Source.java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
