package io.iwarp.requirements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.iwarp.conformance.Requirements;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.junit.jupiter.api.Test;

class ConformanceTableTest {
    private static final String DOCUMENT = """
            # Conformance

            Prose with a | in it.

            ## MPA

            | id | level | RFC | requirement | tests |
            |---|---|---|---|---|
            | MPA-1 | MUST | 44 4.1 | `a \\| b` | ATest.first, ATest.second |
            | MPA-2 | SHOULD | 44 4.2 | other |  |
            | MPA-3 | MAY | 44 4.3 | third | |

            ## Excused

            | id | reason |
            |---|---|
            | MPA-2 | hardware only |

            ## Not yet built

            | id | reason |
            |---|---|
            | MPA-3 | waits for markers |
            """;

    private static final String SOURCE = """
            package a;

            class ATest {
                // @Requirement("MPA-98")
                @Test
                @Requirement({"MPA-1"})
                void second() {}

                @Requirement(value = "MPA-1") @Test void first() { String s = "@Requirement(\\"MPA-99\\")"; }
            }
            """;

    @Test
    void acceptsWhatIsTestedOrExcused() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE)).isEmpty();
        assertThat(updated(DOCUMENT, SOURCE)).isEqualTo(DOCUMENT);
    }

    @Test
    void namesARequirementWithoutTestOrExcuse() throws IOException {
        assertThat(flaws(DOCUMENT, "class BTest {}")).containsExactly("MPA-1 has neither a test nor an excuse");
    }

    @Test
    void namesACitedIdThatIsInNoTable() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE, "class B { @Requirement({\"MPA-1\", \"DDP-7\"}) void b() {} }"))
                .containsExactly("DDP-7 is cited by B.b but is in no table");
    }

    @Test
    void namesARequirementThatIsTestedAndExcused() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE, "@Requirement(\"MPA-2\") class B {}"))
                .containsExactly("MPA-2 stands under \"Excused\" but is tested by B");
    }

    @Test
    void namesARequirementWhoseTestsDidNotRun() throws IOException {
        Citations citations = citations(SOURCE, "class BTest { @Requirement({\"MPA-1\", \"MPA-3\"}) void b() {} }");
        ConformanceTable table = new ConformanceTable(DOCUMENT);
        assertThat(table.flaws(citations, citations.by(test -> !test.method().equals("b"))))
                .as("MPA-1 has other tests")
                .containsExactly("MPA-3 is proven by nothing that ran and passed: BTest.b");
        assertThat(table.flaws(citations, citations.by(test -> test.type().equals("BTest"))))
                .isEmpty();
        assertThat(table.flaws(citations, citations.by(test -> !test.type().equals("a.ATest"))))
                .as("a test of the same name in a package")
                .isEmpty();
    }

    @Test
    void acceptsTestsOfPartsThatExistBeforeTheFeature() throws IOException {
        assertThat(flaws(DOCUMENT, SOURCE, "class B { @Requirement(\"MPA-3\") void codec() {} }"))
                .isEmpty();
    }

    @Test
    void namesExcusesThatExcuseNothing() throws IOException {
        String document = DOCUMENT + "| MPA-2 | again |\n| MPA-9 | never heard of |\n";
        assertThat(flaws(document, SOURCE))
                .containsExactly("MPA-2 is excused twice", "MPA-9 is excused but is in no table");
        assertThat(flaws(DOCUMENT.replace("hardware only", ""), SOURCE))
                .containsExactly("MPA-2 is excused without a reason");
    }

    @Test
    void namesRowsThatCannotBeRead() throws IOException {
        assertThat(flaws(DOCUMENT.replace("| SHOULD |", "| SHOULD | 1 |"), SOURCE))
                .containsExactly("MPA-2 has 6 cells instead of 5", "MPA-2 is excused but is in no table");
        assertThat(flaws(DOCUMENT.replace("| MPA-3 | MAY", "| MPA-1 | MAY"), SOURCE))
                .containsExactly("MPA-1 is in the tables twice", "MPA-3 is excused but is in no table");
    }

    @Test
    void aDocumentThatDiffersFromTheListIsTold() {
        assertThatThrownBy(() -> new ConformanceTable(DOCUMENT).withRequirements(Requirements.load()))
                .hasMessageContaining("requirements.tsv but in no table");
    }

    @Test
    void rewritesTheColumnOfTestsAndNothingElse() throws IOException {
        assertThat(updated(DOCUMENT, "class Outer { class Inner { @Requirement(\"MPA-3\") void c() {} } }"))
                .isEqualTo(DOCUMENT.replace("| ATest.first, ATest.second |", "|  |")
                        .replace("| third | |", "| third | Outer.Inner.c |"));
    }

    private static List<String> flaws(String document, String... sources) throws IOException {
        Citations citations = citations(sources);
        return new ConformanceTable(document).flaws(citations, citations);
    }

    private static String updated(String document, String... sources) throws IOException {
        return new ConformanceTable(document).withTests(citations(sources));
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
