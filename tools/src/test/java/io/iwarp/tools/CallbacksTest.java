package io.iwarp.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.TryCatchBlock;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Set;

/** The application is called in one way, which stops whatever it throws. */
@AnalyzeClasses(
        packages = {
            "io.iwarp.memory",
            "io.iwarp.metrics",
            "io.iwarp.internal.mpa",
            "io.iwarp.ddp",
            "io.iwarp.rdmap",
            "io.iwarp.verbs"
        },
        importOptions = ImportOption.DoNotIncludeTests.class)
class CallbacksTest {
    private static final String THE_WAY = "io.iwarp.verbs.Callbacks";

    /** Methods that call the application and are themselves called in a way that stops what it throws. */
    private static final Set<String> BEHIND_A_GUARD = Set.of(
            // What a listener throws ends the stream.
            "io.iwarp.verbs.QueuePair.target",
            // The application polls, and gets what its own handler throws.
            "io.iwarp.verbs.CompletionQueue.deliver",
            "io.iwarp.verbs.CompletionQueue.reportEnds",
            // MpaStartupHandler catches everything and ends the set-up with it.
            "io.iwarp.verbs.IwarpChannelInitializer.awaitRequest");

    @ArchTest
    static final ArchRule listenersAreCalledThroughApplication = classes().should(new CallListenersThroughTheWay());

    /** Several languages throw checked exceptions that are not declared. */
    @ArchTest
    static final ArchRule whoCatchesMoreThanASpecificExceptionCatchesEverything =
            classes().should(new CatchEverythingOrSomethingSpecific());

    private static final class CallListenersThroughTheWay extends ArchCondition<JavaClass> {
        CallListenersThroughTheWay() {
            super("call listeners in a method that calls " + THE_WAY);
        }

        @Override
        public void check(JavaClass item, ConditionEvents events) {
            for (JavaMethodCall call : item.getMethodCallsFromSelf()) {
                if (isOfTheApplication(call)) {
                    boolean guarded = isGuarded(call);
                    events.add(new SimpleConditionEvent(call, guarded, call.getDescription()));
                }
            }
        }

        private static boolean isOfTheApplication(JavaMethodCall call) {
            JavaClass owner = call.getTargetOwner();
            return owner.isInterface()
                    && owner.getModifiers().contains(JavaModifier.PUBLIC)
                    && owner.getName().startsWith("io.iwarp.verbs.")
                    && owner.getSimpleName().endsWith("Listener");
        }

        private static boolean isGuarded(JavaMethodCall call) {
            JavaCodeUnit origin = call.getOrigin();
            String caller = origin.getOwner().getName() + "." + origin.getName();
            if (BEHIND_A_GUARD.contains(caller) || origin.getOwner().getName().equals(THE_WAY)) {
                return true;
            }
            return call.isDeclaredInLambda()
                    && origin.getMethodCallsFromSelf().stream()
                            .anyMatch(other -> other.getTargetOwner().getName().equals(THE_WAY));
        }
    }

    private static final class CatchEverythingOrSomethingSpecific extends ArchCondition<JavaClass> {
        private static final Set<String> HALF =
                Set.of(RuntimeException.class.getName(), Exception.class.getName(), Error.class.getName());

        CatchEverythingOrSomethingSpecific() {
            super("catch Throwable or a specific exception");
        }

        @Override
        public void check(JavaClass item, ConditionEvents events) {
            for (JavaCodeUnit unit : item.getCodeUnits()) {
                for (TryCatchBlock block : unit.getTryCatchBlocks()) {
                    for (JavaClass caught : block.getCaughtThrowables()) {
                        events.add(new SimpleConditionEvent(
                                block,
                                !HALF.contains(caught.getName()),
                                unit.getFullName() + " catches " + caught.getName() + " in "
                                        + block.getSourceCodeLocation()));
                    }
                }
            }
        }
    }
}
