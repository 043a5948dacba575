package io.iwarp.conformance;

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
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Which test cites which requirement, read from the sources: the tests of other modules are not on the class path. */
final class Citations {
    private final SortedMap<String, Set<String>> testsById = new TreeMap<>();

    private Citations() {}

    /** Reads the annotations of some Java sources. */
    static Citations of(Iterable<? extends JavaFileObject> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask parser = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, sources);
        Citations citations = new Citations();
        for (CompilationUnitTree unit : parser.parse()) {
            citations.new Scanner().scan(unit, null);
        }
        return citations;
    }

    /** Every id that is cited anywhere. */
    Set<String> ids() {
        return testsById.keySet();
    }

    /** The tests that cite a requirement, in alphabetic order: {@code FpduDecoderTest.refusesABadCrc}. */
    Set<String> tests(String id) {
        return testsById.getOrDefault(id, Collections.emptySet());
    }

    private final class Scanner extends TreeScanner<Void, Void> {
        private final Deque<String> enclosing = new ArrayDeque<>();

        @Override
        public Void visitClass(ClassTree type, Void nothing) {
            enclosing.addLast(type.getSimpleName().toString());
            cite(type.getModifiers());
            super.visitClass(type, null);
            enclosing.removeLast();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
            enclosing.addLast(method.getName().toString());
            cite(method.getModifiers());
            super.visitMethod(method, null);
            enclosing.removeLast();
            return null;
        }

        private void cite(ModifiersTree modifiers) {
            String test = String.join(".", enclosing);
            for (AnnotationTree annotation : modifiers.getAnnotations()) {
                if (annotation.getAnnotationType().toString().equals(Requirement.class.getSimpleName())) {
                    annotation.getArguments().forEach(argument -> cite(argument, test));
                }
            }
        }

        private void cite(ExpressionTree value, String test) {
            if (value instanceof AssignmentTree named) {
                cite(named.getExpression(), test);
            } else if (value instanceof NewArrayTree several) {
                several.getInitializers().forEach(one -> cite(one, test));
            } else if (value instanceof LiteralTree literal) {
                testsById
                        .computeIfAbsent((String) literal.getValue(), id -> new TreeSet<>())
                        .add(test);
            } else {
                throw new IllegalArgumentException(test + " cites " + value + ", which is no literal");
            }
        }
    }
}
