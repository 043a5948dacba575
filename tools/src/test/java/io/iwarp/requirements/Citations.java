package io.iwarp.requirements;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import io.iwarp.testing.Requirement;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Which test cites which requirement, read from the sources: the tests of other modules are not on the class path. */
final class Citations {
    /**
     * A test that cites a requirement.
     *
     * @param name for people, such as {@code FpduDecoderTest.refusesABadCrc}
     * @param type its class, as class files are named: {@code io.iwarp.mpa.Outer$Inner}
     * @param method empty if the class as a whole cites
     */
    record Test(String name, String type, String method) {}

    private final SortedMap<String, SortedSet<Test>> testsById = new TreeMap<>();

    private Citations() {}

    /** Reads the annotations of some Java sources. */
    static Citations of(Iterable<? extends JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask parser = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, sources);
        Citations citations = new Citations();
        for (CompilationUnitTree unit : parser.parse()) {
            String packageName = unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
            citations.new Scanner(packageName).scan(unit, null);
        }
        return citations;
    }

    /** Returns the citations by some of the tests. */
    Citations by(Predicate<Test> wanted) {
        Citations some = new Citations();
        testsById.forEach((id, tests) -> tests.stream().filter(wanted).forEach(test -> some.add(id, test)));
        return some;
    }

    /** Returns the classes of all tests that cite anything. */
    Set<String> classes() {
        Set<String> classes = new TreeSet<>();
        testsById.values().forEach(tests -> tests.forEach(test -> classes.add(test.type())));
        return classes;
    }

    private void add(String id, Test test) {
        testsById
                .computeIfAbsent(id, any -> new TreeSet<>(Comparator.comparing(Test::name)))
                .add(test);
    }

    /** Every id that is cited anywhere. */
    Set<String> ids() {
        return testsById.keySet();
    }

    /** The tests that cite a requirement, in alphabetic order: {@code FpduDecoderTest.refusesABadCrc}. */
    List<String> tests(String id) {
        SortedSet<Test> tests = testsById.get(id);
        return tests == null ? List.of() : tests.stream().map(Test::name).toList();
    }

    private final class Scanner extends TreeScanner<Void, Void> {
        private final String packageName;
        private final Deque<String> enclosing = new ArrayDeque<>();

        Scanner(String packageName) {
            this.packageName = packageName;
        }

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            enclosing.addLast(type.getSimpleName().toString());
            cite(type.getModifiers(), "");
            super.visitClass(type, null);
            enclosing.removeLast();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            cite(method.getModifiers(), method.getName().toString());
            return super.visitMethod(method, null);
        }

        private void cite(ModifiersTree modifiers, String method) {
            Test test = new Test(
                    String.join(".", enclosing) + (method.isEmpty() ? "" : "." + method),
                    packageName + String.join("$", enclosing),
                    method);
            for (AnnotationTree annotation : modifiers.getAnnotations()) {
                if (annotation.getAnnotationType().toString().equals(Requirement.class.getSimpleName())) {
                    annotation.getArguments().forEach(argument -> cite(argument, test));
                }
            }
        }

        private void cite(ExpressionTree value, Test test) {
            if (value instanceof AssignmentTree named) {
                cite(named.getExpression(), test);
            } else if (value instanceof NewArrayTree several) {
                several.getInitializers().forEach(one -> cite(one, test));
            } else if (value instanceof LiteralTree literal) {
                add((String) literal.getValue(), test);
            } else {
                throw new IllegalArgumentException(test.name() + " cites " + value + ", which is no literal");
            }
        }
    }
}
