package io.iwarp.spark;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of map outputs, as Spark writes them. */
final class Blocks {
    private Blocks() {}

    /** The files of one map output. */
    record MapFiles(File data, File index) {}

    /** Returns the content of a block, which differs from that of all others. */
    static String content(int shuffle, long map, int reduce, int length) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(shuffle)
                    .append('/')
                    .append(map)
                    .append('/')
                    .append(reduce)
                    .append(' ');
        }
        return text.substring(0, length);
    }

    /** Writes blocks of these lengths. */
    static MapFiles write(Path folder, int shuffle, long map, int... lengths) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        long[] offsets = new long[lengths.length + 1];
        for (int reduce = 0; reduce < lengths.length; reduce++) {
            byte[] block = content(shuffle, map, reduce, lengths[reduce]).getBytes(StandardCharsets.US_ASCII);
            data.writeBytes(block);
            offsets[reduce + 1] = offsets[reduce] + block.length;
        }
        return write(folder, shuffle + "_" + map, data.toByteArray(), offsets);
    }

    static MapFiles write(Path folder, String name, byte[] data, long... offsets) {
        File dataFile = folder.resolve(name + ".data").toFile();
        File indexFile = folder.resolve(name + ".index").toFile();
        try {
            Files.write(dataFile.toPath(), data);
            try (DataOutputStream index = new DataOutputStream(Files.newOutputStream(indexFile.toPath()))) {
                for (long offset : offsets) {
                    index.writeLong(offset);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new MapFiles(dataFile, indexFile);
    }
}
