package io.iwarp.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.iwarp.conformance.judge.Case;
import io.iwarp.conformance.judge.Role;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CatalogTest {
    private static final int MIN_CASES = 250;

    private final ConformanceSuite suite = new ConformanceSuite();
    private final Requirements requirements = Requirements.load();

    @ParameterizedTest
    @EnumSource(Role.class)
    void eachCaseHasAnIdOfItsOwnAndCitesRequirementsThatExist(Role role) {
        List<Case> cases = suite.cases(role);
        assertThat(cases).hasSizeGreaterThan(MIN_CASES);
        assertThat(cases).extracting(Case::id).doesNotHaveDuplicates();
        assertThat(cases).allSatisfy(test -> {
            assertThat(test.requirements()).isNotEmpty().allMatch(requirements::has);
            assertThat(suite.sections(test)).isNotEmpty().allMatch(section -> section.startsWith("RFC "));
            assertThat(test.title()).isNotBlank().doesNotContain("\n");
        });
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void casesAreChosenByIdOrRequirement(Role role) {
        List<Case> all = suite.cases(role);
        assertThat(suite.only(all, List.of("mpa.crc.flip.*")))
                .isNotEmpty()
                .allMatch(test -> test.id().startsWith("mpa.crc.flip."));
        assertThat(suite.only(all, List.of("ddp-54", "none")))
                .isNotEmpty()
                .allMatch(test -> test.requirements().contains("DDP-54"));
        assertThat(suite.only(all, List.of("no.such.case"))).isEmpty();
    }

    @Test
    void eachClassOfFaultsHasCasesForItsRequirements() throws IOException {
        List<Case> all = Stream.of(Role.values())
                .flatMap(role -> suite.cases(role).stream())
                .toList();
        rows("classes.tsv", 4).forEach(cells -> {
            Set<String> cited = new TreeSet<>();
            for (String pattern : cells[3].split(" ", -1)) {
                List<Case> matching = suite.only(all, List.of(pattern));
                assertThat(matching).as(pattern).isNotEmpty();
                matching.forEach(test -> cited.addAll(test.requirements()));
            }
            assertThat(cited).as(cells[1]).contains(cells[2].split(" ", -1));
        });
    }

    private static List<String[]> rows(String resource, int columns) throws IOException {
        try (InputStream in = ConformanceSuite.class.getResourceAsStream(resource)) {
            List<String[]> rows = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t"))
                    .toList();
            assertThat(rows).isNotEmpty().allSatisfy(cells -> assertThat(cells).hasSize(columns));
            return rows;
        }
    }

    @Test
    void eachRequirementHasACaseOrAReasonWhyABlackBoxCannotSeeIt() throws IOException {
        Set<String> cited = new TreeSet<>();
        for (Role role : Role.values()) {
            suite.cases(role).forEach(test -> cited.addAll(test.requirements()));
        }
        Set<String> unseen = new TreeSet<>();
        rows("unseen.tsv", 2).forEach(cells -> unseen.addAll(List.of(cells[0].split(" "))));
        assertThat(unseen).doesNotContainAnyElementsOf(cited);
        cited.addAll(unseen);
        assertThat(cited)
                .containsExactlyInAnyOrderElementsOf(requirements.all().stream()
                        .map(Requirements.Requirement::id)
                        .toList());
    }
}
