# What spark/checks/run and spark/checks/benchmark share. Sourced from the root of the project.

# Builds against the version of Spark in spark_version, if it is set. Sets java_command, the command with class path and
# what Spark needs, and work, an empty folder for Spark. Ends the script with status 2 if the build fails.
prepare_spark() {
    [ "${NO_BUILD:-}" ] || mvn -B -ntp -q -f spark ${spark_version:+"-Dspark.version=$spark_version"} -pl checks -am -Dmaven.test.skip compile || {
        echo "spark: the build fails" >&2
        exit 2
    }
    work=$PWD/spark/checks/target/work
    rm -rf "$work"
    mkdir -p "$work"
    local opens options
    opens=$(sed -n 's:.*<spark.opens>\(.*\)</spark.opens>.*:\1:p' spark/shuffle/pom.xml)
    read -ra options <<<"$opens"
    class_path=$PWD/spark/checks/target/classes:$(cat spark/checks/target/class-path)
    # Executors get the class path of the driver, because Spark is under test and has no installation.
    export SPARK_TESTING=1 SPARK_SCALA_VERSION=2.13 SPARK_LOCAL_IP=127.0.0.1
    java_command=(java "${options[@]}" -Dspark.testing=true "-Dspark.test.home=$work" "-Djava.io.tmpdir=$work"
        -Dspark.ui.enabled=false -Dspark.driver.host=127.0.0.1 "-Dspark.executor.extraClassPath=$class_path"
        -cp "$class_path")
}
