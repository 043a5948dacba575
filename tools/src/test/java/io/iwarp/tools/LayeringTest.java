package io.iwarp.tools;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.PrintWriter;
import java.lang.annotation.Annotation;
import org.apiguardian.api.API;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** The rules of the code base that its classes can be asked about. */
@AnalyzeClasses(packages = "io.iwarp", importOptions = ImportOption.DoNotIncludeTests.class)
class LayeringTest {
    @ArchTest
    static final ArchRule dependenciesPointDownward = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer("core")
            .definedBy("io.iwarp", "io.iwarp.memory..", "io.iwarp.internal.memory..")
            .layer("metrics")
            .definedBy("io.iwarp.metrics..", "io.iwarp.internal.metrics..")
            .layer("transport")
            .definedBy("io.iwarp.transport..", "io.iwarp.internal.transport..")
            .layer("mpa")
            .definedBy("io.iwarp.mpa..", "io.iwarp.internal.mpa..")
            .layer("ddp")
            .definedBy("io.iwarp.ddp..")
            .layer("rdmap")
            .definedBy("io.iwarp.rdmap..")
            .layer("verbs")
            .definedBy("io.iwarp.verbs..")
            .layer("conformance")
            .definedBy("io.iwarp.conformance..")
            .layer("tools")
            .definedBy("io.iwarp.tools..")
            .layer("testkit")
            .definedBy("io.iwarp.testing..")
            .whereLayer("core")
            .mayNotAccessAnyLayer()
            .whereLayer("metrics")
            .mayOnlyAccessLayers("core")
            .whereLayer("transport")
            .mayOnlyAccessLayers("core")
            .whereLayer("mpa")
            .mayOnlyAccessLayers("core")
            .whereLayer("ddp")
            .mayOnlyAccessLayers("core", "mpa")
            .whereLayer("rdmap")
            .mayOnlyAccessLayers("core", "metrics", "mpa", "ddp")
            .whereLayer("verbs")
            .mayOnlyAccessLayers("core", "metrics", "transport", "mpa", "ddp", "rdmap")
            .whereLayer("conformance")
            .mayNotAccessAnyLayer()
            .whereLayer("conformance")
            .mayOnlyBeAccessedByLayers("tools")
            .whereLayer("tools")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("testkit")
            .mayNotAccessAnyLayer()
            .whereLayer("testkit")
            .mayNotBeAccessedByAnyLayer();

    /** A package of interfaces and the package that implements it count as one: its factories call the other. */
    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().assignedFrom(new PackageWithImplementation()).should().beFreeOfCycles();

    @ArchTest
    static final ArchRule coreKnowsNoChannel = noClasses()
            .that()
            .resideInAnyPackage(
                    "io.iwarp",
                    "io.iwarp.memory..",
                    "io.iwarp.metrics..",
                    "io.iwarp.internal",
                    "io.iwarp.internal.memory..",
                    "io.iwarp.internal.metrics..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty.channel..");

    @ArchTest
    static final ArchRule logsGoToSlf4j = noClasses().should(USE_JAVA_UTIL_LOGGING);

    @ArchTest
    static final ArchRule onlyTheCommandPrints =
            noClasses().that().resideOutsideOfPackage("io.iwarp.tools..").should(ACCESS_STANDARD_STREAMS);

