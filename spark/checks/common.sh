# What spark/checks/run and spark/checks/benchmark share. Sourced from the root of the project.

# Builds, and sets: java_command, the command with class path and what Spark needs; work, an empty folder for Spark.
prepare_spark() {
    [ "${NO_BUILD:-}" ] || mvn -B -ntp -q -f spark -pl checks -am -Dmaven.test.skip compile
    work=$PWD/spark/checks/target/work
    rm -rf "$work"
    mkdir -p "$work"
    local opens
    opens=$(sed -n 's:.*<spark.opens>\(.*\)</spark.opens>.*:\1:p' spark/shuffle/pom.xml)
    class_path=$PWD/spark/checks/target/classes:$(cat spark/checks/target/class-path)
    # Executors get the class path of the driver, because Spark is under test and has no installation.
    export SPARK_TESTING=1 SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1
    # shellcheck disable=SC2206
    java_command=(java $opens -Dspark.testing=true "-Dspark.test.home=$work" "-Djava.io.tmpdir=$work"
        -Dspark.ui.enabled=false -Dspark.driver.host=127.0.0.1 "-Dspark.executor.extraClassPath=$class_path"
        -cp "$class_path")
}
