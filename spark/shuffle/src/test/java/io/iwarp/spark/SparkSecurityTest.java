package io.iwarp.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("attack")
class SparkSecurityTest {
    private static final String AUTHENTICATE = "spark.authenticate";

    private static SparkConf conf(String... keys) {
        SparkConf conf = new SparkConf(false);
        for (String key : keys) {
            conf.set(key, "true");
        }
        return conf;
    }

    @ParameterizedTest
    @CsvSource({
        "spark.authenticate,spark.network.crypto.enabled,true",
        "spark.authenticate,spark.authenticate.enableSaslEncryption,true",
        "spark.ssl.rpc.enabled,spark.ui.enabled,true",
        "spark.authenticate,spark.ui.enabled,false",
        // Spark encrypts only what it authenticates.
        "spark.network.crypto.enabled,spark.ui.enabled,false"
    })
    void whatSparkEncryptsIsEncrypted(String first, String second, boolean encrypted) {
        assertThat(SparkSecurity.encrypts(conf(first, second))).isEqualTo(encrypted);
    }

    @Test
    void theLogSaysWhatMissingSecurityMeans() {
        assertThat(SparkSecurity.describe(conf())).contains("not encrypted", "spark.authenticate is not set");
        assertThat(SparkSecurity.describe(conf(AUTHENTICATE))).contains("authenticated", "not encrypted");
        assertThat(SparkSecurity.describe(conf("spark.ssl.rpc.enabled"))).contains("TLS 1.3");
    }

    @Test
    void theSecretNeedsThatOfTheDriverAndThatOfSpark() {
        String ofDriver = Handshake.newSecret();
        String secret = SparkSecurity.combined(ofDriver, "of Spark");

        assertThat(secret)
                .isEqualTo(SparkSecurity.combined(ofDriver, "of Spark"))
                .isNotEqualTo(SparkSecurity.combined(ofDriver, "of another"))
                .isNotEqualTo(SparkSecurity.combined(Handshake.newSecret(), "of Spark"))
                .isNotEqualTo(ofDriver);
        assertThat(SparkSecurity.secret(ofDriver, conf())).isEqualTo(ofDriver);
    }
}
