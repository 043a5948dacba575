package io.iwarp.tools.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate and its private key, read from files in PEM format.
 *
 * @param key the private key of the first certificate
 * @param certificates the certificate, followed by those of intermediate authorities
 */
public record PemIdentity(PrivateKey key, List<X509Certificate> certificates) {
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
    private static final String ENCRYPTED = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
    private static final byte[] CHALLENGE = "iwarp".getBytes(StandardCharsets.US_ASCII);

    /**
     * Reads a certificate and its key.
     *
     * @throws CommandFailedException if a file is missing or unusable, or the key is not that of the certificate
     */
    public static PemIdentity read(Path certificateFile, Path keyFile) {
        List<X509Certificate> certificates = certificates("--cert", certificateFile);
        PublicKey publicKey = certificates.get(0).getPublicKey();
        PrivateKey key = key(keyFile, publicKey.getAlgorithm());
        if (!belongTogether(key, publicKey)) {
            throw new CommandFailedException(
                    "the key of --key " + keyFile + " does not belong to the certificate of --cert " + certificateFile
                            + ": choose the key that the certificate was made for");
        }
        return new PemIdentity(key, certificates);
    }

    /**
     * Reads certificates.
     *
     * @param option that names the file, for messages
     * @throws CommandFailedException if the file is missing, or has no certificates
     */
    public static List<X509Certificate> certificates(String option, Path file) {
        byte[] pem = bytes(option, file);
        try {
            List<X509Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem)).stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (!certificates.isEmpty()) {
                return certificates;
            }
        } catch (CertificateException e) {
            throw new CommandFailedException(
                    option + " " + file + " is not a certificate in PEM format (" + e.getMessage() + ")");
        }
        throw new CommandFailedException(option + " " + file
                + " has no certificate in PEM format: such a file has a line" + " -----BEGIN CERTIFICATE-----");
    }

    private static PrivateKey key(Path file, String algorithm) {
        String pem = new String(bytes("--key", file), StandardCharsets.US_ASCII);
        if (pem.contains(ENCRYPTED)) {
            throw new CommandFailedException(
                    "--key " + file + " is encrypted: decrypt it, for example with openssl pkcs8 -in " + file);
        }
        Matcher key = KEY.matcher(pem);
        if (!key.find()) {
            throw new CommandFailedException(
                    "--key " + file + " has no private key in PEM format (PKCS#8): if it has another"
                            + " one, convert it with openssl pkcs8 -topk8 -nocrypt -in " + file);
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(key.group(1));
            return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new CommandFailedException("--key " + file + " has no usable " + algorithm
                    + " key, as the certificate needs (" + String.valueOf(e.getMessage()) + ")");
        }
    }

    private static byte[] bytes(String option, Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new CommandFailedException(option + " " + file + " does not exist: check the path");
        } catch (IOException e) {
            throw new CommandFailedException(
                    option + " " + file + " cannot be read (" + e + "): check the path and the permissions");
        }
    }

    private static boolean belongTogether(PrivateKey key, PublicKey publicKey) {
        String algorithm = switch (publicKey.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> publicKey.getAlgorithm();
        };
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(CHALLENGE);
            byte[] signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(CHALLENGE);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            throw new CommandFailedException("this JDK cannot use a key of the kind " + publicKey.getAlgorithm() + " ("
                    + e.getMessage() + "): choose one of the kind RSA, EC or Ed25519");
        }
    }
}
