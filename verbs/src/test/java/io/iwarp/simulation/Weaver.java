package io.iwarp.simulation;

import java.io.IOException;
import java.io.InputStream;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Loads the project's classes a second time, with a call of {@link Points#at} before each atomic access in the verbs:
 * there the simulation may let another simulated thread go first. So the code that is simulated is the code that is
 * shipped, and has no hooks. Inside a lock no other thread goes first, since all simulated threads are one thread to
 * the lock.
 */
final class Weaver extends ClassLoader {
    private static final String PROJECT = "io.iwarp.";
    private static final String WOVEN = "io.iwarp.verbs.";
    private static final String POINTS = "io/iwarp/simulation/Points";
    private static final String LOCK = "java/util/concurrent/locks/ReentrantLock";

    Weaver() {
        super(Weaver.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = in.readAllBytes();
            byte[] woven = name.startsWith(WOVEN) ? weave(bytes) : bytes;
            return defineClass(name, woven, 0, woven.length, Weaver.class.getProtectionDomain());
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** No frame changes: what is inserted takes nothing from the stack and leaves nothing there. */
    static byte[] weave(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        return new Inserting(super.visitMethod(access, name, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static final class Inserting extends MethodVisitor {
        Inserting(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            boolean atomic =
                    owner.startsWith("java/util/concurrent/atomic/") || owner.equals("java/lang/invoke/VarHandle");
            if (atomic && !name.equals("<init>")) {
                call("at");
            } else if (owner.equals(LOCK) && name.equals("unlock")) {
                call("unlocked");
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
            if (owner.equals(LOCK) && name.equals("lock")) {
                call("locked");
            }
        }

        private void call(String method) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, POINTS, method, "()V", false);
        }
    }
}
