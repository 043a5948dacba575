# The iwarp command in a small JRE:
#
#   mvn -B -ntp -q -DskipTests package
#   docker build -t iwarp .
#   docker run --rm iwarp demo
#   docker run --rm -p 7471:7471 iwarp echo-server --bind 0.0.0.0 --port 7471
FROM eclipse-temurin:21-jdk AS jre
RUN jlink --output /jre --generate-cds-archive --strip-debug --no-header-files --no-man-pages \
    --add-modules java.base,java.desktop,java.logging,java.management,java.naming,java.sql,java.xml,jdk.crypto.ec,jdk.httpserver,jdk.jfr,jdk.management,jdk.unsupported

FROM debian:12-slim
COPY --from=jre /jre /opt/jre
COPY iwarp /opt/iwarp/bin/iwarp
COPY tools/target/iwarp.jar /opt/iwarp/lib/iwarp.jar
COPY LICENSE /opt/iwarp/LICENSE
ENV JAVA_HOME=/opt/jre
RUN IWARP_CACHE=create /opt/iwarp/bin/iwarp demo
RUN useradd --create-home iwarp
USER iwarp
WORKDIR /home/iwarp
ENTRYPOINT ["/opt/iwarp/bin/iwarp"]
CMD ["--help"]
