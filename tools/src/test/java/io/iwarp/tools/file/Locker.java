package io.iwarp.tools.file;

import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that locks a file, says so, and keeps it until it is killed. */
final class Locker {
    private Locker() {}

    public static void main(String[] args) throws Exception {
        try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            System.out.print(lock.isValid() ? 'l' : '-');
            System.out.flush();
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