    /** The packages of the command: cli and capture know none of the others. */
    @ArchTest
    static final ArchRule noCommandKnowsAnother = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("capture")
            .definedBy("io.iwarp.tools.capture..")
            .layer("cli")
            .definedBy("io.iwarp.tools.cli..")
            .layer("demo")
            .definedBy("io.iwarp.tools.demo..")
            .layer("echo")
            .definedBy("io.iwarp.tools.echo..")
            .layer("counter")
            .definedBy("io.iwarp.tools.counter..")
            .layer("file")
            .definedBy("io.iwarp.tools.file..")
            .layer("rdma")
            .definedBy("io.iwarp.tools.rdma..")
            .layer("perf")
            .definedBy("io.iwarp.tools.perf..")
            .layer("probe")
            .definedBy("io.iwarp.tools.probe..")
            .layer("conformance")
            .definedBy("io.iwarp.tools.conformance..")
            .layer("root")
            .definedBy("io.iwarp.tools")
            .whereLayer("capture")
            .mayNotAccessAnyLayer()
            .whereLayer("cli")
            .mayOnlyAccessLayers("capture")
            .whereLayer("demo")
            .mayOnlyAccessLayers("cli")
            .whereLayer("echo")
            .mayOnlyAccessLayers("cli")
            .whereLayer("counter")
            .mayOnlyAccessLayers("cli")
            .whereLayer("file")
            .mayOnlyAccessLayers("cli")
            .whereLayer("rdma")
            .mayOnlyAccessLayers("cli")
            .whereLayer("perf")
            .mayOnlyAccessLayers("cli")
            .whereLayer("probe")
            .mayOnlyAccessLayers("cli")
            .whereLayer("conformance")
            .mayOnlyAccessLayers("cli");

    /** Output passes {@code Output}, which makes what comes from a peer harmless. */
    @ArchTest
    static final ArchRule commandsPrintThroughTheirOutput = noClasses()
            .that()
            .resideInAPackage("io.iwarp.tools.*")
            .and()
            .resideOutsideOfPackage("io.iwarp.tools.cli")
            .should()
            .callMethodWhere(target(describe("prints", LayeringTest::prints)));

    @ArchTest
    static final ArchRule nothingSleeps =
            noClasses().should().callMethodWhere(target(describe("is a sleep", LayeringTest::sleeps)));

    /** NullAway looks at marked packages only, so a package without the mark would silently go unchecked. */
    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes().should(new BeInAPackageWith(NullMarked.class));

    @ArchTest
    static final ArchRule everyPackageOfALibrarySaysWhatMayBeReliedOn =
            classes().that().resideOutsideOfPackage("io.iwarp.tools..").should(new BeInAPackageWith(API.class));

    @ArchTest
    static final ArchRule whatApplicationsHoldNamesOnlyWhatIsForThem = methods()
            .that()
            .arePublic()
            .and()
            .areDeclaredInClassesThat(describe("are for applications", LayeringTest::isForApplications))
            .and()
            .areNotAnnotatedWith(API.class)
            .should()
            .haveRawReturnType(describe("for applications", type -> !isForLayers(type)))
            .andShould()
            .haveRawParameterTypes(
                    describe("for applications", types -> types.stream().noneMatch(LayeringTest::isForLayers)));

    private static boolean isForApplications(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC) && status(type) == API.Status.MAINTAINED;
    }

    /** Whether it is internal, or stands among what is for applications with a status of its own. */
    private static boolean isForLayers(JavaClass type) {
        return status(type) == API.Status.INTERNAL
                || (type.isAnnotatedWith(API.class) && status(type) != API.Status.MAINTAINED);
    }

    private static API.@Nullable Status status(JavaClass type) {
        return type.tryGetAnnotationOfType(API.class)
                .or(() -> type.getPackage().tryGetAnnotationOfType(API.class))
                .map(API::status)
                .orElse(null);
    }

    private static boolean prints(AccessTarget method) {
        return method.getName().startsWith("print") && method.getOwner().isAssignableTo(PrintWriter.class);
    }

    private static boolean sleeps(AccessTarget method) {
        return method.getName().equals("sleep")
                && method.getOwner().getPackageName().startsWith("java.");
    }

    private static final class PackageWithImplementation implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().replace(".internal.", "."));
        }

        @Override
        public String getDescription() {
            return "packages, each with its implementation";
        }
    }

    private static final class BeInAPackageWith extends ArchCondition<JavaClass> {
        private final Class<? extends Annotation> mark;

        BeInAPackageWith(Class<? extends Annotation> mark) {
            super("be in a package with @" + mark.getSimpleName());
            this.mark = mark;
        }

        @Override
        public void check(JavaClass item, ConditionEvents events) {
            boolean marked = item.getPackage().isAnnotatedWith(mark);
            events.add(new SimpleConditionEvent(item, marked, item.getPackageName() + " of " + item.getName()));
        }
    }
}
