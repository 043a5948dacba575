package io.iwarp.spark;

import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import org.apache.spark.SSLOptions;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import scala.Option;

/** The security of the shuffle, which follows that of Spark. */
final class SparkSecurity {
    private static final String AUTHENTICATE = "spark.authenticate";
    private static final String SSL = "spark.ssl.rpc.enabled";

    private SparkSecurity() {}

    /** Returns whether Spark encrypts what executors send to each other. */
    static boolean encrypts(SparkConf conf) {
        return conf.getBoolean(SSL, false)
                || (conf.getBoolean(AUTHENTICATE, false)
                        && (conf.getBoolean("spark.network.crypto.enabled", false)
                                || conf.getBoolean("spark.authenticate.enableSaslEncryption", false)));
    }

    /** Returns what protects the shuffle of an application, for the log. */
    static String describe(SparkConf conf) {
        if (encrypts(conf)) {
            return "connections use TLS 1.3 between executors of this application";
        }
        String notEncrypted = "are not encrypted, because neither spark.network.crypto.enabled nor " + SSL
                + " is set: anyone who listens to the network can read shuffle data, and anyone who changes packets can"
                + " forge it";
        return conf.getBoolean(AUTHENTICATE, false)
                ? "connections are authenticated by the secret of Spark, but " + notEncrypted
                : "connections " + notEncrypted + ". " + AUTHENTICATE
                        + " is not set either: anyone who listens to Spark's own connections learns the secret of the"
                        + " shuffle";
    }

    /**
     * Returns the secret of the application. It depends on that of Spark, if Spark authenticates: several applications
     * may share Spark's, and without encryption the network shows that of the driver.
     *
     * @param ofDriver a random secret, from the driver
     */
    static String secret(String ofDriver, SparkConf conf) {
        return conf.getBoolean(AUTHENTICATE, false)
                ? combined(ofDriver, SparkEnv.get().securityManager().getSecretKey())
                : ofDriver;
    }

    static String combined(String ofDriver, String ofSpark) {
        Hmac codes = new Hmac(ofSpark.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(codes.code(Unpooled.copiedBuffer(ofDriver, StandardCharsets.UTF_8)));
    }

    /** Returns the TLS of an executor, or null if Spark does not encrypt. */
    static @Nullable Tls tls(SparkConf conf) throws GeneralSecurityException, IOException {
        if (!encrypts(conf)) {
            return null;
        }
        if (!conf.getBoolean(SSL, false)) {
            return Tls.selfSigned();
        }
        SSLOptions ssl = SparkEnv.get().securityManager().getRpcSSLOptions();
        return ssl.keyStore().isDefined() ? keyStore(ssl.keyStore().get().toPath(), ssl) : Tls.selfSigned();
    }

    private static Tls keyStore(Path file, SSLOptions ssl) throws GeneralSecurityException, IOException {
        String password = orElse(ssl.keyStorePassword(), "");
        return Tls.keyStore(
                file,
                orElse(ssl.keyStoreType(), KeyStore.getDefaultType()),
                password,
                orElse(ssl.keyPassword(), password));
    }

    private static String orElse(Option<String> value, String other) {
        return value.isDefined() ? value.get() : other;
    }
}
