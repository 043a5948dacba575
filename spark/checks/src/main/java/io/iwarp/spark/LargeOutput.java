package io.iwarp.spark;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * Reads map outputs of more than 2 GiB, and compares checksums.
 *
 * <pre>LargeOutput MEBIBYTES MASTER</pre>
 */
final class LargeOutput {
    private static final int RECORD = 1 << 20;
    /** As many as Spark writes without a sort, so that map tasks hold no records. */
    private static final int PARTITIONS = 200;

    private static final int MAPS = 2;

    private LargeOutput() {}

    public static void main(String[] args) {
        int records = Integer.parseInt(args[0]);
        SparkConf conf = new SparkConf()
                .setMaster(args[1])
                .setAppName("large output")
                // Java's serialization keeps the last records of each partition.
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
                .set("spark.shuffle.compress", "false")
                .set("spark.shuffle.spill.compress", "false");
        Iwarp.configure(conf);
        try (JavaSparkContext spark = new JavaSparkContext(conf)) {
            spark.setLogLevel("ERROR");
            List<Tuple2<Integer, Long>> sums = spark.parallelize(List.of(0, 1), MAPS)
                    .flatMapToPair(map -> IntStream.range(map * records, (map + 1) * records)
                            .mapToObj(key -> new Tuple2<>(key, record(key)))
                            .iterator())
                    .partitionBy(new HashPartitioner(PARTITIONS))
                    .mapValues(LargeOutput::checksum)
                    .collect();
            if (sums.size() != MAPS * records) {
                throw new AssertionError(sums.size() + " records arrived of " + MAPS * records);
            }
            for (Tuple2<Integer, Long> sum : sums) {
                if (sum._2() != checksum(record(sum._1()))) {
                    throw new AssertionError("record " + sum._1() + " is wrong");
                }
            }
        }
        Totals totals = DriverSide.ended();
        System.out.println(MAPS + " map outputs of " + records + " MiB, every byte right; " + totals);
        if (totals.blocksRead() == 0 || totals.fallbackBlocks() > 0) {
            throw new AssertionError("not all was read by RDMA");
        }
    }

    private static byte[] record(int key) {
        byte[] bytes = new byte[RECORD];
        new SplittableRandom(key).nextBytes(bytes);
        return bytes;
    }

    private static long checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return crc.getValue();
    }
}
