package io.iwarp.spark;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Queries of TPC-DS over Parquet files: their texts are those of Spark's tests, their tables come from Trino's
 * generator.
 *
 * <pre>Tpcds SCALE FOLDER</pre>
 *
 * <p>generates the tables.
 */
final class Tpcds {
    /** The tables that the queries of the benchmark need. */
    private static final List<Table> TABLES = List.of(
            Table.STORE_SALES,
            Table.STORE_RETURNS,
            Table.CATALOG_SALES,
            Table.WEB_SALES,
            Table.WEB_RETURNS,
            Table.CUSTOMER_ADDRESS,
            Table.DATE_DIM,
            Table.ITEM,
            Table.STORE,
            Table.WEB_SITE);

    private static final int CHUNKS = 4;

    private final SparkSession spark;

    /** Makes the generated tables available to queries. */
    Tpcds(SparkSession spark, Path folder) {
        this.spark = spark;
        for (Table table : TABLES) {
            spark.read().parquet(folder.resolve(table.getName()).toString()).createOrReplaceTempView(table.getName());
        }
    }

    public static void main(String[] args) throws IOException {
        double scale = Double.parseDouble(args[0]);
        Path folder = Path.of(args[1]);
        try (SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .appName("tables")
                .config("spark.sql.shuffle.partitions", CHUNKS)
                .getOrCreate()) {
            spark.sparkContext().setLogLevel("ERROR");
            for (Table table : TABLES) {
                generate(spark, table, scale, folder);
            }
        }
    }

    private static void generate(SparkSession spark, Table table, double scale, Path folder) {
        StructType texts = new StructType();
        for (Column column : table.getColumns()) {
            texts = texts.add(column.getName(), DataTypes.StringType);
        }
        JavaRDD<Row> rows = JavaSparkContext.fromSparkContext(spark.sparkContext())
                .parallelize(IntStream.rangeClosed(1, CHUNKS).boxed().toList(), CHUNKS)
                .flatMap(chunk -> rows(table, scale, chunk));
        spark.createDataFrame(rows, texts)
                .selectExpr(Arrays.stream(table.getColumns())
                        .map(column ->
                                "cast(" + column.getName() + " as " + type(column.getType()) + ") " + column.getName())
                        .toArray(String[]::new))
                .write()
                .parquet(folder.resolve(table.getName()).toString());
    }

    private static Iterator<Row> rows(Table table, double scale, int chunk) {
        Session session = Session.getDefaultSession()
                .withTable(table)
                .withScale(scale)
                .withParallelism(CHUNKS)
                .withChunkNumber(chunk);
        return StreamSupport.stream(Results.constructResults(table, session).spliterator(), false)
                .map(row -> RowFactory.create(row.get(0).toArray()))
                .iterator();
    }

    private static String type(ColumnType type) {
        return switch (type.getBase()) {
            case INTEGER -> "int";
            case IDENTIFIER -> "bigint";
            case DATE -> "date";
            case DECIMAL ->
                "decimal(" + type.getPrecision().orElseThrow() + ","
                        + type.getScale().orElseThrow() + ")";
            case VARCHAR, CHAR, TIME -> "string";
        };
    }

    /** Runs a query, and returns a checksum of its rows. */
    long run(String query) {
        try (InputStream text = Tpcds.class.getResourceAsStream("/tpcds/" + query + ".sql")) {
            if (text == null) {
                throw new IllegalArgumentException("there is no query " + query);
            }
            List<Row> rows = spark.sql(new String(text.readAllBytes(), StandardCharsets.UTF_8))
                    .collectAsList();
            return rows.stream().map(Row::toString).sorted().toList().hashCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
